//! The texts that we serve, embedded, each compiled once.

use std::sync::OnceLock;

use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

/// An embedded text with places for values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Template {
    Ranked,
    Pinned,
    Tree,
    LeftOut,
    Fence,
    Hot,
    Numbered,
    Compaction,
    Index,
    Conflicts,
    Projects,
    CommitSubject,
    Extraction,
    Reconciling,
    Contradictions,
}

/// The name and the text of each template, in the order of [`Template`].
const SOURCES: [(&str, &str); 15] = [
    ("ranked", include_str!("../../templates/prompt/ranked.txt")),
    ("pinned", include_str!("../../templates/prompt/pinned.txt")),
    ("tree", include_str!("../../templates/prompt/tree.txt")),
    ("left_out", include_str!("../../templates/prompt/left_out.txt")),
    ("fence", include_str!("../../templates/prompt/fence.txt")),
    ("hot", include_str!("../../templates/prompt/hot.txt")),
    ("numbered", include_str!("../../templates/prompt/numbered.txt")),
    (
        "compaction",
        include_str!("../../templates/opencode/compaction.md"),
    ),
    ("index", include_str!("../../templates/index.md")),
    ("conflicts", include_str!("../../templates/conflicts.md")),
    ("projects", include_str!("../../templates/projects.md")),
    (
        "commit_subject",
        include_str!("../../templates/commit/subject.txt"),
    ),
    ("extraction", include_str!("../../templates/passes/extract.txt")),
    (
        "reconciling",
        include_str!("../../templates/passes/reconcile.txt"),
    ),
    (
        "contradictions",
        include_str!("../../templates/prompt/contradictions.txt"),
    ),
];

impl Template {
    /// The text with these values in it.
    pub(super) fn render(self, values: Value) -> String {
        let template = environment()
            .get_template(SOURCES[self as usize].0)
            .expect("because every template is added where the environment is made");
        template
            .render(values)
            .expect("because the caller gives every value that the template names, and a test renders each")
    }

    /// The number of characters in the text with these values.
    pub(super) fn chars(self, values: Value) -> usize {
        self.render(values).chars().count()
    }
}

fn environment() -> &'static Environment<'static> {
    static ENVIRONMENT: OnceLock<Environment<'static>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        for (name, source) in SOURCES {
            environment
                .add_template(name, source)
                .expect("because the templates are part of the program, and a test compiles them");
        }
        environment
    })
}
