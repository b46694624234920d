//! Changing one setting in the text of a file, for `mdmem config set`; comments and order stay.

use toml_edit::{DocumentMut, Item, Table, TableLike};

use super::catalog::{Scope, find, names};
use super::layers::place_of;
use super::nearest::nearest;
use super::problem::Fault;
use super::settings::{FORMAT, Settings};
use super::value::of_text;
use crate::model::StorePath;
use crate::policy::Rules;

/// The text of a settings file with `key` set; `value` as on a command line, without quotes.
pub fn set(text: &str, scope: Scope, key: &str, value: &str) -> Result<String, Fault> {
    let setting = find(key).ok_or_else(|| unknown(key))?;
    if let Some(fault) = Fault::of_place(&setting, key, scope) {
        return Err(fault);
    }
    let mut settings = Settings::default();
    let read = of_text(value)
        .find(|value| setting.set(&mut settings, value).is_some())
        .and_then(|_| setting.get(&settings))
        .ok_or_else(|| Fault::wanting(key, value, setting.wanted()))?;
    // With a newer format this mdmem could not change the store any more.
    if settings.is_newer_format() {
        let wanted = format!("{FORMAT}, the newest format that this mdmem writes");
        return Err(Fault::wanting(key, value, &wanted));
    }
    if !settings
        .rules
        .excluded
        .iter()
        .all(|folder| is_folder_path(folder))
    {
        let wanted = "folders in the store, as in [\"templates\"], without patterns";
        return Err(Fault::wanting(key, value, wanted));
    }
    let read: toml_edit::Value = read.to_string().parse().expect("because it is printed as TOML");
    change(text, |document| {
        let (table, name) = table_of(document, key)?;
        match table.get_mut(&name).and_then(Item::as_value_mut) {
            Some(old) => {
                let decor = old.decor().clone();
                *old = read;
                *old.decor_mut() = decor;
            }
            None => {
                table.insert(&name, Item::Value(read));
            }
        }
        Ok(())
    })
}

/// The text of any TOML file with one more table of these lines.
pub fn insert_table(text: &str, key: &str, lines: &str) -> Result<String, Fault> {
    let new: DocumentMut = lines.parse().expect("because mdmem's own tables are TOML");
    change(text, |document| {
        let (table, name) = table_of(document, key)?;
        table.insert(&name, Item::Table(new.as_table().clone()));
        Ok(())
    })
}

/// The text without `key`; the same text where it is not set there. A table that is then empty goes too. A key that is
/// no setting can be taken out too, but only where it is.
pub fn unset(text: &str, key: &str) -> Result<String, Fault> {
    let changed = change(text, |document| {
        remove(document.as_table_mut(), &parts(key));
        Ok(())
    })?;
    if changed == text && find(key).is_none() {
        return Err(unknown(key));
    }
    Ok(changed)
}

/// Says whether memories can lie in a folder of this path.
fn is_folder_path(path: &str) -> bool {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    !path.contains(['*', '?', '[']) && StorePath::new(&format!("{path}/a.md")).is_ok()
}

fn unknown(key: &str) -> Fault {
    Fault::unknown(key, nearest(key, names(&Rules::default())))
}

/// TOML is written back with the line ending and the byte order mark that the text had.
fn change(text: &str, by: impl FnOnce(&mut DocumentMut) -> Result<(), Fault>) -> Result<String, Fault> {
    let (mark, inner) = match text.strip_prefix('\u{feff}') {
        Some(inner) => ("\u{feff}", inner),
        None => ("", text),
    };
    let mut document: DocumentMut = inner.parse().map_err(|error: toml_edit::TomlError| {
        let (line, _, message) = place_of(inner, &error);
        Fault::error(format!("line {line}: {message}"))
    })?;
    let before = document.to_string();
    by(&mut document)?;
    let mut after = document.to_string();
    if after == before {
        return Ok(text.to_owned());
    }
    if inner.contains("\r\n") {
        after = after.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    Ok(format!("{mark}{after}"))
}

/// The table that holds the last part of a key, made where it is missing, and that part.
fn table_of<'a>(document: &'a mut DocumentMut, key: &str) -> Result<(&'a mut dyn TableLike, String), Fault> {
    let mut parts = parts(key);
    let name = parts.pop().unwrap_or_default();
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for part in parts {
        let item = table.entry(&part).or_insert_with(|| {
            let mut new = Table::new();
            new.set_implicit(true);
            Item::Table(new)
        });
        table = item.as_table_like_mut().ok_or_else(|| {
            Fault::error(format!(
                "`{part}` is a value in this file, but `{key}` needs a table"
            ))
        })?;
    }
    Ok((table, name))
}

/// The names of the tables and of the value: the name of a type may have no dot.
fn parts(key: &str) -> Vec<String> {
    key.split('.').map(str::to_owned).collect()
}

fn remove(table: &mut dyn TableLike, parts: &[String]) {
    let Some((first, rest)) = parts.split_first() else {
        return;
    };
    if rest.is_empty() {
        table.remove(first);
        return;
    }
    let Some(inner) = table.get_mut(first).and_then(Item::as_table_like_mut) else {
        return;
    };
    let had = inner.len();
    remove(inner, rest);
    if inner.is_empty() && had > 0 {
        table.remove(first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str, key: &str, value: &str) -> String {
        set(text, Scope::User, key, value).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    #[test]
    fn changes_one_value_and_nothing_else() {
        let text = "# mine\n[render] # r\nmax_chars = 100   # enough\n\n# and\nmax_entries=3\n";
        assert_eq!(user(text, "render.max_chars", "200"), text.replace("100", "200"));
        assert_eq!(user(text, "render.max_chars", "100"), text);
        let text = "render = { max_chars = 1 } # inline\n";
        assert_eq!(user(text, "render.max_chars", "2"), text.replace('1', "2"));
        let text = "render.max_chars = 1\n";
        assert_eq!(user(text, "render.max_chars", "2"), text.replace('1', "2"));
        let text = "\u{feff}[render]\r\nmax_chars = 1\r\n# end\r\n";
        assert_eq!(user(text, "render.max_chars", "2"), text.replace('1', "2"));
    }

    #[test]
    fn adds_what_is_missing() {
        assert_eq!(user("", "editor", "vim -f"), "editor = \"vim -f\"\n");
        assert_eq!(user("", "epoch.ttl", "10m"), "[epoch]\nttl = \"10m\"\n");
        assert_eq!(user("", "type.recipe.cap", "3"), "[type.recipe]\ncap = 3\n");
        assert_eq!(
            user("[epoch]\nttl = \"1m\"\n", "editor", "vi"),
            "editor = \"vi\"\n[epoch]\nttl = \"1m\"\n"
        );
        assert_eq!(
            user("[render]\nmax_chars = 1\n", "render.max_entries", "2"),
            "[render]\nmax_chars = 1\nmax_entries = 2\n"
        );
        assert_eq!(
            user("", "redact.patterns", "['a', 'b']"),
            "[redact]\npatterns = [\"a\", \"b\"]\n"
        );
    }

    #[test]
    fn removes_a_value_and_an_empty_table() {
        let text = "editor = 'vi'\n\n[epoch]\nttl = \"1m\" # c\n";
        assert_eq!(unset(text, "epoch.ttl"), Ok("editor = 'vi'\n".to_owned()));
        assert_eq!(
            unset(text, "editor"),
            Ok("\n[epoch]\nttl = \"1m\" # c\n".to_owned())
        );
        assert_eq!(unset(text, "sync.auto"), Ok(text.to_owned()));
    }

    #[test]
    fn refuses_what_would_be_a_problem() {
        let error = |text: &str, scope, key: &str, value: &str| {
            set(text, scope, key, value).expect_err("refused").to_string()
        };
        assert_eq!(
            error("", Scope::User, "editr", "vi"),
            "unknown setting `editr`; did you mean `editor`?"
        );
        assert_eq!(
            error("", Scope::User, "epoch.ttl", "5"),
            "`epoch.ttl = 5` is not valid: must be a time such as \"90s\", \"15m\" or \"2h\""
        );
        assert_eq!(
            error("", Scope::Store, "editor", "vi"),
            "`editor` has no effect here: set it in the user's file, with `mdmem config set --user`"
        );
        assert_eq!(
            error("", Scope::User, "format", "1"),
            "`format` has no effect here: set it in the mdmem.toml of a store"
        );
        assert_eq!(
            error("render = 1", Scope::User, "render.max_chars", "1"),
            "`render` is a value in this file, but `render.max_chars` needs a table"
        );
        let newer = (FORMAT + 1).to_string();
        assert!(error("", Scope::Store, "format", &newer).starts_with("`format = "));
        assert!(error("a\n= 1", Scope::User, "editor", "vi").starts_with("line "));
    }
}
