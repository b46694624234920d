//! Forms of a line that puts what holds against what no longer holds.

/// Forms that deny the old: it is gone, whatever is said of the new. `UNUSED` stands for the pattern of that name.
pub(super) const DENIED: [&str; 15] = [
    r"\b(?:moved|switched|migrated|changed|went) (?:over |away )?from (?P<old>[^,;]{1,60}?) to .+",
    r"[,;] (?P<old>[^,;]{1,40}?) (?:was|is|has been|got) (?:dropped|replaced|removed|retired|gone|deprecated|out)(?: for good| now)?[.! ]*$",
    r"\bno more (?P<old>[^,;.]{1,60}?)(?:[,;.]|$)",
    r"^no (?P<old>[^,;.]{1,60}?) any ?more[,;.]",
    r"^(?:we|i) no longer (?P<old>[^,;.]{1,60})[,;] .{3,}",
    r"[,;] ?(?:而)?(?:不再用|不再是|不用|(?:不要|[别別])再?用)(?P<old>[^,;。]{1,30}?)[了啦]?[。!]*$",
    r"(?:不再|^不)(?:用|使用)(?P<old>[^,;。]{1,30}?)[了啦]?[,;]",
    r"(?:从|從)(?P<old>[^,;。]{1,30}?)(?:换成|換成|改成|改为|改為|迁移到|遷移到|迁到|遷到|换到|換到|改到|挪到|[调調]到)",
    r"(?P<old>[^はがを、。,:]{1,30}?)(?:は|を)(?:もう)?やめ[てまる]",
    "もう(?P<old>[^、。,]{1,30}?)(?:は|を)?UNUSED[、。,]",
    r"(?:^|[はがを、。,:])(?P<old>[^はがを、。,:]{1,30}?)から[^、。,]+に(?:変え|変わ|移行|切り替え|乗り換え)",
    r"^(?:이제 )?(?P<old>[^,.]{1,30}?)(?:은|는|을|를)? ?안 (?:써|쓰|씁|쓴)(?:[^,.]*[다요음함돼고])?[,.] .+",
    r"(?:^|[ :])(?P<old>[^,.: ]{1,30}?)에서 [^,. ]+?(?:으로|로) (?:바꿨|바뀌|변경|옮겼|이전)",
    r"(?:^|[,;] (?:and )?)(?:we|i) (?:don'?t|do not|no longer) (?:use|need|want) (?P<old>[^,;]{1,60}?)(?: any ?more| any longer)?[.! ]*$",
    r"^(?:forget|scratch|disregard) what i said about (?P<old>[^,;]{1,60})[,;] .{3,}",
];

/// Forms that put the new beside the old.
pub(super) const CONTRASTED: [&str; 12] = [
    r"是[^,;。]+不是(?P<old>[^,;。]{1,30}?)(?:[,;].*)?[。!]*$",
    r"^(?:(?:it|that|this)(?:'s| is) )?not (?P<old>[^,;.]{1,60}?)(?:[,;]| [-–—]+| but) .{3,}",
    r"(?:,| now| [-–—]+) ?(?:and )?(?:not|no longer) (?P<old>[^,;]{1,60}?)(?: any ?more| any longer)?(?: [-–—]+ .*)?[.! ]*$",
    r"\b(?:isn'?t|aren'?t|is not|are not) (?P<old>[^,;.]{1,60}?)(?:,| but|;) (?:it'?s|it is|but|they'?re) .+",
    r"不是(?P<old>[^,;。]{1,30}?)[啦了的喔哦]?[,;]",
    r"\b(?:instead of|rather than|in place of) (?P<old>[^,;.]{1,40}?)(?: (?:for|in|now|everywhere|when) ?.*)?(?:[,;.] .*)?[.! ]*$",
    r"(?P<old>[^ はがを、。,:]{1,30}?) ?(?:(?:では|じゃ)なく|の代わりに)",
    r"(?P<old>[^,.:]{1,30}?) ?말고 .+",
    r"(?:^|[ :])(?P<old>[^,.: ]{1,30}?) ?대신 .+",
    r"(?:^|[ :])(?P<old>[^,.: ]{1,30}?)(?:이|가)? 아니(?:라|고) .+",
    r"(?:代替|取代|替代|替换|替換)(?P<old>[^,;。]{1,30}?)[了啦]?(?:[,;].*)?[。!]*$",
    r"(?:[,;] ?而?|而)不是(?P<old>[^,;。]{1,30}?)[了啦]?(?:[,;].*)?[。!]*$",
];

#[cfg(test)]
mod tests {
    use super::super::correction::{UNUSED, old};
    use super::super::language::compile;
    use super::*;

    #[test]
    fn every_form_finds_the_old_in_its_lines() {
        let denied: [&[&str]; 15] = [
            &["we moved from yarn to pnpm", "we went over from yarn to pnpm"],
            &["we use pnpm, yarn was dropped", "pnpm; yarn got replaced"],
            &["no more yarn."],
            &["no yarn any more, pnpm", "no yarn anymore."],
            &["we no longer use yarn, use pnpm"],
            &[
                "用pnpm,不再用yarn了",
                "用pnpm,别用yarn",
                "用pnpm,別再用yarn",
                "用pnpm,不要再用yarn",
            ],
            &["不再用yarn,用pnpm", "不用yarn,用pnpm"],
            &["从yarn换成pnpm", "從yarn遷移到pnpm"],
            &["yarnはやめて", "yarnはもうやめる"],
            &["もうyarnは使わない、pnpmにする"],
            &["yarnからpnpmに移行した"],
            &["이제 yarn은 안 써요. pnpm 써요"],
            &["yarn에서 pnpm으로 바꿨어"],
            &[
                "pnpm, we don't use yarn",
                "we dont need yarn",
                "i no longer want yarn",
            ],
            &["forget what i said about yarn, use pnpm"],
        ];
        let contrasted: [&[&str]; 12] = [
            &["是pnpm不是yarn"],
            &["not yarn, use pnpm"],
            &["use pnpm, not yarn", "use pnpm now no longer yarn"],
            &[
                "it isn't yarn, it's pnpm",
                "they arent yarn but they're pnpm",
                "it is not yarn; they're pnpm",
            ],
            &["不是yarn,用pnpm"],
            &[
                "pnpm instead of yarn",
                "pnpm rather than yarn",
                "pnpm in place of yarn",
            ],
            &["yarnではなくpnpm", "yarnじゃなくpnpm", "yarnの代わりにpnpm"],
            &["yarn 말고 pnpm"],
            &["yarn 대신 pnpm"],
            &["yarn이 아니라 pnpm"],
            &[
                "用pnpm代替yarn",
                "pnpm取代yarn",
                "pnpm替代yarn",
                "pnpm替换yarn",
                "pnpm替換yarn",
            ],
            &["用pnpm,而不是yarn"],
        ];
        let forms = DENIED.iter().chain(&CONTRASTED);
        for (form, lines) in forms.zip(denied.iter().chain(&contrasted)) {
            for line in *lines {
                let pattern = compile(&form.replace("UNUSED", UNUSED));
                let old = old(&pattern, line);
                assert!(
                    old.is_some_and(|old| old.contains("yarn")),
                    "{form}: {line}: {old:?}"
                );
            }
        }
    }
}
