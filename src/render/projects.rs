//! projects.md: the workspaces of this machine, for an agent that works in another one of them.

use minijinja::{Value, context};

use super::templates::Template;
use crate::policy::plain;

/// A workspace with a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// The address of its repository, without what gives access.
    pub remote: String,
    /// The day of its last activity.
    pub last: String,
    /// The state that is worth a word.
    pub state: &'static str,
}

/// The page.
pub fn projects_page(projects: &[Project]) -> String {
    let plain = |text: &str| plain(text).collect::<String>();
    let store = |project: &Project| {
        context! {
            name => plain(&project.name),
            path => plain(&project.path),
            remote => plain(&project.remote),
            last => &project.last,
            state => project.state,
        }
    };
    let stores: Vec<Value> = projects.iter().map(store).collect();
    Template::Projects.render(context! { stores }) + "\n"
}
