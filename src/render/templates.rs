//! The texts that we serve, embedded, each compiled once.

use std::sync::OnceLock;

use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

/// An embedded text with places for values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Template {
    Ranked,
    Pinned,
    Tree,
    Hot,
    Numbered,
    Compaction,
    Index,
    CommitSubject,
}

const SOURCES: [(Template, &str); 8] = [
    (
        Template::Ranked,
        include_str!("../../templates/prompt/ranked.txt"),
    ),
    (
        Template::Pinned,
        include_str!("../../templates/prompt/pinned.txt"),
    ),
    (Template::Tree, include_str!("../../templates/prompt/tree.txt")),
    (Template::Hot, include_str!("../../templates/prompt/hot.txt")),
    (
        Template::Numbered,
        include_str!("../../templates/prompt/numbered.txt"),
    ),
    (
        Template::Compaction,
        include_str!("../../templates/opencode/compaction.md"),
    ),
    (Template::Index, include_str!("../../templates/index.md")),
    (
        Template::CommitSubject,
        include_str!("../../templates/commit/subject.txt"),
    ),
];

impl Template {
    const fn name(self) -> &'static str {
        match self {
            Self::Ranked => "ranked",
            Self::Pinned => "pinned",
            Self::Tree => "tree",
            Self::Hot => "hot",
            Self::Numbered => "numbered",
            Self::Compaction => "compaction",
            Self::Index => "index",
            Self::CommitSubject => "commit_subject",
        }
    }

    /// The text with these values in it.
    pub(super) fn render(self, values: Value) -> String {
        let template = environment()
            .get_template(self.name())
            .expect("because every template is added where the environment is made");
        template
            .render(values)
            .expect("because the caller gives every value that the template names, and a test renders each")
    }

    /// How many characters that makes.
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
        for (template, source) in SOURCES {
            environment
                .add_template(template.name(), source)
                .expect("because the templates are part of the program, and a test compiles them");
        }
        environment
    })
}
