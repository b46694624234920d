//! The plans that a host's conversations wrote down: files of known folders, by name alone.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use crate::sys;

use super::{Chosen, ConversationError, KeptConversations, ServiceError};

/// The folder of plans in a workspace.
const FOLDER: &str = ".opencode/plans";
/// The most bytes of a plan.
const MOST_BYTES: u64 = 4 << 20;

/// A plan.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// The name of its file, without credentials.
    pub name: String,
    /// The bytes of its text.
    pub size: u64,
    /// The id of the conversation that wrote it, where that is known.
    pub session: Option<String>,
    /// The title of that.
    pub title: Option<String>,
    /// Its text, where one is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip)]
    root: PathBuf,
    #[serde(skip)]
    path: PathBuf,
}

impl KeptConversations {
    /// The plans, by name: those in the workspace, and those of its conversations that lie beside the host's database.
    pub fn plans(&self, chosen: Chosen) -> Result<Vec<Plan>, ServiceError> {
        let subagents = true;
        let conversations = self.conversations(Chosen { subagents, ..chosen })?;
        let of = conversations.iter().filter_map(|of| Some((of.plan.clone()?, of)));
        let of: BTreeMap<String, _> = of.collect();
        let own = self.workspace.clone().map(|root| (root, FOLDER));
        let beside = self.readers.iter().filter_map(|reader| reader.plans());
        let mut plans = Vec::new();
        for (root, folder) in own.into_iter().chain(beside.map(|root| (root, ""))) {
            for entry in root.join(folder).read_dir().into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = Path::new(folder).join(&name);
                let conversation = of.get(&name);
                let is_meant = name.ends_with(".md") && (!folder.is_empty() || conversation.is_some());
                // A link, also of the folder, is none: its target may lie anywhere.
                if let (true, Ok(Some(stat))) = (is_meant, sys::stat(&root, &path)) {
                    plans.push(Plan {
                        name: self.redactor.redact_path(&name),
                        size: stat.size,
                        session: conversation.map(|of| of.id.clone()),
                        title: conversation.map(|of| of.title.clone()),
                        text: None,
                        root: root.clone(),
                        path,
                    });
                }
            }
        }
        plans.sort_by(|a, b| b.path.file_name().cmp(&a.path.file_name()));
        Ok(plans)
    }

    /// A plan with its text.
    pub fn plan(&self, name: &str, chosen: Chosen) -> Result<Plan, ServiceError> {
        let unknown = || {
            let what = format!("no plan `{}`", name.escape_debug());
            ConversationError::new(what, "`mdmem sessions plans` lists them.")
        };
        let mut parts = Path::new(name).components();
        let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else {
            return Err(unknown().into());
        };
        let is_named = |it: &str| it == name || it.strip_suffix(".md") == Some(name);
        let is_it = |plan: &Plan| {
            let file = plan.path.file_name().unwrap_or_default();
            is_named(&plan.name) || is_named(&file.to_string_lossy())
        };
        let mut plan = self.plans(chosen)?.into_iter().find(is_it).ok_or_else(unknown)?;
        let text = sys::read(&plan.root, &plan.path, MOST_BYTES)?.into_text();
        plan.text = Some(self.redactor.redact(&text).into_owned());
        Ok(plan)
    }
}
