//! The bodies of the fuzz targets (fuzz/README.md), over the texts that they are committed with.

mod document;
mod edit;
mod paths;
mod protocol;
mod redaction;
mod requests;
mod settings;
mod shell;
mod summary;

use std::path::Path;

/// The name of a target, and what it does with a text.
type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("document", document::run),
    ("edit", edit::run),
    ("paths", paths::run),
    ("protocol", protocol::run),
    ("redaction", redaction::run),
    ("requests", requests::run),
    ("settings", settings::run),
    ("shell", shell::run),
    ("summary", summary::run),
];

#[test]
fn every_text_of_the_corpus_holds() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    for (target, run) in TARGETS {
        let mut files: Vec<_> = std::fs::read_dir(fuzz.join("corpus").join(target))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        assert!(!files.is_empty(), "{target} has no corpus");
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            println!("{}", file.display());
            run(&bytes);
        }
        assert!(
            fuzz.join("fuzz_targets")
                .join(target)
                .with_extension("rs")
                .is_file()
        );
    }
    let targets = std::fs::read_dir(fuzz.join("fuzz_targets")).unwrap().count();
    assert_eq!(targets, TARGETS.len(), "a target without a row here");
}
