//! The context that every use case is given: the environment, the clock, new ids, and the settings of the command line.

use std::path::{Path, PathBuf};

use crate::config::{Settings, SettingsSources};
use crate::render::Scope;
use crate::store::{
    Beginning, Creation, Journal, MAX_FILE, Place, Store, StoreError, keep_connection, last_connection,
    read_settings,
};
use crate::sys::{self, Clock, Env, Ids, SysError};

use super::stores::note_projects;
use super::{FoundBy, ServiceError};

/// The machine and the call, as a use case sees them.
#[derive(Clone)]
pub struct Context {
    /// Variables and the current folder.
    pub env: Env,
    /// The time.
    pub clock: Clock,
    /// New ids.
    pub ids: Ids,
    /// The store that is meant.
    pub scope: Scope,
    /// The name of the store that stands for the workspace's, where a person named one.
    pub store: Option<String>,
    /// `key=value` settings of the command line.
    pub flags: Vec<(String, String)>,
}

impl Context {
    /// The context of a real process.
    pub fn real(env: Env, scope: Scope, flags: Vec<(String, String)>) -> Result<Self, SysError> {
        let clock = Clock::from_env(&env)?;
        Ok(Self {
            env,
            clock,
            ids: Ids::random(),
            scope,
            store: None,
            flags,
        })
    }

    /// The same for the global store.
    #[must_use]
    pub fn global(&self) -> Self {
        Self {
            scope: Scope::Global,
            ..self.clone()
        }
    }

    /// The folder of the stores.
    pub fn home(&self) -> Result<PathBuf, ServiceError> {
        Ok(self.env.mdmem_home()?)
    }

    /// The place of the store that is meant.
    pub fn place(&self) -> Result<Place, ServiceError> {
        Ok(match (self.scope, &self.store) {
            (Scope::Global, _) => Place::global(&self.home()?),
            (Scope::Workspace, Some(name)) => Place::named(&self.home()?, name)?,
            (Scope::Workspace, None) => self.here()?,
        })
    }

    /// The place of the present folder's store, whichever is meant.
    pub(super) fn here(&self) -> Result<Place, ServiceError> {
        let user_home = self.env.home().ok();
        Ok(Place::of(
            self.env.current_dir(),
            &self.home()?,
            user_home.as_deref(),
        )?)
    }

    /// The folder whose files memories speak of: the top of the git work tree that somebody works in, which may be a
    /// linked one, else the root of the workspace.
    pub(super) fn work_tree(&self, place: &Place) -> Option<PathBuf> {
        let (root, here) = (place.workspace.as_ref()?.root(), self.env.current_dir());
        let is_elsewhere = place.found != FoundBy::Named && !here.starts_with(root);
        let linked = here.ancestors().find(|above| above.join(".git").exists());
        Some(linked.filter(|_| is_elsewhere).unwrap_or(root).to_owned())
    }

    /// Writes down that the workspace has moved, where its store was found by that, and gives its old place. Where that
    /// cannot be written, the store is found all the same.
    pub fn mend_link(&self) -> Option<PathBuf> {
        let place = self.place().ok()?;
        let mended = place.mend_link().unwrap_or_else(|error| {
            tracing::debug!(%error, "the link of a moved workspace could not be updated");
            None
        });
        if let Some(from) = &mended {
            tracing::info!("the workspace {}: linked its store again", was_before(from));
            note_projects(self);
        }
        if let Some(name) = place.store_before() {
            tracing::info!("the store `{name}` belongs to another project that was here before");
        }
        mended
    }

    /// The pending writes of the store at `root`; without a home there are none.
    pub(super) fn journal(&self, root: &Path) -> Option<Journal> {
        Some(Journal::of(&self.env.state_home().ok()?, root))
    }

    /// Notes that the plugin of an agent has connected with the store at `root`. This is for people alone: where it
    /// cannot be written, nothing else fails.
    pub fn note_connection(&self, root: &Path, host: &str, version: &str) {
        let who = format!("{host} {version}, at {}", self.clock.now());
        let kept = self
            .env
            .state_home()
            .and_then(|state| keep_connection(&state, root, &who));
        if let Err(error) = kept {
            tracing::debug!(%error, "the connection of a plugin could not be noted");
        }
    }

    /// The last connection of a plugin with the store at `root`.
    pub(super) fn last_connection(&self, root: &Path) -> Option<String> {
        last_connection(&self.env.state_home().ok()?, root)
    }

    /// The same for a session in this folder: where no workspace can be, as in the home folder, the global store's; so it is
    /// in the global store's own folder.
    pub fn of_session(&self) -> Result<Self, ServiceError> {
        match self.place() {
            Err(ServiceError::Store(StoreError::NotAWorkspace { .. })) => Ok(self.global()),
            Ok(place) if place.is_global() => Ok(self.global()),
            place => place.map(|_| self.clone()),
        }
    }

    /// The settings around a store's own: the user's file, the environment, the flags.
    pub fn sources(&self) -> Result<SettingsSources, ServiceError> {
        // Without a home there is no file of the user's.
        let path = match self.env.config_file() {
            Ok(path) => Some(path),
            Err(SysError::NoHome(_)) => None,
            Err(error) => return Err(error.into()),
        };
        let read = |path: PathBuf| {
            let bytes =
                sys::read_regular(&path, MAX_FILE).map_err(|error| SysError::io("read", &path, error))?;
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            Ok::<_, SysError>(bytes.map(|bytes| (path, text(bytes))))
        };
        let user = path.map(read).transpose()?.flatten();
        let variables = ["MDMEM_", "EDITOR", "VISUAL"]
            .into_iter()
            .flat_map(|prefix| self.env.vars_with_prefix(prefix));
        let environment = variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Ok(SettingsSources {
            user,
            environment,
            flags: self.flags.clone(),
            state_home: self.env.state_home().ok(),
            agents_shell: self.env.agents_shell(),
        })
    }

    /// The settings in force for the store that is meant, of which only the file of its settings is looked at. Without a
    /// store, or where its file cannot be read, those around it.
    pub fn settings(&self) -> Settings {
        let Ok(sources) = self.sources() else {
            return Settings::default();
        };
        let of_store = self
            .place()
            .ok()
            .and_then(|place| read_settings(&place.root, &sources).ok());
        of_store.unwrap_or_else(|| sources.settings(None))
    }

    /// Opens the store that is meant.
    pub fn open(&self) -> Result<Store, ServiceError> {
        Ok(Store::open(self.place()?, &self.sources()?, self.clock.clone())?)
    }

    /// Opens the store that is meant, or `None` where there is none yet.
    pub fn open_existing(&self) -> Result<Option<Store>, ServiceError> {
        none_where_absent(self.open())
    }

    /// Opens the global store, where there is one.
    pub fn open_global(&self) -> Result<Option<Store>, ServiceError> {
        let place = Place::global(&self.home()?);
        none_where_absent(
            Store::open(place, &self.sources()?, self.clock.clone()).map_err(ServiceError::from),
        )
    }

    /// True when a store that is open already need not be opened again.
    pub(super) fn is_current(&self, store: &Store) -> Result<bool, ServiceError> {
        Ok(store.is_current(&self.sources()?))
    }

    /// Opens the store that is meant, and makes it where there is none.
    pub fn open_or_create(&self, beginning: Beginning) -> Result<(Store, Creation), ServiceError> {
        let (sources, clock) = (self.sources()?, self.clock.clone());
        let made = Store::create(self.place()?, beginning, &sources, clock)?;
        if made.1 != Creation::Existed {
            note_projects(self);
        }
        Ok(made)
    }
}

/// Says of a workspace that moved where it was, or that another project has its place.
pub fn was_before(from: &Path) -> String {
    if from.as_os_str().is_empty() {
        "made room for another project".to_owned()
    } else {
        format!("was {} before", from.display())
    }
}

fn none_where_absent(opened: Result<Store, ServiceError>) -> Result<Option<Store>, ServiceError> {
    match opened {
        Ok(store) => Ok(Some(store)),
        Err(ServiceError::Store(StoreError::Absent { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}
