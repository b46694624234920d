//! `mdmem add`

use clap::{Args, ValueEnum};

/// Remember one fact
///
/// The words are joined by spaces; without any, or with `-`, the text is read from standard input. A fact that is
/// remembered already is not stored again: the memory that says it is reinforced. The store is created where there
/// is none.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem add Tests run with cargo nextest
  mdmem add -t decision \"Use npm cache, not npm link\" --why \"npm link breaks peer dependencies\"
  git log -1 --format=%s | mdmem add -")]
pub(crate) struct AddArgs {
    /// What to remember
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,

    /// Its type: feedback, decision, project, reference, user, or one from mdmem.toml [default: project]
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,

    /// The reason for it
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,

    /// How much it matters
    #[arg(long, value_enum, value_name = "IMPORTANCE", default_value_t)]
    pub(crate) importance: ImportanceArg,

    /// Who says so: the user (explicit), or a tool or a hand (manual)
    #[arg(long, value_enum, value_name = "SOURCE", default_value_t)]
    pub(crate) source: SourceArg,
}

/// `importance:` of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ImportanceArg {
    Low,
    #[default]
    Normal,
    High,
}

/// `source:` of a memory that is added by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum SourceArg {
    #[default]
    Explicit,
    Manual,
}
