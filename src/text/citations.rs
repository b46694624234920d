//! The files, folders, scripts and packages of a workspace that a text speaks of as being there. Whether they ever were is
//! another question: what looks like a path and is none costs a look, and nothing else.

use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use regex::Regex;

use super::{is_cjk, pattern};
use crate::model::Cited;

/// The longest path that is looked at, in bytes.
const LONGEST: usize = 200;
/// The most that is looked at of a text.
const MOST: usize = 40;

/// The words with which a sentence says that something went or has another name, or gives an example.
static SAYS_SO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix) \b(?: remov(?:e|ed|es|al|ing) | delet(?:e|ed|es|ing|ion) | renam(?:e|ed|es|ing) | mov(?:e|ed|es|ing)
            | replac(?:e|ed|es|ing) | supersed(?:e|ed|es) | drop(?:ped|s|ping)? | migrat(?:e|ed|ing|ion) | retired?
            | deprecated | obsolete | legacy | former(?:ly)? | previously | used\ to | was | were | gone | no\ longer
            | not\ any\ ?more | does\ not\ exist | doesn't\ exist | instead\ of | rather\ than | old
            | e\.g | for\ example | examples? | such\ as | recreate | generated | not\ committed
            | gelöscht | entfernt | verschoben | umbenannt | ersetzt | früher | supprimée?s? | déplacée?s? | renommée?s?
            | remplacée?s? | eliminad[oa]s? | borrad[oa]s? | movid[oa]s? | renombrad[oa]s? | reemplazad[oa]s? )\b
        | 删除 | 刪除 | 移除 | 移到 | 移动 | 移動 | 改名 | 重命名 | 替换 | 替換 | 取代 | 废弃 | 廢棄 | 不再 | 原来 | 曾 | 旧 | 舊 | 例如 | 比如
        | 削除 | 廃止 | 名前を変 | リネーム | 置き換え | 以前 | 例えば | 삭제 | 제거 | 이동 | 옮겼 | 대체 | 더\ 이상 | 예전 | 예를",
    )
});

/// The ends of sentences within a line.
static END: LazyLock<Regex> = LazyLock::new(|| pattern(r"[.;!?]\s|[\n。；！？]"));

/// The address of a link, and what stands in quotes: one name, whatever blanks it has.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"\]\(<?([^()<>]+)|"([^"]+)"|“([^”]+)”|«([^»]+)»|(?:^|[\s(])['‘]([^'’]+)['’]"#)
});

/// A command that runs a script, a recipe or a target. A bare one begins a command in a code span.
static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x-u) \b( (?: (?:npm|pnpm|yarn|bun|composer)\ run | deno\ task )\ [A-Za-z](?:[\w:.-]*\w)? )
            | (?: ` | &&\ ) (?: \w+=[\w./:-]+\  | sudo\ )* ( (?:pnpm|yarn|make|just|poe)\ [A-Za-z](?:[\w:.-]*\w)? )",
    )
});

/// What `pnpm` and `yarn` do themselves.
static OWN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x-u) ^(?:pnpm|yarn)\ (?: access | add | approve-builds | audit | bin | cache | catalog | ci | config | constraints
            | create | dedupe | deploy | dlx | doctor | env | exec | explain | fetch | help | import | info | init | install
            | licenses | link | list | login | logout | ls | node | npm | outdated | owner | pack | patch | plugin | prune
            | publish | rebuild | recursive | remove | root | run | search | self-update | server | set | setup | stage
            | store | tag | team | unlink | unplug | up | update | upgrade | version | versions | view | why | workspace
            | workspaces )$",
    )
});

/// A name in a code span that the words around it make a dependency.
static PACKAGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix-u) (?: (?: \b(?: uses? | using | depends?\ on | rel(?:y|ies)\ on | built\ (?:on|with)
                | (?:validated|checked|parsed|tested|formatted|handled|sent)\ (?:by|with|through)
                | library | package | crate | dependency ) | 使用 | 采用 | 採用 | 用 ) \ ?
                (?: the\ )? (?: library\ | package\ | crate\ )?
                `((?:@[\w-]+/)?[a-z][\w.-]*)` \s* (?: $ | [.,:()] | 。 | ， | 、 | (?:for|and|in|everywhere|library|package|crate)\b )
            | (?: ^ | :\ | -\ ) `((?:@[\w-]+/)?[a-z][\w.-]*)` \ for\b
            | `((?:@[\w-]+/)?[a-z][\w.-]*)` \ ? (?: を使 | を利用 | を採用 | (?:을|를)\ 사용 ) )",
    )
});

/// What says that a command or a package is one of another place, and that a package is none to use.
static FOREIGN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?-u:\b(?:repo|repository|global(?:ly)?|upstream|npx|dlx)\b)|\.\./|~/|仓库|倉庫|全局|リポジトリ|グローバル|저장소|전역",
    )
});
static NOT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?-u:\b(?:not|never|no|nor|avoid|over|without|don't|doesn't|kein|keine|nicht|pas|jamais|nunca)\b)|不|勿|ない|禁|지 ?않|말고|금지",
    )
});

/// What a text cites of its workspace, each once: the files and folders that are `missing`, relative to the workspace, with
/// `/` between the parts and none at the end (a word with a slash or a file's extension); the scripts; the packages. A
/// sentence that says that they went cites none; addresses, patterns, and places outside of the workspace are no paths.
pub fn citations(text: &str, mut missing: impl FnMut(&str) -> bool) -> Vec<Cited> {
    let mut cited: Vec<Cited> = Vec::new();
    let mut left = MOST;
    let mut begin = 0;
    let ends = END.find_iter(text).map(|end| (end.start(), end.end()));
    let ends = ends.filter(|(start, _)| !text[..*start].ends_with("e.g"));
    for (_, end) in ends.chain([(0, text.len())]) {
        let sentence = &text[begin..end];
        begin = end;
        let all = all_of(sentence, left, &mut missing);
        left -= all.len();
        // `packages/old/a.ts` says nothing of the kind.
        let said = || {
            let names = all.iter().map(|(name, _)| name);
            names.fold(sentence.to_owned(), |said, name| said.replace(name, " "))
        };
        if all.iter().any(|(_, one)| one.is_some()) && !SAYS_SO.is_match(&said()) {
            for one in all.into_iter().filter_map(|(_, one)| one) {
                if !cited.contains(&one) {
                    cited.push(one);
                }
            }
        }
        if left == 0 {
            break;
        }
    }
    cited
}

/// What a sentence names, at most `most`, each by the words that it stands in; `None` for a path that is there.
fn all_of(
    sentence: &str,
    most: usize,
    mut missing: impl FnMut(&str) -> bool,
) -> Vec<(String, Option<Cited>)> {
    let mut all: Vec<(String, Option<Cited>)> = Vec::new();
    // Says whether it is missing, as what nobody looks at any more is.
    let mut look = |name: &str, path: &str| {
        if let Some((_, known)) = all.iter().find(|(known, _)| known == name) {
            return known.is_some();
        }
        if all.len() == most {
            return true;
        }
        let gone = missing(path).then(|| Cited::Path(path.to_owned()));
        let is_gone = gone.is_some();
        all.push((name.to_owned(), gone));
        is_gone
    };
    for (at, part) in sentence.split('`').enumerate() {
        let is_code = at % 2 == 1;
        let named = NAMED
            .captures_iter(part)
            .take(MOST)
            .filter_map(|named| named.iter().flatten().nth(1));
        let named = is_code
            .then_some(part)
            .into_iter()
            .chain(named.map(|name| name.as_str()));
        let mut words = part.to_owned();
        for name in named.filter(|name| name.contains([' ', '\'', '’', '%'])) {
            let decoded = percent_decode_str(name).decode_utf8_lossy();
            // `docs/My notes.md`: where there is none, it may be a command, and its words are looked at.
            if path(&decoded, true).is_some_and(|path| !look(name, path)) {
                words = words.replace(name, " ");
            }
        }
        let parts = |c: char| c.is_whitespace() || "\"'‘’“”«»<>,|、，：（）「」『』【】".contains(c);
        for path in words.split(parts).filter_map(|word| path(word, is_code)) {
            look(path, path);
        }
    }
    if !sentence.contains('`') && !sentence.contains(" run ") || FOREIGN.is_match(sentence) {
        return all;
    }
    let found = |pattern: &'static Regex| {
        let found = pattern.captures_iter(sentence);
        found.filter_map(|found| Some(found.iter().flatten().nth(1)?.as_str().to_owned()))
    };
    let scripts = found(&SCRIPT).filter(|name| !OWN.is_match(name));
    all.extend(scripts.map(|name| (name.clone(), Some(Cited::Script(name)))));
    if !NOT.is_match(sentence) {
        all.extend(found(&PACKAGE).map(|name| (name.clone(), Some(Cited::Package(name)))));
    }
    all.truncate(most);
    all
}

/// The path that a word is. Where nothing parts words from each other, only a code span tells where a name ends.
fn path(word: &str, is_code: bool) -> Option<&str> {
    if !word.contains(['/', '.']) {
        return None;
    }
    // The address of a link stands behind its text.
    let word = word.rsplit("](").next().unwrap_or(word);
    let word = word.trim_start_matches("**").trim_start_matches(['(', '[', '{']);
    // `src/cart.ts:12:5`, `src/cart.ts#L10`, `src/cart.ts:total()`
    let colon = word.find([':', '#']).unwrap_or(word.len());
    // `https://a.b`, `/users/:id`
    if word[colon..].starts_with("://") || word[..colon].ends_with('/') && colon < word.len() {
        return None;
    }
    let word = word[..colon].trim_end_matches([')', ']', '}', '*', '.', '!', '?', '…']);
    let path = word.strip_prefix("./").unwrap_or(word);
    let (is_folder, path) = (path.ends_with('/'), path.trim_end_matches('/'));
    let name = path.rsplit('/').next()?;
    let is_file = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        stem.len() > 1
            && (1..9).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    // `@notes/api.md` is a file for Claude Code, `@scope/package` is none.
    let path = path.strip_prefix('@').filter(|_| is_file).unwrap_or(path);
    let is_part = |part: &str| !matches!(part, "" | "." | ".." | ".git");
    let is_path = (is_folder || is_file || path.contains('/'))
        && path.len() <= LONGEST
        && !path.starts_with(['@', '-', '~'])
        && path.contains(|c: char| c.is_ascii_lowercase())
        && !path.contains(|c: char| is_cjk(c) && !is_code || c.is_control() || r"*?{}$%\=&+!^<>".contains(c))
        && path.split('/').all(is_part);
    is_path.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::{MOST, citations};
    use crate::model::{repeated, takes_its_length};

    /// What a text cites, where nothing of it is there.
    #[track_caller]
    fn cites(text: &str, names: &[&str]) {
        let cited = citations(text, |_| true);
        let cited: Vec<String> = cited.iter().map(ToString::to_string).collect();
        assert_eq!(cited, names, "{text}");
    }

    #[test]
    fn files_and_folders_are_cited_in_any_dress() {
        cites("Rounding lives in `src/cart.ts:12:5`.", &["src/cart.ts"]);
        cites(
            "**`lib/api.ts#L3`**, (./docs/) and [rules](rules/style.md)",
            &["lib/api.ts", "docs", "rules/style.md"],
        );
        cites(
            "@docs/git.md has them; app/[id]/(shop)/page.tsx too",
            &["docs/git.md", "app/[id]/(shop)/page.tsx"],
        );
        cites(
            "設定は`deno.jsonc`の中。`src/税.ts`も。",
            &["deno.jsonc", "src/税.ts"],
        );
        cites("設定はsrc/税.tsの中", &[]);
        cites(
            "Run `node src/a.js --all` or `src/b.js -x`",
            &["node src/a.js --all", "src/a.js", "src/b.js -x", "src/b.js"],
        );
        cites("src/a.ts and src/a.ts", &["src/a.ts"]);
    }

    #[test]
    fn a_name_with_blanks_or_apostrophes_is_cited_whole() {
        let names = [
            "docs/My notes.md",
            "My docs/it's here",
            "Bob's plan.md",
            "src/a.js",
        ];
        for text in [
            "See `docs/My notes.md`, `My docs/it's here/`, `Bob's plan.md:3` and `node src/a.js`",
            "See \"docs/My notes.md\", “My docs/it's here/”, «Bob's plan.md» and 'src/a.js'",
            "See [a](docs/My%20notes.md#a), [b](<My docs/it's here/>), [c](Bob's%20plan.md) and [d](src/a.js)",
        ] {
            let cited = citations(text, |_| true);
            let mut cited: Vec<String> = cited.iter().map(ToString::to_string).collect();
            // The words of a name are looked at too, where there is none.
            cited.retain(|name| names.contains(&name.as_str()));
            assert_eq!(cited, names, "{text}");
        }
        // Where it is there, its words are no names.
        assert_eq!(citations("`docs/My notes.md`", |path| path == "notes.md"), []);
        cites("That's src/cart.ts's total, isn't it", &["src/cart.ts"]);
    }

    #[test]
    fn addresses_patterns_and_other_places_are_not() {
        cites("see https://a.io/src/cart.ts, GET /api/users, /users/:id", &[]);
        cites(
            "~/notes.md /etc/hosts ../shared/a.ts *_test.ts src/**/*.ts @scope/name",
            &[],
        );
        cites("A, B and C. 1/2 or 3.5; TCP/IP", &[]);
    }

    #[test]
    fn a_sentence_that_says_that_they_went_cites_none() {
        cites("We removed src/old.ts. Use src/new.ts", &["src/new.ts"]);
        cites("src/a.ts was renamed to src/b.ts", &[]);
        cites("Name files in kebab case (e.g. src/cart-item.ts).", &[]);
        cites("`src/旧.ts` と src/a.ts は廃止", &[]);
        cites("src/a.ts wurde gelöscht", &[]);
        cites("Do not recreate src/a.ts", &[]);
        cites("The rules of packages/old/a.ts hold", &["packages/old/a.ts"]);
    }

    #[test]
    fn only_what_is_missing_is_told() {
        let cited = citations("a/b and c/d", |path| path == "c/d");
        assert_eq!(cited.iter().map(ToString::to_string).collect::<Vec<_>>(), ["c/d"]);
    }

    #[test]
    fn a_hostile_text_takes_its_length() {
        for piece in ["a/b ", "a/# ", "\"a b/#\" ", "«a “x” ", "`poe re", "uses `a#`, "] {
            for is_missing in [true, false] {
                let make = |bytes| repeated(piece, bytes);
                takes_its_length(piece, make, |text| drop(citations(text, |_| is_missing)));
            }
        }
        let mut looks = 0;
        citations(&repeated("a/b a/# ", 9_000), |_| {
            looks += 1;
            true
        });
        assert_eq!(looks, MOST);
    }

    #[test]
    fn commands_and_packages_are_cited_where_their_words_make_them_so() {
        cites(
            "`a && CI=1 make seed` or `just x 1`, npm run a:b.",
            &["make seed", "just x", "npm run a:b"],
        );
        cites("make seed, just release, pnpm lint", &[]);
        cites("`pnpm install`, `make -C x y`, `cd ../x && npm run y`", &[]);
        cites("In the other repo: `npm run y`", &[]);
        cites(
            "We use `zod` and the crate `serde-json`",
            &["package zod", "package serde-json"],
        );
        cites("The level is `debug`; we use `zod` no more, never use `yup`", &[]);
    }
}
