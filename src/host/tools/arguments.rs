//! The arguments of a call, checked against the schema of the tool.

use serde_json::Value;

use super::ToolError;
use crate::service::MAX_FILE;

/// The arguments that are a line of a commit or of a frontmatter.
const LINES: [&str; 2] = ["reason", "description"];
/// The most bytes of such a line.
const MAX_LINE: u64 = 2000;

/// The arguments of a call that are those of its tool. An argument that is `null` is left out.
pub(super) struct Arguments<'a>(&'a Value);

impl<'a> Arguments<'a> {
    /// Checks the names and types of the arguments.
    pub(super) fn checked(args: &'a Value, schema: &Value) -> Result<Self, ToolError> {
        if !args.is_object() && !args.is_null() {
            return Err(wrong("the arguments have to be an object"));
        }
        let known = &schema["properties"];
        for (name, value) in args.as_object().into_iter().flatten() {
            check_length(name, value)?;
            let Some(form) = known.get(name) else {
                let known = known.as_object().into_iter().flatten();
                let known: Vec<&str> = known.map(|(name, _)| name.as_str()).collect();
                let (name, known) = (shown(name), known.join(", "));
                return Err(wrong(&format!(
                    "there is no argument `{name}`: use {known} or nothing"
                )));
            };
            check(name, value, form)?;
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            if args[name].is_null() {
                let form = known[name]["type"].as_str().unwrap_or_default();
                return Err(wrong(&format!("`{name}` is missing: give it as a {form}")));
            }
        }
        Ok(Self(args))
    }

    /// A text; `None` where it is left out.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        Some(self.0[name].as_str()?.to_owned())
    }

    /// A text that must be there.
    pub(super) fn needed(&self, name: &str) -> String {
        self.text(name)
            .expect("because the schema requires it, and was checked")
    }

    /// Whole numbers.
    pub(super) fn numbers(&self, name: &str) -> Option<Vec<i64>> {
        Some(
            self.0[name]
                .as_array()?
                .iter()
                .filter_map(Value::as_i64)
                .collect(),
        )
    }

    /// A whole number.
    pub(super) fn count(&self, name: &str) -> Option<u32> {
        let count = self.0[name].as_u64()?;
        Some(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// True where it is set.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.0[name] == true
    }
}

/// Refuses a text that is in no memory or no commit, before anybody reads it: judging its words would take seconds.
fn check_length(name: &str, value: &Value) -> Result<(), ToolError> {
    let bytes = value.as_str().map_or(0, str::len) as u64;
    let (most, of) = if LINES.contains(&name) {
        (MAX_LINE, "a line")
    } else {
        (MAX_FILE, "any memory")
    };
    if bytes <= most {
        return Ok(());
    }
    Err(ToolError::Refused(format!(
        "`{}` has {bytes} bytes, over the limit of {most} of {of}: give what matters of it",
        shown(name)
    )))
}

fn check(name: &str, value: &Value, form: &Value) -> Result<(), ToolError> {
    let expected = form["type"].as_str().unwrap_or_default();
    let is_right = match expected {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.as_array().is_some_and(|all| all.iter().all(Value::is_i64)),
        _ => value.is_u64(),
    };
    if !is_right && !value.is_null() {
        return Err(wrong(&format!("`{name}` has to be a {expected}")));
    }
    let Some(words) = form["enum"].as_array() else {
        return Ok(());
    };
    if value.is_null() || words.contains(value) {
        return Ok(());
    }
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let given = shown(value.as_str().unwrap_or_default());
    Err(wrong(&format!(
        "`{given}` is no {name}: use {}",
        words.join(" or ")
    )))
}

/// A model's word in a message: short, and on its line.
fn shown(word: &str) -> String {
    word.chars().take(40).flat_map(char::escape_debug).collect()
}

pub(super) fn wrong(message: &str) -> ToolError {
    ToolError::BadArguments(message.to_owned())
}
