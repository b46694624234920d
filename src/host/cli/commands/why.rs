//! `mdmem why`

use clap::Args;

/// Explain a memory's rank in the prompt, or its absence, in numbers
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mdmem why use-npm-cache
  mdmem why use-npm-cache --at \"30 days\"     and in a month?")]
pub(crate) struct WhyArgs {
    /// Path, slug or start of the id
    #[arg(value_name = "MEMORY")]
    pub(crate) memory: String,

    /// At this time instead of now
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
}
