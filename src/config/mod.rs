//! Settings: default < user < store < environment < flags; each value knows where it came from.
//!
//! Nothing is read here: the caller hands over the texts of the two files, the variables and the flags. A setting
//! that is wrong is a [`Problem`] beside the settings, so that a typo never keeps anyone from their memories; the
//! caller decides what a problem stops.

mod catalog;
mod layers;
mod nearest;
mod origin;
mod problem;
mod settings;
mod value;
mod write;

pub use catalog::Scope;
pub use layers::{FlagError, SettingsSources, read_flag};
pub use origin::Origin;
pub use problem::{Fault, Problem};
pub use settings::{
    FORMAT, GlobalTools, PassModel, PassSettings, PatternList, Setting, Settings, SyncSettings, WatchSettings,
};
pub use write::{insert_table, set, unset};
