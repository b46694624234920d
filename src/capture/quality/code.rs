//! `code_or_api_signature`: code, where words were asked for. Code inside a sentence is none.

use super::passage::{Passage, unmarked};
use super::table::Table;
use crate::capture::Rejection;

static SHAPES: Table = Table::new(&[
    // Functions.
    r"^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\*?\s*[\w$]*\s*[(<]",
    r#"^(?:pub(?:\([\w: ]+\))?\s+)?(?:(?:async|const|unsafe|extern(?:\s+"C")?)\s+)*fn\s+\w+\s*[(<]"#,
    r"^(?:async\s+)?def\s+\w+\s*[(\[]",
    r"^func\s+(?:\([^)]*\)\s*)?\w+\s*[(\[]",
    r"^(?:override\s+|suspend\s+|private\s+|internal\s+)*fun\s+(?:<[^>]*>\s*)?[\w.]+\s*\(",
    r"^(?:(?:public|private|protected|internal|static|final|abstract|override|readonly|async|virtual|synchronized)\s+)+(?:[\w<>\[\],.?]+\s+)*[\w$]+\s*(?:\(|=|;|:|\{)",
    r"^(?:const\s+|static\s+|unsigned\s+)*(?:void|int|bool|boolean|char|double|float|long|size_t|auto|string|String)\s*[*&]*\s+[*&]*\w+\s*(?:\(|=|;|\[)",
    r"^[\w.$:]+(?:<[^>]*>)?\([^)]*\)\s*(?::|->|=>|→)\s*[\w<>\[\]|{}&(), .?:'*]+;?$",
    r"^(?:await\s+)?[\w$]+(?:(?:\.|::)[\w$]+)*\([^)]*\)(?:\.[\w$]+\([^)]*\))*;?$",
    // Types.
    r"^(?:export\s+)?(?:(?:abstract|declare|public|final|sealed|data|default|pub(?:\(\w+\))?|const)\s+)*(?:class|interface|enum|struct|trait|impl|namespace|module|record|object|union|protocol|extension)\b[^.]{0,200}\{",
    r"^class\s+\w+(?:\([^)]*\))?:\s*$|^class\s+\w+(?:\([^)]*\))?:\s*(?:pass|def)\b|^class\s+\w+\s+extends\s+\w+\s*$",
    r"^(?:export\s+|pub\s+)?type\s+\w+(?:<[^>]*>)?\s*=",
    r"^(?:pub\s+)?(?:struct|enum|impl(?:<[^>]*>)?)\s+\w+.*[;{]$",
    // Statements.
    r"^(?:export\s+)?(?:const|let|var|val|static)\s+(?:mut\s+)?[\w$\[{(][^=]{0,200}=",
    r#"^import\s+.{0,200}\bfrom\s+['"]|^import\s+['"]|^from\s+\S+\s+import\s|^import\s+(?:static\s+)?[\w.*]+;?$|^#include\s*[<"]|^using\s+[\w.]+;$|^package\s+[\w.]+;?$|^use\s+[\w:]+(?:::[\w{}:, *]+)?;$|^(?:const|let|var)\s+.*\brequire\("#,
    r"^(?:if|for|while|switch|catch|elif|foreach|match)\s*\(.*\)\s*\{|^(?:if|for|while|match|switch|else if)\s.*\{$|^(?:if|for|while|elif|try|else|except)\b.*:\s*$",
    r"^return\s.*;$|^throw\s+new\s|^raise\s+\w+\(|^(?:print|println!|console\.\w+|echo)\s*\(",
    r"^SELECT\s.+\sFROM\s|^INSERT\s+INTO\s|^UPDATE\s+\w+\s+SET\s|^DELETE\s+FROM\s|^(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+)?(?:UNIQUE\s+)?(?:TABLE|INDEX|VIEW|TYPE|FUNCTION|DATABASE|SCHEMA)\s",
    r"^@\w+(?:\([^)]*\))?\s+(?:public|private|class|def|async|export|function|interface|@)",
    r"^[\w.$\[\]]+\s*(?:=|\+=|:=|\?\?=)\s*[^=].*;$",
    r"=>\s*[{(]|\)\s*\{[^}]*\}?\s*;?$|[;{]\s*\}\s*;?$|^\}|\{\s*$",
    // A block of configuration: `resource "kind" "name" { … }`.
    r#"^[a-z_]+(?: "[^"]*"){1,3} \{"#,
    // A macro of TeX.
    r"^\\(?:re)?(?:new|provide)(?:command|environment)\b|^\\(?:usepackage|documentclass|def\\)",
    // Data and markup.
    r#"^\{\s*["'\w].*:.*\}$|^\[\s*[\[{"'].*\]$|^<([a-zA-Z][\w.-]*)(?:\s[^>]*)?/?>.*</[\w.-]+>$|^<[A-Z]\w*(?:\s[^>]*)?/>$|^<!DOCTYPE|^<\?(?:xml|php)"#,
    r"^diff --git |^@@ -\d|^(?:\+\+\+|---) [ab]/|^\$ \w|^>>> \w",
    // The signature of an endpoint.
    r"^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+/\S*\s*(?:->|=>|→|\(|\{|:|$)",
    "^```|```$",
]);

/// Whether a text is code.
pub(super) fn reason(passage: &Passage<'_>) -> Option<Rejection> {
    let line = passage.whole.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = unmarked(&line);
    let found = SHAPES.matches(bare) || SHAPES.matches(&line) || is_dense(&line);
    found.then_some(Rejection::CodeOrApiSignature)
}

/// Whether the signs of code outweigh the words around them. Inline code is the sentence's to quote.
fn is_dense(line: &str) -> bool {
    let mut quoted = false;
    let (mut signs, mut letters) = (0_usize, 0_usize);
    for c in line.chars() {
        if c == '`' {
            quoted = !quoted;
        } else if quoted {
            letters += 1;
        } else if "{};=<>()[]&|$\\".contains(c) {
            signs += 1;
        } else if c.is_alphanumeric() {
            letters += 1;
        }
    }
    signs >= 6 && signs * 6 > letters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_code(text: &str) -> bool {
        reason(&Passage::new(text)).is_some()
    }

    #[test]
    fn code_of_many_languages_is_found() {
        for text in [
            "`pub fn new(extra: &[String]) -> Result<Self, Error>`",
            "class UserStore extends BaseStore { constructor(db) { super(db) } }",
            "type Handler = (req: Request) => Promise<Response>",
            "const total = items.reduce((sum, item) => sum + item.price, 0);",
            "import { readFile } from 'node:fs/promises'",
            "from app.models import User, Order",
            "SELECT id, name FROM users WHERE deleted_at IS NULL",
            "public static void main(String[] args)",
            "func (s *Server) Start(ctx context.Context) error {",
            "int parse_header(const char *buf, size_t len);",
            "createUser(name: string, email: string): Promise<User>",
            "memory.flush(session, { force: true });",
            "if (user.isAdmin && !user.locked) { return true; }",
            "{\"name\": \"shop\", \"private\": true}",
            "<Button variant=\"primary\" onClick={save}>Save</Button>",
            "POST /api/v2/orders -> OrderResponse",
            "```ts\nexport const a = 1\n```",
            "for item in items: total += item.price[0] * (1 + tax[item.id])",
            "impl Display for Kind { fn fmt(&self) }",
        ] {
            assert!(is_code(text), "{text}");
        }
    }

    #[test]
    fn sentences_about_code_are_none() {
        for text in [
            "Use `Result<T, Error>` in library code, `anyhow` in binaries.",
            "Type parameters are named after their role.",
            "Functions return early instead of nesting if statements.",
            "Class names are nouns, function names are verbs.",
            "Import order: standard library, crates, own modules.",
            "For loops are fine; avoid recursion in hot paths.",
            "Prefer const over let in TypeScript files.",
            "Return 404 (not 403) for foreign tenants, so that ids stay secret.",
            "POST /orders is idempotent when it carries an Idempotency-Key header.",
            "Interface names carry no prefix such as I.",
            "While loops with a sleep are forbidden in tests.",
            "The retry limit is 5 (configurable by RETRY_MAX).",
        ] {
            assert!(!is_code(text), "{text}");
        }
    }
}
