//! The plans that a host's conversations wrote down: files of known folders, by name alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::archive::Conversation;
use crate::sys;

use super::super::ServiceError;
use super::{Chosen, Past, PastError, Reach, SubAgents};

/// The folder of plans in a workspace.
const FOLDER: &str = ".opencode/plans";
/// The most bytes of a plan.
const MOST_BYTES: u64 = 4 << 20;

/// A plan.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The name of its file, without credentials.
    pub name: String,
    /// The bytes of its text.
    pub size: u64,
    /// The conversation that wrote it, where that is known.
    pub conversation: Option<Conversation>,
    root: PathBuf,
    path: PathBuf,
}

impl Plan {
    /// The name of its file as it is.
    fn file_name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl Past {
    /// The plans, by name: those in the workspace, and those of its conversations that lie beside the host's database.
    pub fn plans(&self, reach: Reach) -> Result<Vec<Plan>, ServiceError> {
        let subagents = SubAgents::With;
        let chosen = self.chosen(Chosen { reach, subagents })?;
        let mut of: BTreeMap<String, Conversation> = BTreeMap::new();
        for (_, conversation) in chosen {
            if let Some(plan) = conversation.plan.clone() {
                of.insert(plan, self.shown(conversation));
            }
        }
        let mut folders: BTreeSet<(PathBuf, &str)> = BTreeSet::new();
        folders.extend(self.workspace.clone().map(|root| (root, FOLDER)));
        let beside = self.archives.iter().flat_map(|archive| archive.plan_folders());
        folders.extend(beside.map(|folder| (folder, "")));
        let mut plans = Vec::new();
        for (root, folder) in folders {
            let is_own = !folder.is_empty();
            let entries = root.join(folder).read_dir().into_iter().flatten().flatten();
            for entry in entries {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = Path::new(folder).join(&name);
                let conversation = of.get(&name).cloned();
                // A link, also of the folder, is none: its target may lie anywhere.
                if let (true, true, Ok(Some(stat))) = (
                    name.ends_with(".md"),
                    is_own || conversation.is_some(),
                    sys::stat(&root, &path),
                ) {
                    let root = root.clone();
                    let size = stat.size;
                    plans.push(Plan {
                        name: self.redactor.redact_path(&name),
                        size,
                        conversation,
                        root,
                        path,
                    });
                }
            }
        }
        plans.sort_by(|a, b| b.path.file_name().cmp(&a.path.file_name()));
        Ok(plans)
    }

    /// The text of a plan.
    pub fn plan(&self, name: &str, reach: Reach) -> Result<(Plan, String), ServiceError> {
        let unknown = || PastError::NoPlan(name.to_owned());
        let mut parts = Path::new(name).components();
        let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else {
            return Err(unknown().into());
        };
        let names = |plan: &Plan| [plan.name.clone(), plan.file_name()];
        let is_named = |it: &String| it == name || it.strip_suffix(".md") == Some(name);
        let is_it = |plan: &Plan| names(plan).iter().any(is_named);
        let plan = self.plans(reach)?.into_iter().find(is_it).ok_or_else(unknown)?;
        let text = sys::read(&plan.root, &plan.path, MOST_BYTES)?.into_text();
        let text = self.redactor.redact(&text).into_owned();
        Ok((plan, text))
    }
}
