//! The folder: load, put, edit, move, remove; one writer; the registry of workspaces.
//!
//! The store knows files, commits and caches; it decides nothing about memories (that is `policy`) and says nothing
//! to people (that is the hosts').

mod allowed;
mod cache;
mod contents;
mod create;
mod difference;
mod error;
mod findings;
mod held;
mod history;
mod identity;
mod lists;
mod load;
mod loss;
mod naming;
mod open;
mod outgoing;
mod outputs;
mod place;
mod reading;
mod recovery;
mod registry;
mod replacement;
mod safeguard;
mod sessions;
mod snapshot;
mod sweep;
mod transition;
mod workspace;
mod writer;

pub use allowed::{Allowance, Allowed};
pub use cache::{Vectors, keep_looked_for, keep_vectors, read_looked_for, read_vectors};
pub use contents::{
    CONFLICTS, CONTRADICTIONS, FORGOTTEN, FileRole, INDEX, LOCAL, MAX_FILE, PROTOCOL, SETTINGS, folder_kind,
    own_name_of_folder, role,
};
pub use create::{
    Beginning, Creation, StoreBeside, built_in_protocol, make_private_folder, repinned_protocol,
};
pub use difference::Description;
pub use difference::{Change, Tree, difference};
pub use error::StoreError;
pub use findings::Finding;
pub use held::{Held, HoldCause};
pub use identity::Identity;
pub use identity::RemoteAddress;
pub use lists::OpenContradiction;
pub use load::Loaded;
pub use loss::Loss;
pub use naming::{TakenPaths, free_path, free_path_in};
pub use open::{Store, WayOfReading, read_settings};
pub use outgoing::Leak;
pub use outputs::{KeptOutput, KeptOutputs, output_name};
pub use outputs::{keep_connection, last_connection};
pub use place::{Found, Place};
pub use reading::StoredFile;
pub use recovery::Unfinished;
pub use registry::Registration;
pub use registry::Registry;
pub use replacement::Replacement;
pub use safeguard::Safeguard;
pub use sessions::{
    FrozenPrompt, Journal, SessionFiles, SessionFolder, Sessions, Waiting, WaitingWrite, Waits, session_hash,
};
pub use snapshot::{OtherFile, Snapshot};
pub use sweep::{MassDeletion, Sweep};
pub use transition::{LeftOut, Target};
pub use workspace::{Presence, Workspace};
pub use writer::{CommitOutcome, WAIT_FOR_WRITER, Writer};
