//! Paths of memories: what is accepted stays below the store, and means nothing to git or to a system.

use std::path::{Component, Path};

use mdmem::model::StorePath;
use mdmem::text;

pub(crate) fn run(data: &[u8]) {
    let Ok(given) = std::str::from_utf8(data) else {
        return;
    };
    let named = format!("{}.md", text::slug(given));
    assert!(
        StorePath::new(&named).is_ok(),
        "the name of a new file: {named:?}"
    );
    let Ok(path) = StorePath::new(given) else {
        return;
    };
    assert_eq!(path.as_str(), given);
    assert_eq!(path.to_string(), given);
    assert!(given.len() <= 4000 && given.ends_with(".md"));
    assert!(!given.contains(|c: char| c.is_control() || c == '\\'));
    let parts: Vec<&str> = Path::new(given)
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str().unwrap(),
            other => panic!("{other:?} in {given:?}"),
        })
        .collect();
    assert_eq!(parts.join("/"), given);
    for part in parts {
        let lower = part.to_lowercase();
        assert!(part.len() <= 255 && !part.starts_with('.'), "{part:?}");
        assert!(!lower.starts_with("git~") && !part.contains(':'), "{part:?}");
    }
    let parent = path.parent();
    let name = if parent.is_empty() {
        given
    } else {
        &given[parent.len() + 1..]
    };
    assert_eq!(name, format!("{}.md", path.stem()));
    assert_eq!(path.first_folder().is_some(), !parent.is_empty());
    let below = format!("/store/{given}");
    assert_eq!(text::path_below("/store", &below), Some(given));
}
