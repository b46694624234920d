//! One function per use case, with its request and its response; every host calls these.

mod accounting;
mod add;
mod adding;
mod allow;
mod background;
mod change;
mod changed_file;
mod check;
mod contender;
mod context;
mod conversation;
mod create;
pub mod diag;
mod diff;
mod edit;
mod edit_copy;
mod engine_log;
mod epoch;
mod error;
mod frozen_sessions;
mod health_check;
mod import;
mod install;
mod list;
mod log;
mod open_store;
mod past_memory;
mod point;
mod prompt;
mod ranking;
mod remove;
mod rename;
mod restore;
mod select_memory;
mod settings;
mod show;
mod status;
mod sweep;
mod tidy;
mod touched;
mod undo;
mod undo_choice;
mod watch;
mod why;

pub use add::{AddRequest, Added, Reinforced, add};
pub use allow::{AllowReport, AllowedFile, RevokeReport, allow, allowances, revoke};
pub use background::Background;
pub use change::{Aftermath, Changed};
pub use changed_file::{ChangeKind, ChangedFile};
pub use check::{CheckRequest, check};
pub use context::Context;
pub use conversation::{
    CompactionRequest, Conversations, Heard, HeardMemory, HeardOutcome, Learned, LearnedLine, MemoryAdd,
    MemoryAdded, ToolReport, UserMessage,
};
pub use create::{Created, create};
pub use diff::{DiffRequest, DiffSide, Differences, FileDifference, diff};
pub use edit::{Edited, Original, original, save, validate};
pub use edit_copy::EditCopy;
pub use engine_log::{EngineLine, EngineLog, EngineLogReader, Level, LogEvent, engine_troubles};
pub use epoch::{Epoch, PromptServer, ServedPrompt, SessionRequest};
pub use error::ServiceError;
pub use health_check::HealthCheck;
pub use import::{
    Import, ImportError, ImportFate, ImportedItem, Incoming, import, plan_import,
    read_opencode_working_memory,
};
pub use install::{InstallFor, InstallState, Installed, install_opencode};
pub use list::{ListOrder, ListRequest, ListScope, Listing, list};
pub use log::{LogEntry, LogRequest, log};
pub use point::{Point, commit_at, resolve_point};
pub use prompt::{OpenStores, PromptFate, PromptRequest, RenderedPrompt, render_prompt};
pub use ranking::{MemoryView, Ranking};
pub use remove::{RemoveRequest, Removed, plan_removal, remove};
pub use rename::{RenameRequest, Renaming, plan_rename, rename};
pub use restore::{RestoreRequest, Restored, plan_restore, restore};
pub use select_memory::{NameError, Named, select_memory};
pub use settings::{SettingChange, SettingChanged, SettingsFile, SettingsReport, change_setting, settings};
pub use show::{ShowRequest, Shown, path, show};
pub use status::{Counts, StoreStatus, status};
pub use sweep::{Swept, plan_sweep, sweep};
pub use tidy::{Tidied, TidyStep, plan_tidy, tidy};
pub use undo::{UndoDirection, Undone, plan_undo, undo};
pub use watch::{Continue, WatchReport, WatchState, watch};
pub use why::{Explanation, WhyRequest, why};

pub use crate::capture::FileAction;
pub use crate::git::{DiffLine, DiffLineKind, GitError, Obstacle, line_diff};
pub use crate::policy::{AdditionOutcome, ContextUse, Fate, FileFate, Rank, Reason, Strength};
pub use crate::render::{Scope, Todo};
pub use crate::store::{
    Allowance, Change, CommitOutcome, Creation, Finding, Held, LooseFiles, MassDeletion, Store, StoreError,
    Sweep,
};
