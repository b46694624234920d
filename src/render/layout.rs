//! The costs of the parts of a prompt: measured on the templates themselves, so that a changed text cannot pass a
//! budget.

use minijinja::Value;

use super::templates::Template;
use super::{pinned, prompt, ranked};
use crate::model::{Kind, Memory};
use crate::policy::{Entry, Layout, Line};

/// A budget of fewer characters than this renders no line at all.
const LEAST_CHARS: usize = 80;

/// The costs of one store's blocks.
#[derive(Debug, Clone, Copy)]
pub struct PromptLayout {
    template: Template,
    pub(super) scope: Scope,
    least: usize,
    heading: usize,
    pinned_heading: usize,
}

impl PromptLayout {
    /// Measures the blocks of this scope.
    pub fn new(scope: Scope) -> Self {
        Self::of(Template::Ranked, scope, LEAST_CHARS)
    }

    /// Measures the numbered list of a compaction prompt, which says nothing of the scope.
    pub(super) fn numbered() -> Self {
        Self::of(Template::Numbered, Scope::Workspace, 0)
    }

    fn of(template: Template, scope: Scope, least: usize) -> Self {
        Self {
            template,
            scope,
            least,
            heading: template.chars(ranked::values(scope, Vec::new())),
            pinned_heading: Template::Pinned.chars(pinned::values(scope, Vec::new(), &[], false)),
        }
    }

    fn section_with(&self, kind: &Kind, lines: Vec<Value>) -> usize {
        let section = vec![ranked::heading(kind, lines)];
        self.template.chars(ranked::values(self.scope, section)) - self.heading
    }
}

impl Layout for PromptLayout {
    fn least(&self) -> usize {
        self.least
    }

    fn heading(&self) -> usize {
        self.heading
    }

    fn section(&self, kind: &Kind) -> usize {
        self.section_with(kind, Vec::new())
    }

    fn line(&self, line: &Line, number: usize) -> usize {
        let kind = Kind::default();
        self.section_with(&kind, vec![ranked::line(line, number)]) - self.section(&kind)
    }

    fn pinned_heading(&self) -> usize {
        self.pinned_heading
    }

    fn pinned_file(&self, entry: &Entry<'_>) -> usize {
        let file = vec![pinned::file(entry)];
        Template::Pinned.chars(pinned::values(self.scope, file, &[], false)) - self.pinned_heading
    }

    fn pinned_left_out(&self, files: &[&Memory]) -> usize {
        Template::Pinned.chars(pinned::values(self.scope, Vec::new(), files, false)) - self.pinned_heading
    }

    fn block_break(&self) -> usize {
        prompt::BREAK.len()
    }
}

/// The store to which a block of the prompt belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The global store: holds in every workspace.
    Global,
    /// The workspace's own.
    #[default]
    Workspace,
}

impl Scope {
    /// The word for it in tables, JSON and templates.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Workspace => "workspace",
        }
    }
}
