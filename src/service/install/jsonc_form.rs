//! The values of a JSON file: their parts, and their forms.

use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged as _};

use super::edit::EditError;
use super::jsonc::Document;

/// A member of an object, or an element of an array.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'d, 'a> {
    /// `None` in an array.
    pub(super) name: Option<&'d str>,
    /// The range of the whole part, with its name.
    pub(super) range: Range,
    pub(super) value: &'d Value<'a>,
}

/// The parts of an object or an array; nothing else has any.
pub(super) fn parts<'d, 'a>(value: &'d Value<'a>) -> Vec<Part<'d, 'a>> {
    let member = |member: &'d ObjectProp<'a>| Part {
        name: Some(member.name.as_str()),
        range: member.range,
        value: &member.value,
    };
    let element = |value: &'d Value<'a>| Part {
        name: None,
        range: value.range(),
        value,
    };
    match value {
        Value::Object(object) => object.properties.iter().map(member).collect(),
        Value::Array(array) => array.elements.iter().map(element).collect(),
        _ => Vec::new(),
    }
}

/// The form in which a value is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form<'t> {
    /// Everything on one line, with a space inside of the brackets.
    OneLine,
    /// Each part on a line of its own.
    Lines {
        newline: &'t str,
        /// The whitespace of one level.
        unit: &'t str,
        /// The whitespace before the value's own line.
        indent: &'t str,
    },
}

/// JSON in a form. A list of plain values is on one line in each.
pub(super) fn printed(json: &str, form: Form<'_>) -> Result<String, EditError> {
    let document = Document::parse(json, json)?;
    Ok(document
        .root
        .map_or_else(String::new, |root| print(&root, json, form)))
}

fn print(value: &Value<'_>, json: &str, form: Form<'_>) -> String {
    let (open, close) = match value {
        Value::Object(_) => ('{', '}'),
        Value::Array(_) => ('[', ']'),
        plain => return plain.text(json).to_owned(),
    };
    let parts = parts(value);
    let is_plain = |part: &Part<'_, '_>| !matches!(part.value, Value::Object(_) | Value::Array(_));
    let written = |form| {
        let part = |part: &Part<'_, '_>| {
            let name = part.name.map(|name| format!("\"{name}\": ")).unwrap_or_default();
            name + &print(part.value, json, form)
        };
        parts.iter().map(part).collect::<Vec<String>>()
    };
    match form {
        _ if open == '[' && parts.iter().all(is_plain) => format!("[{}]", written(form).join(", ")),
        Form::OneLine => format!("{open} {} {close}", written(form).join(", ")),
        Form::Lines {
            newline,
            unit,
            indent,
        } => {
            let inner = format!("{newline}{indent}{unit}");
            let indented = Form::Lines {
                newline,
                unit,
                indent: &inner[newline.len()..],
            };
            let lines = written(indented).join(&format!(",{inner}"));
            format!("{open}{inner}{lines}{newline}{indent}{close}")
        }
    }
}
