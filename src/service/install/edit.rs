//! The text of a file of an agent's configuration with mdmem's entries, or without them. Pure. The parsers keep what
//! somebody else wrote: values, comments, order, line endings. A container that gets an entry has a line for each part.

use std::borrow::Cow;

use jsonc_parser::ast;
use jsonc_parser::cst::{
    CstArray, CstContainerNode, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode,
};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast, parse_to_serde_value};
use serde_json::Value;

use crate::config::{self, Fault};
use crate::sys::without_lone_surrogates;

use super::yaml::edit_yaml;

/// An entry that mdmem puts into a file. Its path has the names of what is around it, from the outermost, and its own.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    /// The whole file.
    Whole(&'static str),
    /// A member of an object in a JSON file, which may have comments and trailing commas, and its value.
    Member(&'static [&'static str], Cow<'static, str>),
    /// A member with this value, which is in the way of the others: connecting takes it out.
    InTheWay(&'static [&'static str], &'static str),
    /// A hook in such a file: the host's event, the words behind `mdmem hook`, the time limit in the host's unit. An
    /// element that has `mdmem hook` in it is mdmem's, or was.
    Hook(&'static str, &'static str, u32),
    /// A permission of Claude Code's to use a tool without a question.
    Rule(&'static str),
    /// Lines of a text file, of which the first and the last mark them as mdmem's.
    Block(&'static str),
    /// A table of a TOML file, and its lines.
    Table(&'static str, &'static str),
    /// A key of a YAML file, and the lines of one entry below it.
    Below(&'static str, Cow<'static, str>),
}

/// What marks the hooks of mdmem.
const HOOK: &str = "mdmem hook";

/// The direction of a set-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// Add what connects an agent.
    Connect,
    /// Take out what mdmem added, as far as it is as mdmem wrote it.
    TakeBack,
}

/// The effect of a set-up on one entry.
pub(super) enum Edit {
    /// This is the text now.
    Changed(String),
    /// The text is as it should be.
    Same,
    /// Somebody wrote the entry otherwise; it stays.
    Foreign,
}

/// The text of a file after a set-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) text: String,
    /// The names of the entries that somebody wrote otherwise, which stay.
    pub(super) left: Vec<String>,
}

/// The reason why a file is not changed. The caller names the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The file is no JSON.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
        /// The words of the parser.
        message: String,
    },
    /// The TOML cannot take the entry.
    #[error(transparent)]
    Toml(#[from] Fault),
    /// Something else stands where the entries of all programs must be.
    #[error("{name} is not {wanted}, so nothing can be added to it")]
    Shape {
        /// The name that is in the way.
        name: String,
        /// The kind of value that it must be.
        wanted: &'static str,
    },
    /// The bytes are no UTF-8.
    #[error("it is not UTF-8 text")]
    NoText,
    /// The file, or a folder above it, is a link to somewhere else.
    #[error("a link leads out of the workspace, to {0}")]
    LeadsOut(String),
    /// The file's mode says that nobody is to write it.
    #[error("the file is read-only")]
    ReadOnly,
    /// Another program writes the file again and again.
    #[error("another program keeps writing it")]
    Contended,
}

/// The text of a file with mdmem's entries, or without them. An empty text stands for no file. A byte order mark stays.
pub(super) fn edited(entries: &[Entry], text: &str, setup: Setup) -> Result<Edited, EditError> {
    let inner = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut edited = Edited {
        text: inner.to_owned(),
        left: Vec::new(),
    };
    for entry in entries {
        match entry.edit(&edited.text, setup)? {
            Edit::Changed(text) => edited.text = text,
            Edit::Foreign => edited.left.push(entry.name()),
            Edit::Same => {}
        }
    }
    // What is left of a file that mdmem made goes too.
    if setup == Setup::TakeBack && edited.text.trim() == "{}" && edited.text != inner {
        edited.text.clear();
    }
    edited.text.insert_str(0, &text[..text.len() - inner.len()]);
    Ok(edited)
}

impl Entry {
    /// The entry's place in its file, for people.
    fn name(&self) -> String {
        match self {
            Self::Whole(_) => "the file".to_owned(),
            Self::Member(path, _) | Self::InTheWay(path, _) => format!("`{}`", path.join(".")),
            Self::Hook(event, ..) => format!("`{HOOK}` in `hooks.{event}`"),
            Self::Rule(tool) => format!("`{tool}`"),
            Self::Block(block) => format!("`{}`", block.lines().next().unwrap_or_default()),
            Self::Table(key, _) | Self::Below(key, _) => format!("`{key}`"),
        }
    }

    fn edit(&self, text: &str, setup: Setup) -> Result<Edit, EditError> {
        match self {
            Self::Whole(whole) => Ok(match setup {
                Setup::Connect if text == *whole => Edit::Same,
                Setup::Connect => Edit::Changed((*whole).to_owned()),
                Setup::TakeBack if text.is_empty() => Edit::Same,
                Setup::TakeBack if text == *whole => Edit::Changed(String::new()),
                Setup::TakeBack => Edit::Foreign,
            }),
            Self::Member(path, value) => edit_json(path, value, None, text, setup),
            Self::InTheWay(path, value) => {
                match (setup, edit_json(path, value, None, text, Setup::TakeBack)?) {
                    (Setup::Connect, changed @ Edit::Changed(_)) => Ok(changed),
                    _ => Ok(Edit::Same),
                }
            }
            Self::Hook(event, command, timeout) => {
                let own = format!(
                    r#"{{"hooks": [{{"type": "command", "command": "{HOOK} {command}", "timeout": {timeout}}}]}}"#
                );
                edit_json(&["hooks", event], &own, Some(HOOK), text, setup)
            }
            Self::Rule(tool) => {
                let own = format!("\"{tool}\"");
                edit_json(&["permissions", "allow"], &own, Some(&own), text, setup)
            }
            Self::Block(block) => Ok(edit_block(block, text, setup)),
            Self::Table(key, lines) => edit_toml(key, lines, text, setup),
            Self::Below(key, lines) => edit_yaml(key, lines, text, setup),
        }
    }
}

/// The container of an entry, and what stands in the entry's place.
struct Place {
    object: CstObject,
    array: Option<CstArray>,
    found: Vec<CstNode>,
}

/// Adds a member of an object, or, where `mark` is what marks ours, an element of an array.
fn edit_json(
    path: &[&str],
    own: &str,
    mark: Option<&str>,
    text: &str,
    setup: Setup,
) -> Result<Edit, EditError> {
    // Half an emoji in an escape is a fault to the parser alone.
    let readable = String::from_utf8(without_lone_surrogates(text.as_bytes()));
    let readable = readable.expect("because an escape takes the place of an escape");
    let root = CstRootNode::parse(&readable, &STRICT_BUT_FOR_COMMENTS).map_err(|error| {
        let before = readable.get(..error.range().start).unwrap_or(&readable);
        EditError::Syntax {
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|sign| *sign != '\n').count() + 1,
            message: error.kind().to_string().to_lowercase(),
        }
    })?;
    let place = match place(&root, path, mark) {
        Err(_) if setup == Setup::TakeBack => return Ok(Edit::Same),
        place => place?,
    };
    // A comment in an entry is somebody's.
    let without_comments = ParseOptions {
        allow_comments: false,
        ..STRICT_BUT_FOR_COMMENTS
    };
    let read = |text: &str| parse_to_serde_value::<Value>(text, &without_comments).ok();
    let is_own = |node: &&CstNode| {
        let member = node.as_object_prop().and_then(|member| member.value());
        let text = member.as_ref().unwrap_or(node).to_string();
        read(&text) == read(own)
    };
    match (setup, place.found.iter().find(is_own)) {
        (_, None) if !place.found.is_empty() => return Ok(Edit::Foreign),
        (Setup::Connect, Some(_)) | (Setup::TakeBack, None) => return Ok(Edit::Same),
        (Setup::TakeBack, Some(node)) => remove(node.clone()),
        (Setup::Connect, None) => {
            let parsed = parse_to_ast(own, &CollectOptions::default(), &STRICT_BUT_FOR_COMMENTS);
            let value = parsed.ok().and_then(|parsed| parsed.value).as_ref().map(input);
            let value = value.expect("because the table of agents has JSON");
            match place.array {
                Some(array) => drop(array.append(value)),
                None => drop(place.object.append(path[path.len() - 1], value)),
            }
        }
    }
    // The halves of emojis come back in their order.
    let mut halves = readable
        .match_indices(HALF)
        .map(|(at, _)| &text[at..at + HALF.len()]);
    let mut edited = String::new();
    for part in root.to_string().split_inclusive(HALF) {
        match part.strip_suffix(HALF) {
            Some(whole) => edited.extend([whole, halves.next().unwrap_or(HALF)]),
            None => edited.push_str(part),
        }
    }
    Ok(Edit::Changed(edited))
}

/// Finds the container of the entry, or makes it.
fn place(root: &CstRootNode, path: &[&str], mark: Option<&str>) -> Result<Place, EditError> {
    let shape = |depth: usize, wanted| EditError::Shape {
        name: match depth {
            0 => "the file".to_owned(),
            depth => format!("`{}`", path[..depth].join(".")),
        },
        wanted,
    };
    let mut object = root
        .object_value_or_create()
        .ok_or_else(|| shape(0, "an object"))?;
    for (depth, name) in path[..path.len() - 1].iter().enumerate() {
        let inner = match last(&object, name) {
            Some(member) => member.object_value(),
            None => object.object_value_or_create(name),
        };
        object = inner.ok_or_else(|| shape(depth + 1, "an object"))?;
    }
    let name = path[path.len() - 1];
    let member = last(&object, name);
    let Some(mark) = mark else {
        let found = member.into_iter().map(CstNode::from).collect();
        return Ok(Place {
            object,
            array: None,
            found,
        });
    };
    let array = match member {
        Some(member) => member.array_value(),
        None => object.array_value_or_create(name),
    };
    let array = array.ok_or_else(|| shape(path.len(), "an array"))?;
    let mut found = array.elements();
    found.retain(|element| element.to_string().contains(mark));
    Ok(Place {
        object,
        array: Some(array),
        found,
    })
}

/// The member with this name: of several, the last one, which is the one that readers of JSON take.
fn last(object: &CstObject, name: &str) -> Option<CstObjectProp> {
    let is_named = |member: &CstObjectProp| {
        let known = member.name().and_then(|known| known.decoded_value().ok());
        known.as_deref() == Some(name)
    };
    object.properties().into_iter().rev().find(is_named)
}

/// The escape that the parser reads in the place of half an emoji.
const HALF: &str = "\\ufffd";

const STRICT_BUT_FOR_COMMENTS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Takes a node out, and the containers in which nothing else is.
fn remove(node: CstNode) {
    let container = node.parent();
    node.remove();
    let Some(container) = container else { return };
    let is_bare = |node: &CstNode| node.is_token() || node.is_whitespace() || node.is_newline();
    if container.children().iter().all(is_bare)
        && let Some(CstContainerNode::ObjectProp(member)) = container.parent()
    {
        remove(member.into());
    }
}

/// A value with its names in their order.
fn input(value: &ast::Value<'_>) -> CstInputValue {
    match value {
        ast::Value::Object(object) => {
            let members = object.properties.iter();
            let member =
                |member: &ast::ObjectProp<'_>| (member.name.as_str().to_owned(), input(&member.value));
            CstInputValue::Object(members.map(member).collect())
        }
        ast::Value::Array(array) => CstInputValue::Array(array.elements.iter().map(input).collect()),
        ast::Value::StringLit(text) => CstInputValue::String(text.value.to_string()),
        ast::Value::NumberLit(number) => CstInputValue::Number(number.value.to_owned()),
        ast::Value::BooleanLit(flag) => CstInputValue::Bool(flag.value),
        ast::Value::NullKeyword(_) => CstInputValue::Null,
    }
}

/// Adds lines at the end, after an empty line where the text before them ends one, so that taking them out again gives
/// that text to the byte.
fn edit_block(block: &str, text: &str, setup: Setup) -> Edit {
    let mark = block.lines().next().unwrap_or_default();
    match (setup, text.split_once(block)) {
        (Setup::TakeBack, Some((before, after))) => {
            Edit::Changed(before.strip_suffix('\n').unwrap_or(before).to_owned() + after)
        }
        (_, None) if text.contains(mark) => Edit::Foreign,
        (Setup::Connect, Some(_)) | (Setup::TakeBack, None) => Edit::Same,
        (Setup::Connect, None) if text.is_empty() => Edit::Changed(block.to_owned()),
        (Setup::Connect, None) => Edit::Changed(format!("{text}\n{block}")),
    }
}

fn edit_toml(key: &str, lines: &str, text: &str, setup: Setup) -> Result<Edit, EditError> {
    let path = format!("/{}", key.replace('.', "/"));
    let value = |text: &str| toml::from_str::<Value>(text).ok()?.pointer(&path).cloned();
    let own = format!("[{key}]\n{lines}\n");
    match (setup, value(text)) {
        (_, Some(there)) if Some(&there) != value(&own).as_ref() => Ok(Edit::Foreign),
        (Setup::Connect, Some(_)) | (Setup::TakeBack, None) => Ok(Edit::Same),
        (Setup::Connect, None) => Ok(Edit::Changed(config::insert_table(text, key, lines)?)),
        (Setup::TakeBack, Some(_)) => Ok(Edit::Changed(config::unset(text, key)?)),
    }
}
