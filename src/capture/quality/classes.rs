//! Classes of words that the rows of several reasons share. A row names one as `%class%`.

use super::verbs;

/// A class and its alternatives, each a small pattern over lower case text.
pub(super) const CLASSES: &[(&str, &[&str])] = &[
    // Things that a session counts.
    (
        "counted",
        &[
            "tests?", "test cases?", "cases", "specs?", "files?", "components?", "modules?", "packages?", "tickets?",
            "errors?", "warnings?", "failures?", "issues?", "todos?", "endpoints?", "routes?", "pages?", "screens?",
            "views?", "tasks?", "items?", "steps?", "suites?", "commits?", "prs?", "pull requests?", "migrations?",
            "strings?", "tables?", "call sites?", "callers?", "usages?", "bugs?", "functions?", "classes", "lines?",
            "queries", "scripts?", "services?", "snapshots?", "checks?", "handlers?", "translations?", "hooks?",
        ],
    ),
    // Things that are run and turn out well or badly.
    (
        "checked",
        &[
            "tests?", "test cases?", "specs?", "suites?", "test suites?", "checks?", "scenarios", "assertions",
            "smoke tests?", "typechecks?", "type checks?", "linters?", "lint", "benchmarks?",
        ],
    ),
    (
        "pipeline",
        &[
            "ci", "ci run", "pipelines?", "workflows?", "github actions?", "gitlab ci", "jenkins", "circleci",
            "travis", "buildkite", "actions run", "check runs?", "nightly(?: build| run)?", "builds?",
            "(?:ci|lint|build|test|deploy|release) jobs?",
        ],
    ),
    (
        "environment",
        &[
            "production", "prod", "staging", "stage", "preview", "beta", "canary", "qa", "uat", "testflight", "live",
            "(?:prod|production|staging|live|beta|canary|demo|preview) (?:server|cluster|environment|track|system|host|site)",
        ],
    ),
    (
        "version",
        &[
            r"(?:version|release|build|tag|image|revision|hotfix|rc)(?: candidate)? ?#?v?\d[\w.+-]*",
            r"release candidate \d+",
            r"v\d+(?:\.\d+)*(?:-[\w.]+)?",
            r"\d+\.\d+\.\d+(?:-[\w.]+)?",
        ],
    ),
    // Whose doings a session is about.
    (
        "actor",
        &[
            "i", "we", "you", "he", "she", "they", "the user", "user", "the team", "the agent", "agent",
            "the assistant", "assistant", "the reviewer", "the developer", "the session", "this session",
            "the model", "the colleague", "the customer", "the client", "someone", "nobody", "everybody",
        ],
    ),
    ("weekday", &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]),
    // What fails, as a symptom.
    (
        "fails",
        &[
            "fails?", "failing", "crash(?:es|ing)?", "hangs?", "hanging", "freezes?", "flickers?", "segfaults?",
            "deadlocks?", "breaks?", "broken", "leaks?", "errors? out", "times? out", "timing out", "does nothing",
            "do nothing", "throws?", "is slow", "are slow", "is wrong", "are wrong", "is empty", "are empty",
            "is missing", "are missing", "is blank", "is stuck", "returns? (?:an? )?(?:error|4\\d\\d|5\\d\\d|null|nothing)",
            "does not \\w+", "doesn't \\w+", "do not \\w+", "don't \\w+", "no longer \\w+", "stopped \\w+ing",
            "is off", "are off", "jumps?", "loses?", "duplicates?",
        ],
    ),
    // A count in words or digits, in the languages of the tables.
    ("hancount", &["[0-9]+", "[一二三四五六七八九十百千两兩几幾]+"]),
    (
        "handone",
        &[
            "完成", "修复", "修復", "修好", "实现", "實現", "实作", "實作", "通过", "通過", "合并", "合併", "添加", "新增", "增加", "更新",
            "删除", "刪除", "移除", "重构", "重構", "重写", "重寫", "迁移", "遷移", "解决", "解決", "补齐", "補齊", "补上", "提交", "改成",
            "改为", "改好", "替换", "替換", "升级", "升級", "测试", "測試", "写完", "寫完", "做完", "改完", "跑完", "跑通", "搞定", "处理",
            "處理", "验证", "驗證", "调整", "調整", "优化", "優化", "拆分", "抽取", "接入", "整理", "结束", "結束", "修改", "编写", "編寫",
        ],
    ),
    (
        "jadone",
        &[
            "完了", "修正", "実装", "追加", "移行", "対応", "解決", "更新", "削除", "変更", "通過", "成功", "合格", "統合", "作成", "終了",
            "改修", "改善", "導入", "整理", "分離", "分割", "確認", "検証", "テスト", "リファクタリング", "リネーム", "アップグレード",
            "置換", "調査", "着手", "開始", "コミット", "プッシュ", "レビュー",
        ],
    ),
    (
        "kodone",
        &[
            "완료", "수정", "구현", "추가", "이전", "해결", "갱신", "삭제", "변경", "통과", "성공", "작성", "반영", "리팩터링", "리팩토링",
            "적용", "마이그레이션", "업데이트", "정리", "교체", "도입", "분리", "확인", "검증", "테스트", "제거", "개선", "조사", "시작",
            "종료", "업그레이드", "커밋", "푸시", "연결", "처리",
        ],
    ),
    // What makes a line of Chinese, Japanese or Korean speak of a place in the code.
    ("cjkcode", &[r"[\w./-]+\.[a-z]{1,4}", "文件", "檔案", "函数", "函數", "模块", "模組", "ファイル", "関数", "モジュール", "파일", "함수", "모듈"]),
];

/// Classes that are made from the tables of verbs.
pub(super) const GENERATED: &[(&str, fn() -> Vec<String>)] = &[("done", verbs::work_participles)];
