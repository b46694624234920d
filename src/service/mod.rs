//! One function per use case, with its request and its response; every host calls these.

mod accounting;
mod add;
mod adding;
mod agents_shell;
mod allow;
mod at_login;
mod background;
mod change;
mod check;
mod completions;
mod conflicts;
mod context;
mod conversation;
mod create;
mod curve;
mod diff;
mod edit;
mod epoch;
mod error;
mod exchange;
mod export;
mod forget;
mod forgotten_elsewhere;
mod frozen_sessions;
mod git_merge;
mod gone;
mod import;
mod install;
mod kept_conversations;
mod learn;
mod ledger;
mod link;
mod links;
mod list;
mod log;
mod meaning;
mod merge_file;
mod name_cover;
mod no_longer_said;
mod open_store;
mod passes;
mod past_memory;
mod point;
mod promote;
mod prompt;
mod ranking;
mod reconcile;
mod remote;
mod remove;
mod rename;
mod restore;
mod search;
mod select_memory;
mod settings;
mod shared_files;
mod show;
mod stored_sessions;
mod stores;
mod suggestions;
mod sweep;
mod sync;
mod tidy;
mod undo;
mod undo_plan;
mod verify;
mod view;
mod watch;
mod why;

pub use add::{AddRequest, Added, Reinforced, add};
pub use allow::{AllowedFile, Files, RevokedFile, allow, allowances, revoke};
pub use at_login::{LoginFile, LoginService, install_login_service, remove_login_service};
pub use background::{Background, StoreReport, watch_all};
pub use change::{Aftermath, ChangeKind, Changed, ChangedFile, Done, FileChange, Run};
pub use check::{Counts, Fixed, StoreStatus, check, fix, status};
pub use completions::{Completable, completions};
pub use conflicts::{
    Conflict, ConflictSide, Contradicted, Keep, SetAside, Settled, conflicts, settle, settle_by_text,
};
pub use context::{Context, was_before};
pub use conversation::{
    AfterTurn, Answered, Asking, CompactionRefusal, ContextAdvice, ContextView, Conversations, FactChange,
    Heard, HeardLine, Leave, MemoryAdd, MemoryEdit, MemoryWrite, News, Overview, SessionBeginning,
    SessionMemory, SessionMemoryShown, SessionRefusal, ToolChange, ToolMemory, ToolRead, ToolRefusal,
    ToolReport, ToolTree, TreeLine, WhyRefused, has_request, settle_waiting, waiting,
};
pub use create::{Starter, create, write_starter};
pub use curve::{Curve, curve, curve_svg};
pub use diff::{Differences, FileDifference, diff, diff_of_step};
pub use edit::{EditCopy, Original, original, save, validate};
pub use epoch::{Epoch, MOST_OF_A_HOOK, PromptServer, PromptTiming, ServedPrompt, SessionRequest};
pub use error::ServiceError;
pub use exchange::{ExchangeState, Failing, sync};
pub use export::{ExportForm, ExportRequest, Exported, ExportedFile, FileState, LeftBehind, export};
pub use forget::{Because, Forgetting, ForgottenMemory, Lifted, forget, forgotten, lift};
pub use forgotten_elsewhere::ForgottenElsewhere;
pub use import::{
    FORMS, Form, Import, ImportFate, ImportRequest, ImportedItem, Incoming, Wanted, import, plan_import,
    read_import,
};
pub use install::{AGENTS, Agent, EditError, Installed, OwnMemory, Setup, set_up};
pub use kept_conversations::{
    Chosen, ClaudeCode, Compaction, Conversation, ConversationError, ConversationHits, ConversationSearch,
    Facts, HitOrder, KeptConversations, Mark, Message, Page, Part, Plan, Reading, Role,
};
pub use learn::{LearnRequest, Learned, learn, learn_on_close};
pub use ledger::{Ledger, LedgerEntry, LeftOutBy, ledger};
pub use link::{Linked, ServedStore, akin_stores, link, link_new};
pub use list::{ListOrder, ListRequest, Listed, Listing, choices, list};
pub use log::{
    Decision, EngineLine, EngineLog, Level, LogEvent, LogRequest, LoggedStep, decisions, engine_log,
    engine_troubles, log,
};
pub use merge_file::{FileMerge, MergeFiles, MergeRule, merge_file};
pub use name_cover::name_cover;
pub use passes::{HostLife, HostModel, HostQuestion, PassFigures, PassTimer, answers_a_pass, nobody_asks};
pub use point::{Point, TIMES, commit_at, resolve_point};
pub use promote::{PROMOTION_FILES, Promote, Promotion, promote};
pub use prompt::{OpenStores, PromptFate, PromptRequest, RenderedPrompt, render_prompt};
pub use ranking::{MemoryView, Ranking};
pub use reconcile::{ReconcileFigures, Reconciled, Reconciliation, ask_to_reconcile};
pub use remote::{Cloned, RemoteState, clone, has_shared_remote, remote, set_remote, stores_with_remote};
pub use remove::{Removed, remove};
pub use rename::{Destination, Renaming, rename};
pub use restore::{Restored, Restoring, restore, what_to_restore};
pub use search::{Found, FoundPassage, Hit, Neighbour, SearchRequest, Searches};
pub use select_memory::NameError;
pub use settings::{Repinned, SettingChange, SettingsReport, Unshown, change_setting, pager, settings};
pub use show::{Shown, path, show};
pub use stored_sessions::{HandedOver, SessionContext, contexts, hand_over};
pub use stores::{KnownStore, PRESENT, stores};
pub use suggestions::{Suggestion, accept, accept_memory, by_agents, dismiss, suggestions};
pub use sweep::{Swept, plan_sweep, sweep};
pub use sync::{Consent, IncomingHead, Rewritten, Secrets, SyncRequest, Synced, incoming_head};
pub use tidy::{TidyStep, Tidying};
pub use undo::{Undone, UndoneChange, undo};
pub use verify::verify;
pub use view::{
    Acted, ViewExport, ViewPage, ViewRequest, Viewer, act, edited, export_view, first_page, heads,
    message_page, revision, view,
};
pub use watch::{CommitMaker, Continue, WatchReport, WatchState, watch};
pub use why::{Departure, Explanation, why};

pub use crate::capture::{FileAction, Rejection, Speaker, UserCommand, Utterance};
pub use crate::config::Settings;
pub use crate::document::Tombstone;
pub use crate::git::{CommitInfo, GitError, MERGE_CONFLICT, Mend, Network, Obstacle, Prompts, Repair, Step};
pub use crate::merge::Conflicted;
pub use crate::policy::{
    AdditionOutcome, CompactionPrompt, ContextUse, Fate, FileFate, Rank, Reason, Strength, holds_for,
};
pub use crate::render::{Scope, Todo, ToolOutput, ToolWork};
pub use crate::session::{ContextFigures, SessionList, TokenLimits, TokenUsage};
pub use crate::store::{
    Allowance, Beginning, Change, CommitOutcome, Creation, Finding, Found as FoundBy, Held, HoldCause, Leak,
    LeftOut, MAX_FILE, MassDeletion, Store, StoreError, Sweep, Unfinished, Waits,
};
pub use crate::sync::SyncError;
pub use crate::text::{counted, slip_of, some_of, strays, without_escapes, without_strays};
