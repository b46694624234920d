//! One store on many machines: where it is exchanged, what another machine's history would change here, whether that
//! may be applied, and what may leave this machine. The network is `git`'s, the rules of merging are `merge`'s.

mod address;
mod error;
mod git_merge;
mod incoming;
mod plan;
mod quarantine;
mod seen;

pub use address::{Exchange, check_branch, check_branch_name, check_no_token, check_not_own};
pub use error::SyncError;
pub use git_merge::{CompletionPlan, plan_completion};
pub use incoming::check_incoming;
pub use plan::{MergePlan, plan_join, plan_merge};
pub use quarantine::{Descent, Quarantine, judge};
pub use seen::{accept, check_outgoing, check_trusted, not_taken_over, set_seen};
