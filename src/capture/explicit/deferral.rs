//! Requests for later.

use super::grammar::{BODY, beginning, end};

/// Whether what stands behind a request puts it off, or its matter. `openings` are the places where it could say
/// so first: behind the verb, and behind its object.
pub(super) fn is_deferred(openings: [&str; 2], body: &str) -> bool {
    openings
        .into_iter()
        .any(|opening| BODY.deferral_opening.is_match(without_separators(opening)))
        || [beginning(body), end(body)]
            .into_iter()
            .any(|part| BODY.deferral_ending.is_match(part) && !BODY.no_deferral.is_match(part))
}

fn without_separators(text: &str) -> &str {
    text.trim_start_matches([' ', ':', ',', ';', '、', '。', '.', '-', '–', '—', '('])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn for_later() {
        for body in [
            "this later, i have to check it",
            "later.",
            "next time we talk about it",
            "but not now",
            "we'll decide on the cache later",
            "部署顺序这件事以后再说,先修",
            "再說吧",
            "後で",
            "この件は後で相談する",
            "나중에 정하자",
            "이 얘기는 나중에",
        ] {
            assert!(is_deferred([body, ""], body), "{body}");
        }
    }

    #[test]
    fn for_now() {
        for body in [
            "the report starts ten minutes later than the export",
            "later versions of the api drop xml",
            "we need node 20 or later",
            "the job retries 5 minutes later",
            "not yet released features are hidden behind flags",
            "测试通过再改",
            "デプロイした後で確認する",
            "次回リリースは金曜日",
        ] {
            assert!(!is_deferred([body, ""], body), "{body}");
        }
    }
}
