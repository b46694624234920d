//! The files and folders of a workspace that a text speaks of as being there. Whether they ever were is another
//! question: what looks like a path and is none costs a look, and nothing else.

use std::sync::LazyLock;

use regex::Regex;

use super::{is_cjk, pattern};

/// The longest path that is looked at, in bytes.
const LONGEST: usize = 200;
/// The most paths of a text.
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

/// The paths that a text cites and that are `missing`, each once, relative to the workspace, with `/` between the parts
/// and none at the end: a word with a slash or a file's extension. A sentence that says of its paths that they went cites
/// none; addresses, patterns, and places outside of the workspace are no paths.
pub fn citations(text: &str, mut missing: impl FnMut(&str) -> bool) -> Vec<&str> {
    let mut cited = Vec::new();
    let mut left = MOST;
    let mut begin = 0;
    let ends = END.find_iter(text).map(|end| (end.start(), end.end()));
    let ends = ends.filter(|(start, _)| !text[..*start].ends_with("e.g"));
    for (_, end) in ends.chain([(0, text.len())]) {
        let sentence = &text[begin..end];
        begin = end;
        let words = sentence.split('`').enumerate().flat_map(|(at, text)| {
            let is_code = at % 2 == 1;
            // `docs/My notes.md`, and neither `src/main.rs --all` nor `bin/deploy prod`.
            let first = text.split(' ').next().unwrap_or_default();
            let last = text[first.len()..].rsplit(' ').next().unwrap_or_default();
            let begins = first.contains('/') && !first.contains('.');
            let is_whole = is_code && begins && last.contains('.') && !last.contains('/');
            let parts = |c: char| {
                !is_whole && (c.is_whitespace() || "\"'‘’“”«»<>,|、，：（）「」『』【】".contains(c))
            };
            let words: Vec<(&str, bool)> = text.split(parts).map(|word| (word, is_code)).collect();
            words
        });
        let all = words.filter_map(|(word, is_code)| path(word, is_code));
        let all: Vec<&str> = all.take(left).collect();
        left -= all.len();
        let mut paths: Vec<&str> = Vec::new();
        for path in &all {
            if !cited.contains(path) && !paths.contains(path) && missing(path) {
                paths.push(path);
            }
        }
        // `packages/old/a.ts` says nothing of the kind.
        let said = || {
            all.iter()
                .fold(sentence.to_owned(), |said, path| said.replace(path, " "))
        };
        if !paths.is_empty() && !SAYS_SO.is_match(&said()) {
            cited.append(&mut paths);
        }
    }
    cited
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
    use super::citations;

    #[track_caller]
    fn cites(text: &str, paths: &[&str]) {
        assert_eq!(citations(text, |_| true), paths, "{text}");
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
            "See `docs/My notes.md` and `src/a.js`",
            &["docs/My notes.md", "src/a.js"],
        );
        cites(
            "Run `node src/a.js --all` or `src/b.js -x`",
            &["src/a.js", "src/b.js"],
        );
        cites("src/a.ts and src/a.ts", &["src/a.ts"]);
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
        assert_eq!(citations("a/b and c/d", |path| path == "c/d"), ["c/d"]);
    }
}
