//! Tests of the rule, as a table of names.

use super::*;
use crate::model::{Content, Kind};

/// Path, id, `name:`, heading, aliases, former paths.
type Row = (
    &'static str,
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
    &'static [&'static str],
    &'static [&'static str],
);

const FILES: &[Row] = &[
    (
        "decision/use-npm-cache.md",
        "mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R",
        Some("Plugin loading"),
        None,
        &["npm link, not"],
        &["project/npm.md", "decision/old-port-of-npm.md"],
    ),
    (
        "archive/old-port.md",
        "mem_01K9ZQ4T0W8C2X3V5B7N9M1P4S",
        None,
        None,
        &["gone"],
        &[],
    ),
    (
        "project/old-port.md",
        "mem_01KA000000000000000000000A",
        None,
        None,
        &["Gone"],
        &["project/port.md"],
    ),
    (
        "user/Café.md",
        "mem_01KB000000000000000000000B",
        None,
        Some("Where to drink"),
        &[],
        &[],
    ),
    ("use-npm.md", "handmade", None, None, &[], &[]),
    (
        "reference/ノート 一覧.md",
        "n1",
        None,
        Some("Überblick: Ports"),
        &["索引"],
        &["reference/メモ.md"],
    ),
    (
        "reference/2026-11/c#.md",
        "n2",
        None,
        None,
        &[],
        &["use-npm-cache.md"],
    ),
    ("decision/gone-for-good.md", "n3", None, None, &[], &[]),
];

fn memories() -> Vec<(Memory, Vec<String>)> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let memory = |(path, id, name, heading, aliases, former): &Row| {
        let path = StorePath::new(path).unwrap();
        let memory = Memory {
            name: name.map(str::to_owned),
            heading: heading.map(str::to_owned),
            aliases: owned(aliases),
            ..Memory::new(Id::parse(id).unwrap(), path, Kind::default(), Content::default())
        };
        (memory, owned(former))
    };
    FILES.iter().map(memory).collect()
}

fn select(name: &str, reach: Reach) -> Result<&'static str, NameError> {
    let memories = memories();
    let named = memories.iter().map(|(memory, former)| Named { memory, former });
    let named: Vec<Named<'_>> = named.collect();
    select_memory(name, &named, Path::new("/store"), reach).map(|at| FILES[at].0)
}

#[test]
fn a_name_means_the_same_memory_however_it_is_said() {
    use Reach::{Link, Part, Whole};
    for (name, least, path) in [
        ("decision/use-npm-cache.md", Link, "decision/use-npm-cache.md"),
        ("decision/use-npm-cache", Link, "decision/use-npm-cache.md"),
        ("./decision/use-npm-cache.md", Link, "decision/use-npm-cache.md"),
        (
            "/store/decision/use-npm-cache.md",
            Link,
            "decision/use-npm-cache.md",
        ),
        ("use-npm-cache", Link, "decision/use-npm-cache.md"),
        ("use-npm-cache.md", Link, "decision/use-npm-cache.md"),
        ("USE-NPM-CACHE", Link, "decision/use-npm-cache.md"),
        ("Use-NPM-Cache.MD", Link, "decision/use-npm-cache.md"),
        ("use-npm", Link, "use-npm.md"),
        ("project/old-port", Link, "project/old-port.md"),
        ("mem_01K9ZQ4T0W8C2X3V5B7N9M1P4S", Link, "archive/old-port.md"),
        ("handmade", Link, "use-npm.md"),
        ("cafe\u{301}", Link, "user/Café.md"),
        ("ノート 一覧", Link, "reference/ノート 一覧.md"),
        ("c#", Link, "reference/2026-11/c#.md"),
        ("2026-11/C#", Link, "reference/2026-11/c#.md"),
        // Titles and aliases.
        ("plugin LOADING", Link, "decision/use-npm-cache.md"),
        ("npm link, not", Link, "decision/use-npm-cache.md"),
        ("索引", Link, "reference/ノート 一覧.md"),
        ("u\u{308}berblick: ports", Link, "reference/ノート 一覧.md"),
        // Former names, where no present name is the same.
        ("npm", Link, "decision/use-npm-cache.md"),
        ("project/npm.md", Link, "decision/use-npm-cache.md"),
        ("port", Link, "project/old-port.md"),
        ("メモ", Link, "reference/ノート 一覧.md"),
        // Beginnings and parts.
        ("mem_01KA", Whole, "project/old-port.md"),
        ("01ka00", Whole, "project/old-port.md"),
        ("use-npm-c", Part, "decision/use-npm-cache.md"),
        ("decision/use", Part, "decision/use-npm-cache.md"),
        ("Where to", Part, "user/Café.md"),
        ("一覧", Part, "reference/ノート 一覧.md"),
        ("drink", Part, "user/Café.md"),
        ("for-good.md", Part, "decision/gone-for-good.md"),
    ] {
        for reach in [Link, Whole, Part] {
            let found = select(name, reach);
            if reach < least {
                assert!(
                    matches!(found, Err(NameError::Unknown { .. })),
                    "{name} {reach:?}"
                );
            } else {
                assert_eq!(found, Ok(path), "{name} {reach:?}");
            }
        }
    }
}

#[test]
fn an_ambiguous_name_lists_the_candidates() {
    let paths = |name| match select(name, Reach::Part) {
        Err(NameError::Ambiguous { candidates, .. }) => candidates
            .iter()
            .map(|(path, _)| path.to_string())
            .collect::<Vec<_>>(),
        other => panic!("{name}: {other:?}"),
    };
    let both = ["archive/old-port.md", "project/old-port.md"];
    assert_eq!(paths("old-port"), both);
    assert_eq!(paths("gone"), both, "an alias of two is none of another's slug");
    let two = ["archive/old-port.md", "decision/use-npm-cache.md"];
    assert_eq!(paths("mem_01K9ZQ4T"), two);
    assert_eq!(paths("mem_01K9"), two);
    assert_eq!(paths("mem_0").len(), 4);
    assert_eq!(paths("old"), both);
    assert_eq!(paths("E").len(), FILES.len());
}

#[test]
fn an_unknown_name_suggests_the_nearest() {
    let nearest = |name| match select(name, Reach::Whole) {
        Err(NameError::Unknown { nearest, .. }) => {
            nearest.iter().map(ToString::to_string).collect::<Vec<_>>()
        }
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(nearest("use-nmp-cache")[0], "decision/use-npm-cache.md");
    assert_eq!(
        nearest("old-prot"),
        ["archive/old-port.md", "project/old-port.md"]
    );
    assert_eq!(nearest("decision/use-npm-cash"), ["decision/use-npm-cache.md"]);
    for odd in [
        "zzz",
        "mem",
        "",
        "/",
        "..",
        ".md",
        "\0",
        "*",
        "a".repeat(100_000).as_str(),
    ] {
        assert_eq!(nearest(odd), Vec::<String>::new(), "{odd:.20}");
    }
}

#[test]
fn a_file_of_the_stores_own_is_no_memory() {
    for name in [
        "MEMORY.md",
        "PROTOCOL.md",
        "./memory.md",
        "/store/CONFLICTS.md",
        "README.md",
    ] {
        for reach in [Reach::Link, Reach::Part] {
            let found = select(name, reach);
            assert!(matches!(found, Err(NameError::Own { .. })), "{name}: {found:?}");
        }
    }
}

/// The index of links is made of these names: one that is missing would make a link dangle.
#[test]
fn whatever_a_link_means_is_called_so() {
    for (memory, former) in &memories() {
        let names: Vec<String> = Named { memory, former }.link_names().collect();
        for name in names
            .iter()
            .filter(|name| *name != "gone" && !name.contains("old-port"))
        {
            let found = select(name, Reach::Link);
            assert!(found.is_ok(), "{name}: {found:?}");
        }
    }
}
