//! The tree of cold files: a line for each, as many as fit, and a last line that names the folders of the others.

use std::collections::{BTreeMap, HashMap};

use minijinja::{Value, context};

use super::layout::Scope;
use super::templates::Template;
use crate::model::Memory;
use crate::policy::{TreeRules, as_plain, cut, holds_for, plain};

/// Folders that the last line names.
const NAMED_FOLDERS: usize = 5;
/// Characters of a folder's name there.
const FOLDER_CHARS: usize = 40;

/// The files behind a line.
enum Branch<'a> {
    File(&'a Memory),
    /// The files below a folder at the greatest depth that is shown.
    Folder {
        path: &'a str,
        files: Vec<&'a Memory>,
    },
}

/// The block of these files, which are sorted by path, in at most `chars` characters; `""` when there is no file, or no
/// room for a word about them.
pub(super) fn block(scope: Scope, files: &[&Memory], rules: &TreeRules, chars: usize) -> String {
    if files.is_empty() || rules.max_lines == 0 {
        return String::new();
    }
    let branches = branches(files, rules.max_depth.max(1));
    if branches.len() <= rules.max_lines {
        let all = render(scope, &branches, &[]);
        if all.chars().count() <= chars {
            return all;
        }
    }
    let mut shown = estimate(scope, &branches, rules, chars);
    loop {
        let text = render(scope, &branches[..shown], &branches[shown..]);
        if text.chars().count() <= chars {
            return text;
        }
        if shown == 0 {
            return String::new();
        }
        shown -= 1;
    }
}

/// The number of lines that fit beside the last one, which is taken to be as long as it is without them. It may grow a
/// little when other folders come to be named.
fn estimate(scope: Scope, branches: &[Branch<'_>], rules: &TreeRules, chars: usize) -> usize {
    let length = |shown, hidden| render(scope, shown, hidden).chars().count();
    let heading = length(&[], &[]);
    let mut used = length(&[], branches);
    branches
        .iter()
        .take(rules.max_lines - 1)
        .take_while(|branch| {
            used += length(std::slice::from_ref(branch), &[]) - heading;
            used <= chars
        })
        .count()
}

fn branches<'a>(files: &[&'a Memory], max_depth: usize) -> Vec<Branch<'a>> {
    let mut branches = Vec::new();
    let mut folders: HashMap<&str, usize> = HashMap::new();
    for file in files {
        let Some(folder) = folder_at(file.path.as_str(), max_depth) else {
            branches.push(Branch::File(file));
            continue;
        };
        let at = *folders.entry(folder).or_insert(branches.len());
        match branches.get_mut(at) {
            Some(Branch::Folder { files, .. }) => files.push(file),
            _ => branches.push(Branch::Folder {
                path: folder,
                files: vec![file],
            }),
        }
    }
    branches
}

/// The folder of so many parts in which a path lies deeper than that; `None` when it does not.
fn folder_at(path: &str, depth: usize) -> Option<&str> {
    let mut slashes = path.match_indices('/').map(|(at, _)| at);
    let end = slashes.nth(depth - 1)?;
    slashes.next().map(|_| &path[..end])
}

fn render(scope: Scope, shown: &[Branch<'_>], hidden: &[Branch<'_>]) -> String {
    let lines: Vec<Value> = shown.iter().map(line).collect();
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for branch in hidden {
        let files = match branch {
            Branch::File(file) => std::slice::from_ref(file),
            Branch::Folder { files, .. } => files,
        };
        for file in files {
            *folders
                .entry(file.path.first_folder().unwrap_or_default())
                .or_default() += 1;
        }
    }
    let named = folders.iter().take(NAMED_FOLDERS).map(|(name, files)| {
        let name = cut(name, FOLDER_CHARS);
        context! { name, files }
    });
    Template::Tree.render(context! {
        scope => scope.as_str(),
        lines,
        left_out => folders.values().sum::<usize>(),
        folders => named.collect::<Vec<Value>>(),
        more_folders => folders.len().saturating_sub(NAMED_FOLDERS),
    })
}

fn line(branch: &Branch<'_>) -> Value {
    match branch {
        Branch::File(memory) => {
            let path: String = plain(memory.path.as_str()).collect();
            let files = holds_for(memory).map(|files| format!("in {files}: "));
            let hook = files.unwrap_or_default() + &as_plain(&memory.hook());
            context! { path, hook, files => 0 }
        }
        Branch::Folder { path, files } => {
            let path: String = plain(path).collect();
            context! { path, hook => "", files => files.len() }
        }
    }
}
