//! The subject of a commit: what happened, to what.

use minijinja::context;

use super::templates::Template;

/// `memory: edit decision/use-npm`, or `memory: edit 3 files`; `detail` follows, as in `… to 3f2a91c`.
pub fn commit_subject(verb: &str, names: &[String], detail: Option<&str>) -> String {
    let (files, name) = (names.len(), names.first());
    Template::CommitSubject.render(context! { verb, files, name, detail })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_one_and_counts_several() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(commit_subject("edit", &names(&["a/b"]), None), "memory: edit a/b");
        assert_eq!(
            commit_subject("restore", &names(&["a", "b"]), Some("to 3f2a91c")),
            "memory: restore 2 files to 3f2a91c"
        );
    }
}
