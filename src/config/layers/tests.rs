//! Tests of the layers of settings.

use super::*;
use crate::model::{Severity, repeated, takes_its_length};

fn load(user: &str, store: &str, environment: &[(&str, &str)], flags: &[&str]) -> Settings {
    let own = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    };
    let sources = SettingsSources {
        user: Some(("/u/config.toml".into(), user.to_owned())),
        environment: own(environment),
        flags: flags
            .iter()
            .map(|flag| read_flag(flag).expect("a flag"))
            .collect(),
        ..SettingsSources::default()
    };
    sources.load(Some((Path::new("/s/mdmem.toml"), store)))
}

fn shown(settings: &Settings, key: &str) -> (String, String) {
    let entry = settings.get(key).expect("a setting");
    (entry.shown(), entry.origin.to_string())
}

fn errors(settings: &Settings) -> usize {
    let is_error = |problem: &&Problem| problem.severity() == Severity::Error;
    settings.problems.iter().filter(is_error).count()
}

fn messages(settings: &Settings) -> Vec<String> {
    settings.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_later_layer_wins_and_is_named() {
    let user = "[render]\nmax_chars = 1\nmax_entries = 1\ntotal_chars = 1\n[tree]\nmax_depth = 1\n";
    let store = "format = 1\nrender = { max_entries = 2, total_chars = 2 }\ntree.max_depth = 2";
    let settings = load(
        user,
        store,
        &[("MDMEM_RENDER__TOTAL_CHARS", "3"), ("MDMEM_TREE__MAX_DEPTH", "3")],
        &["tree.max_depth=4"],
    );
    assert_eq!(messages(&settings), [""; 0]);
    for (key, value, origin) in [
        ("render.max_chars", "1", "/u/config.toml:2"),
        ("render.max_entries", "2", "/s/mdmem.toml:2"),
        ("render.total_chars", "3", "$MDMEM_RENDER__TOTAL_CHARS"),
        ("tree.max_depth", "4", "--set"),
        ("render.notes", "\"date\"", "default"),
        ("format", "1", "/s/mdmem.toml:1"),
    ] {
        assert_eq!(
            shown(&settings, key),
            (value.to_owned(), origin.to_owned()),
            "{key}"
        );
    }
    assert_eq!(settings.rules.render.max_entries, 2);
}

#[test]
fn the_defaults_are_those_of_the_rules() {
    let settings = load("", "", &[], &[]);
    assert_eq!(settings, Settings::default());
    assert_eq!(settings.rules, crate::policy::Rules::default());
    assert_eq!(settings.watch.quiet_ms, 2000);
    for (key, value) in [
        ("epoch.ttl", "\"5m\""),
        ("session.handover", "\"12h\""),
        ("context.levels", "[70, 85, 92]"),
        ("context.advise", "\"red\""),
        ("prune.mode", "\"off\""),
        ("sync.interval", "\"15m\""),
        ("type.decision.factor", "2.5"),
        ("type.reference.stale_after", "90"),
        ("sync.remote", "none"),
        ("capture.patterns", "[]"),
    ] {
        assert_eq!(
            shown(&settings, key),
            (value.to_owned(), "default".to_owned()),
            "{key}"
        );
    }
    let entries = settings.all();
    assert_eq!(entries.len(), 46);
    assert_eq!(
        (entries[0].key.as_str(), entries[41].key.as_str()),
        ("render.max_chars", "type.feedback")
    );
    assert_eq!(
        entries[41].shown(),
        "{ cap = 10, factor = 2.25, order = 10, stale_after = 0 }"
    );
}

#[test]
fn a_store_sets_only_what_may_travel() {
    let settings = load(
        "editor = 'vi'\nsync.remote = 'git@host:x'\nformat = 1\n",
        "editor = 'rm -rf ~'\n[sync]\nremote = 'ext::sh'\n[watch]\nquiet_ms = 1\n[type.user]\ncap = 3\n",
        &[],
        &[],
    );
    assert_eq!(settings.editor.as_deref(), Some("vi"));
    assert_eq!(settings.sync.remote.as_deref(), Some("git@host:x"));
    assert_eq!(settings.watch.quiet_ms, 2000);
    assert_eq!(shown(&settings, "type.user.cap").0, "3");
    assert_eq!(
        messages(&settings),
        [
            "/u/config.toml:3: `format` has no effect here: set it in the mdmem.toml of a store",
            "/s/mdmem.toml:1: `editor` has no effect here: set it in the user's file, with \
             `mdmem config set --user`",
            "/s/mdmem.toml:3: `sync.remote` has no effect here: set it in the user's file, with \
             `mdmem config set --user`",
            "/s/mdmem.toml:5: `watch.quiet_ms` has no effect here: set it in the user's file, with \
             `mdmem config set --user`",
        ]
    );
    assert_eq!(errors(&settings), 0);
    assert!(
        settings
            .problems
            .iter()
            .all(|problem| problem.severity() == Severity::Warning)
    );
}

#[test]
fn wrong_settings_are_named_and_left_out() {
    let settings = load(
        "[render]\nmax_char = 100\nmax_entries = \"ten\"\n[epoch]\nttl = 5\n[retention]\nhalf_life_days = 0\n",
        "render = 3\ncolour = 'red'\n",
        &[
            ("MDMEM_HOME", "/x"),
            ("MDMEM_EDITOR", ""),
            ("MDMEM_WATCH__QUIET", "5"),
            ("MDMEM_SYNC__AUTO", "perhaps"),
        ],
        &[
            "limit.default=-1",
            "type.system.cap=3",
            "type.Forgotten.cap=3",
            "type.con.cap=3",
        ],
    );
    assert_eq!(
        messages(&settings),
        [
            "/u/config.toml:2: unknown setting `render.max_char`; did you mean `render.max_chars`?",
            "/u/config.toml:3: `render.max_entries = \"ten\"` is not valid: must be a whole number of at least 0",
            "/u/config.toml:5: `epoch.ttl = 5` is not valid: must be a time such as \"90s\", \"15m\" or \"2h\"",
            "/u/config.toml:7: `retention.half_life_days = 0` is not valid: must be a number greater than 0",
            "/s/mdmem.toml:1: unknown setting `render`; did you mean `render.max_chars`?",
            "/s/mdmem.toml:2: unknown setting `colour`",
            "$MDMEM_WATCH__QUIET: unknown setting `watch.quiet`; did you mean `watch.quiet_ms`?",
            "$MDMEM_SYNC__AUTO: `sync.auto = perhaps` is not valid: must be true or false",
            "--set: `limit.default = -1` is not valid: must be a whole number of at least 0",
            "--set: unknown setting `type.Forgotten.cap`; did you mean `type.project.cap`?",
            "--set: unknown setting `type.con.cap`; did you mean `type.decision.cap`?",
            "--set: `type.system.cap` has no effect: `system/` is the folder of pinned notes (`hot_dir`)",
        ]
    );
    assert_eq!(errors(&settings), 12);
    assert_eq!(settings.rules, crate::policy::Rules::default());
}

#[test]
fn a_setting_of_an_earlier_build_is_named_and_stops_nothing() {
    let settings = load("", "[hot]\nfiles = 3\n[source.manual]\nfactor = 2\n", &[], &[]);
    assert_eq!(
        messages(&settings),
        [
            "/s/mdmem.toml:2: `hot.files` is no longer a setting, and is ignored",
            "/s/mdmem.toml:4: `source.manual.factor` is no longer a setting, and is ignored",
        ]
    );
    assert_eq!(errors(&settings), 0);
}

#[test]
fn a_file_that_is_no_toml_leaves_the_others_in_force() {
    let settings = load("[render]\nmax_chars = = 1\n", "render.max_chars = 5\n", &[], &[]);
    assert_eq!(settings.rules.render.max_chars, 5);
    let [Problem::Syntax { line, column, .. }] = settings.problems.as_slice() else {
        panic!("{:?}", settings.problems)
    };
    assert_eq!((*line, *column), (2, 13));
    let twice = load("", "limit.default = 1\n[limit]\ndefault = 2\n", &[], &[]);
    assert_eq!(errors(&twice), 1);
}

#[test]
fn the_pinned_folder_is_a_plain_name_of_its_own() {
    let hot_dir = |text: &str| {
        let settings = load("", &format!("hot_dir = {text}\n"), &[], &[]);
        (settings.rules.hot_dir.clone(), errors(&settings))
    };
    for name in ["hot", "Hot_2", "常用", "system"] {
        assert_eq!(hot_dir(&format!("'{name}'")), (name.to_owned(), 0));
    }
    let long = format!("'{}'", "h".repeat(256));
    for refused in [
        "''",
        "'.'",
        "'..'",
        "'hot/'",
        "'/hot'",
        "'a/b'",
        "'a\\b'",
        "'.hot'",
        "'.mdmem'",
        "'.git'",
        "'hot '",
        "'archive'",
        "'Archive'",
        "'forgotten'",
        "'decision'",
        "'Decision'",
        "'user'",
        "'con'",
        "'a.md'",
        "5",
        "['hot']",
        &long,
    ] {
        assert_eq!(hot_dir(refused), ("system".to_owned(), 1), "{refused}");
    }
    // It may be named in a store alone, because machines have to agree on it.
    let elsewhere = load(
        "hot_dir = 'hot'\n",
        "",
        &[("MDMEM_HOT_DIR", "hot")],
        &["hot_dir=hot"],
    );
    assert_eq!(
        (elsewhere.rules.hot_dir.as_str(), elsewhere.problems.len()),
        ("system", 3)
    );
}

#[test]
fn the_pinned_folder_is_no_types_wherever_the_type_is_named() {
    let user = "[type.hot]\ncap = 3\n";
    let settings = load(
        user,
        "hot_dir = 'hot'\n[type.recipe]\ncap = 3\n",
        &[],
        &["type.Hot.order=2"],
    );
    assert_eq!(
        messages(&settings),
        [
            "/u/config.toml:2: `type.hot.cap` has no effect: `hot/` is the folder of pinned notes (`hot_dir`)",
            "--set: `type.hot.order` has no effect: `hot/` is the folder of pinned notes (`hot_dir`)",
        ]
    );
    let rule = |name| settings.rules.type_rule(&Kind::new(name)).is_some();
    assert_eq!((rule("hot"), rule("recipe")), (false, true));
    // The folder that is no longer the pinned one may be a type's.
    let settings = load("", "hot_dir = 'hot'\n[type.system]\ncap = 3\n", &[], &[]);
    assert_eq!(messages(&settings), [""; 0]);
}

#[test]
fn a_type_can_be_added() {
    let settings = load(
        "",
        "[type.Recipe]\nfactor = 1.5\norder = 5\n",
        &[("MDMEM_TYPE__RECIPE__CAP", "4")],
        &[],
    );
    assert_eq!(messages(&settings), [""; 0]);
    let rule = settings
        .rules
        .type_rule(&Kind::new("recipe"))
        .expect("added")
        .clone();
    assert_eq!((rule.cap, rule.stale_after, rule.order), (Some(4), 0, 5));
    assert_eq!(settings.all()[41].key, "type.recipe", "first, by its order");
    assert_eq!(shown(&settings, "type.recipe.factor").1, "/s/mdmem.toml:2");
}

#[test]
fn a_newer_store_is_recognised() {
    let settings = load("", "format = 3\n[shine]\nlevel = 3\n", &[], &[]);
    assert!(settings.is_newer_format());
    assert_eq!((settings.format, messages(&settings).len()), (3, 0));
    assert!(!load("", "format = 1", &[], &[]).is_newer_format());
    assert_eq!(errors(&load("", "format = 0", &[], &[])), 1);
}

#[test]
fn the_editor_of_the_environment_is_the_default() {
    let environment = [("EDITOR", "nano"), ("VISUAL", "code -w")];
    let settings = load("", "", &environment, &[]);
    assert_eq!(
        shown(&settings, "editor"),
        ("\"nano\"".to_owned(), "$EDITOR".to_owned())
    );
    assert_eq!(
        load("editor = 'hx'", "", &environment, &[]).editor.as_deref(),
        Some("hx")
    );
    assert_eq!(
        load("editor = 'hx'", "", &[("MDMEM_EDITOR", "ed")], &[])
            .editor
            .as_deref(),
        Some("ed")
    );
}

#[test]
fn lists_come_from_files_and_variables() {
    let settings = load(
        "redact.patterns = ['sk-[a-z]+', \"x,y\"]",
        "",
        &[("MDMEM_CAPTURE__PATTERNS", "(?i)note to self")],
        &[],
    );
    assert_eq!(settings.redact_patterns, ["sk-[a-z]+", "x,y"]);
    assert_eq!(settings.capture_patterns, ["(?i)note to self"]);
}

#[test]
fn a_flag_needs_a_key_and_a_value() {
    assert_eq!(
        read_flag(" editor = vim -f "),
        Ok(("editor".into(), "vim -f".into()))
    );
    assert!(read_flag("editor").is_err() && read_flag("=x").is_err());
}

#[test]
fn a_hostile_file_takes_its_length() {
    for line in [
        "[type.t#]\n",
        "[type.t#]\nfactor = 1.0\n",
        "[type.t#]\nfactor = \"x\"\n",
        "k# = 1\n",
        "render.k# = 1\n",
        "watch.k#.x = [1]\n",
    ] {
        let load = |text: &String| {
            let settings = SettingsSources::default().load(Some((Path::new("mdmem.toml"), text)));
            assert!(settings.rules.types.len() <= MOST_TYPES);
        };
        takes_its_length(line, |bytes| repeated(line, bytes), load);
    }
}
