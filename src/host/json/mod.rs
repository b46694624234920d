//! The JSON forms that any host shows: a memory, a change and its commit, a finding. Each is named by the words of
//! the frontmatter and of the command line; the forms of one command alone stay with that command.

mod change;

pub(crate) use change::{merged, with_commit, with_left_out, with_outcome};
