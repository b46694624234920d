//! Settings files: a slip costs itself alone, and one setting is written without another one.

use std::path::Path;

use mdmem::config::{self, Scope, Settings, SettingsSources};

/// Settings to write, and what is written.
const WRITTEN: &[(&str, &str)] = &[
    ("render.max_entries", "7"),
    ("type.recipe.cap", "3"),
    ("type.user.factor", "2.6"),
];

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let as_store = |text: &str| SettingsSources::default().load(Some((Path::new("/s/mdmem.toml"), text)));
    let settings = as_store(text);
    check(&settings, text);
    // By the length, so that each text is looked at in one more way.
    let Some((key, value)) = WRITTEN.get(text.len() % 4) else {
        let user = SettingsSources {
            user: Some(("/c/config.toml".into(), text.to_owned())),
            ..SettingsSources::default()
        };
        return check(&user.load(None), text);
    };
    let Ok(with) = config::set(text, Scope::Store, key, value) else {
        return;
    };
    let after = as_store(&with);
    assert!(after.problems.len() <= settings.problems.len(), "{with}");
    let said = after.get(key).unwrap().shown();
    assert!(said.contains(value), "{key} = {said} in {with}");
    let is_another = |setting: &&config::Setting| !key.starts_with(&setting.key);
    for setting in settings.all().iter().filter(is_another) {
        let kept = after.get(&setting.key).unwrap().value;
        assert_eq!(kept, setting.value, "{} in {with}", setting.key);
    }
    let without = config::unset(&with, key).unwrap();
    assert_ne!(as_store(&without).get(key).unwrap().shown(), said, "{without}");
}

fn check(settings: &Settings, text: &str) {
    assert!(settings.problems.len() <= text.len());
    for problem in &settings.problems {
        assert!(problem.to_string().len() <= 4 * text.len() + 400, "{problem}");
    }
    for setting in settings.all() {
        assert!(!setting.shown().is_empty(), "{}", setting.key);
    }
}
