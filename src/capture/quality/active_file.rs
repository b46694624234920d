//! `active_file_snapshot`: which files are open, and where the cursor is. The session's state knows that.

use super::english::Mood;
use super::passage::Passage;
use super::table::Table;
use crate::capture::Rejection;

static TOLD: Table = Table::new(&[
    r"\b(?:currently|now|still|just|right now|presently|busy) (?:editing|viewing|reading|looking at|working (?:on|in|through)|inspecting|browsing|modifying|refactoring|debugging|rewriting|opening|reviewing|touching|exploring)\b",
    r"\b(?:i am|i'm|we are|we're|user is|agent is|assistant is|model is) (?:currently |now |still )?(?:editing|viewing|working (?:on|in)|looking at|reading|refactoring|modifying|in the middle of [\w./-]+\.\w{1,4}|rewriting|debugging)\b",
    r"^working (?:on|in|through)\b|\b(?:i am|i'm|we are|we're) (?:now |currently |still )?(?:in|at|on) (?:the file )?[\w.-]*/[\w./-]+\.\w{1,5}\b",
    r"^(?:open|opened|active|current|recent|recently (?:edited|opened|modified|touched)|modified|changed|touched|edited|unsaved|dirty|relevant open) (?:files?|tabs?|buffers?|documents?|editors?|modules?)\s*[:=–-]",
    r"\b(?:tab|file|buffer|editor)s? (?:with|of) .{1,60} (?:is|are) (?:in front|open|active|focused)\b|\blines? \d+(?:[-–]\d+)? (?:is|are) selected\b|\b[\w/-]+\.[a-z]{1,4} is (?:now |currently |still )?(?:open|opened|selected|focused)(?:$|[,.])",
    r"^(?:currently |now )open(?:ed)?\s*[:=–-]",
    r"\b(?:open|active|current|focused) (?:files?|tabs?|buffers?|documents?) (?:is|are) (?:[\w./-]+\.\w{1,5}|in)\b",
    r"\bcursor (?:is |sits |stands |was |stays )?(?:in|at|on|inside|near)\b",
    r"\b(?:being (?:worked on|edited|viewed|modified|rewritten|refactored)|(?:open|opened|loaded) in (?:the|my|an?|his|her) (?:\w+ )?(?:editor|ide|tab|buffer|split|window))\b",
    r"\b(?:is|are|was) (?:currently |now |still )?open (?:right now|at the moment|in (?:the )?(?:editor|vs code|vim|neovim))\b",
    r"\b(?:left off|stopped|paused) (?:at|in|on|inside)\b.{0,60}(?:\.\w{1,4}\b|\bline \d|\bfunction\b)",
    r"(?:正在|现在|現在|目前|当前|當前).{0,6}(?:编辑|編輯|修改|查看|打开|打開|阅读|閱讀|重写|重寫|浏览|瀏覽|改).{0,60}%cjkcode%",
    r"(?:打开|打開|正在编辑|正在編輯|当前|當前|修改过|活动)的?(?:文件|檔案|标签页)(?:是|为|為|：|:|有)|(?:光标|光標|游标)(?:在|位于|停在)",
    r"(?:いま|今|現在|ただいま)?.{0,10}%cjkcode%.{0,20}(?:を|が)?(?:開いて(?:い|お)|編集中|編集して(?:い|お)|書き換えて(?:い|お)|修正して(?:い|お)|見て(?:い|お)|触って(?:い|お)|作業中|作業して(?:い|お))",
    r"(?:開いている|編集中の|作業中の)ファイル(?:は|：|:)|カーソル(?:は|が)",
    r"(?:지금|현재)?.{0,10}%cjkcode%.{0,20}(?:편집|수정|열어|열려|보고|작성|고치|작업)(?:하고 있|하는 중| 중| ?있|고 있|을 하고)",
    r"(?:열린|열려 있는|편집 중인|작업 중인) 파일(?:은|:|이)|커서(?:는|가|:)",
]);

/// What an order or a subject may begin with too: `Editing generated files is forbidden`.
static GERUND: Table = Table::new(&[
    r"^(?:editing|viewing|looking at|inspecting|browsing|modifying|refactoring|debugging|rewriting|opening) .*(?:\.\w{1,5}\b|/|\bmodule\b|\bfunction\b|\bfile\b|\bclass\b)",
]);

/// Whether a text tells what is open.
pub(super) fn reason(passage: &Passage<'_>) -> Option<Rejection> {
    let gerund = passage.says(&GERUND) && passage.readings().all(|reading| reading.mood == Mood::None);
    (passage.says(&TOLD) || gerund).then_some(Rejection::ActiveFileSnapshot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> bool {
        reason(&Passage::new(text)).is_some()
    }

    #[test]
    fn open_files_are_found() {
        for text in [
            "Currently editing src/router.ts, the cursor is in the guard function.",
            "Open files: api/users.py and its test.",
            "The file being worked on right now is lib/cache.rs.",
            "Editing the eviction loop in src/cache.rs",
            "Working on the tile cache module",
            "I'm in the middle of src/lib.rs",
            "Modified files: Cargo.toml and src/main.rs",
            "We stopped in parser.rs at line 240",
            "正在编辑 src/cart.ts 的结算函数。",
            "目前打开的文件是 main.go 和它的测试。",
            "いま lib/mailer.rb を開いており、送信処理の関数を書き換えている途中です。",
            "지금 cart.py 파일을 수정하고 있다.",
        ] {
            assert!(found(text), "{text}");
        }
    }

    #[test]
    fn statements_about_files_are_none() {
        for text in [
            "Modified files are formatted by the pre-commit hook.",
            "Editing generated files is forbidden.",
            "The cursor is hidden in kiosk mode.",
            "Open files are closed by the guard when it is dropped.",
            "Reading configuration from the environment is forbidden in src/lib.rs.",
            "生成的文件不得手动修改。",
        ] {
            assert!(!found(text), "{text}");
        }
    }
}
