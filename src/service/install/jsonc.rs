//! An entry added to the text of a JSON file, and taken out again. Comments, order, indentation and line endings stay.
//!
//! An addition removes nothing. It inserts the entry after the last token of its container, and a comma after the part
//! before. The form of the entry says which containers were there before, so that taking it back gives the very text of
//! before: beside other parts, and in a new file, everything has lines of its own; in a container that was empty, the
//! entry is on one line, right after the bracket, and the brackets of containers that mdmem made have a space inside.

use jsonc_parser::ast::Value;
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::edit::{Edit, EditError, Setup, line_of, newline_of};
use super::jsonc_form::{Form, Part, parts, printed};
use crate::sys::without_lone_surrogates;

/// An entry of mdmem's in a JSON file.
#[derive(Debug)]
pub(super) struct Entry {
    /// The names of the containers around it, from the outermost.
    pub(super) path: &'static [&'static str],
    /// Its place in the innermost container.
    pub(super) slot: Slot,
    /// Its value, as JSON.
    pub(super) value: &'static str,
}

/// The place of an entry in its container.
#[derive(Debug)]
pub(super) enum Slot {
    /// The member of this name of an object.
    Member(&'static str),
    /// An element of an array. An element that has this in one of its texts is mdmem's, or was.
    Element(&'static str),
}

impl Entry {
    /// The entry's place in its file, for people.
    pub(super) fn name(&self) -> String {
        let path = self.path.join(".");
        match self.slot {
            Slot::Member(name) => format!("`{path}.{name}`"),
            Slot::Element(mark) => format!("`{mark}` in `{path}`"),
        }
    }

    /// The value, in containers of these names, which are not there yet.
    fn nested(&self, names: &[&str]) -> String {
        let innermost = match self.slot {
            Slot::Member(name) => format!("{{\"{name}\":{}}}", self.value),
            Slot::Element(_) => format!("[{}]", self.value),
        };
        let nest = |inner: String, name: &&str| format!("{{\"{name}\":{inner}}}");
        names.iter().rev().fold(innermost, nest)
    }

    /// True where a part of the innermost container stands in the entry's place.
    fn is_place(&self, part: &Part<'_, '_>, text: &str) -> bool {
        match self.slot {
            Slot::Member(name) => part.name == Some(name),
            Slot::Element(mark) => text.contains(mark),
        }
    }
}

/// Adds the entry to a text, or takes it out.
pub(super) fn edit(entry: &Entry, text: &str, setup: Setup) -> Result<Edit, EditError> {
    let readable = readable(text);
    let document = Document::parse(text, &readable)?;
    let Some(root) = &document.root else {
        return Ok(match setup {
            Setup::Connect => Edit::Changed(with_root(text, &entry.nested(entry.path))?),
            Setup::TakeBack => Edit::Same,
        });
    };
    let containers = match document.containers(root, entry) {
        Err(_) if setup == Setup::TakeBack => return Ok(Edit::Same),
        containers => containers?,
    };
    let missing = &entry.path[containers.len() - 1..];
    let innermost = containers[containers.len() - 1];
    let in_place = parts(innermost)
        .into_iter()
        .filter(|part| missing.is_empty() && entry.is_place(part, part.value.text(text)));
    // Of several, one that is as mdmem writes it counts, else the last one.
    let found = in_place.max_by_key(|part| is_same(part.value.text(text), entry.value));
    match (setup, found) {
        (_, Some(part)) if !is_same(part.value.text(text), entry.value) => Ok(Edit::Foreign),
        (Setup::Connect, Some(_)) | (Setup::TakeBack, None) => Ok(Edit::Same),
        (Setup::Connect, None) => {
            let (name, value) = match (missing, &entry.slot) {
                ([], Slot::Member(name)) => (Some(*name), entry.value.to_owned()),
                ([], Slot::Element(_)) => (None, entry.value.to_owned()),
                ([name, inner @ ..], _) => (Some(*name), entry.nested(inner)),
            };
            document.with(innermost, name, &value).map(Edit::Changed)
        }
        (Setup::TakeBack, Some(part)) => Ok(Edit::Changed(document.without(&containers, part))),
    }
}

/// True when two texts are the same value of strict JSON: a comment in an entry is somebody's.
fn is_same(one: &str, other: &str) -> bool {
    let value = |text| serde_json::from_str::<serde_json::Value>(text).ok();
    value(one).is_some_and(|one| Some(one) == value(other))
}

/// A text that holds no value yet, with one after it. It ends as it did: with a line ending, or without.
fn with_root(text: &str, value: &str) -> Result<String, EditError> {
    let newline = newline_of(text);
    let form = Form::Lines {
        newline,
        unit: "  ",
        indent: "",
    };
    let value = printed(value, form)?;
    Ok(if text.is_empty() || text.ends_with(['\n', '\r']) {
        format!("{text}{value}{newline}")
    } else {
        format!("{text}{newline}{value}")
    })
}

/// The text as the parser can read it: an escape that is half an emoji is no fault of JSON's. Each byte keeps its place.
fn readable(text: &str) -> String {
    let readable = without_lone_surrogates(text.as_bytes());
    String::from_utf8(readable).expect("because an escape takes the place of an escape")
}

/// A text and its syntax.
pub(super) struct Document<'a> {
    text: &'a str,
    pub(super) root: Option<Value<'a>>,
    /// Comments too.
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Document<'a> {
    /// `readable` is the text with nothing in it that the parser refuses and JSON allows.
    pub(super) fn parse(text: &'a str, readable: &'a str) -> Result<Self, EditError> {
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::AsTokens,
            tokens: true,
        };
        let options = ParseOptions {
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
        let parsed = parse_to_ast(readable, &collect, &options).map_err(|error| {
            let message = error.kind().to_string().to_lowercase();
            EditError::syntax(text, error.range().start, &message)
        })?;
        Ok(Self {
            text,
            root: parsed.value,
            tokens: parsed.tokens.unwrap_or_default(),
        })
    }

    /// The containers around the entry, from the outermost, as far as they are there.
    fn containers<'d>(&self, root: &'d Value<'a>, entry: &Entry) -> Result<Vec<&'d Value<'a>>, EditError> {
        let mut containers = vec![root];
        let mut value = root;
        for depth in 0.. {
            let is_innermost = depth == entry.path.len();
            let wanted = match (&entry.slot, value) {
                (Slot::Element(_), Value::Array(_)) if is_innermost => None,
                (Slot::Element(_), _) if is_innermost => Some("array"),
                (_, Value::Object(_)) => None,
                _ => Some("object"),
            };
            if let Some(wanted) = wanted {
                let name = depth.checked_sub(1).map_or_else(
                    || "the file".to_owned(),
                    |last| format!("`{}`", entry.path[..=last].join(".")),
                );
                let line = line_of(self.text, value.start());
                return Err(EditError::Shape { line, name, wanted });
            }
            let name = entry.path.get(depth).copied();
            let next = name.and_then(|name| parts(value).into_iter().rfind(|part| part.name == Some(name)));
            let Some(next) = next else { break };
            value = next.value;
            containers.push(value);
        }
        Ok(containers)
    }

    /// The text with one more part at the end of a container.
    fn with(&self, container: &Value<'a>, name: Option<&str>, value: &str) -> Result<String, EditError> {
        let (open, close) = (container.start() + 1, container.end() - 1);
        let (parts, last) = (parts(container), self.last_token(close));
        let first = parts.first().map_or(close, |part| part.range.start);
        let begins_on_own_line = self.text[open..first].contains('\n');
        let has_lines = begins_on_own_line || matches!(last.token, Token::CommentLine(_));
        let (newline, unit) = (newline_of(self.text), self.unit());
        let indent = if begins_on_own_line && !parts.is_empty() {
            self.indent(first).to_owned()
        } else {
            format!("{}{unit}", self.indent(container.start()))
        };
        let lines = Form::Lines {
            newline,
            unit,
            indent: &indent,
        };
        let is_beside_lines = has_lines && !parts.is_empty();
        let value = printed(value, if is_beside_lines { lines } else { Form::OneLine })?;
        let name = name.map(|name| format!("\"{name}\": ")).unwrap_or_default();
        let space = match last.range.end {
            _ if has_lines => format!("{newline}{indent}"),
            end if end == open => String::new(),
            _ => " ".to_owned(),
        };
        let (comma_at, trailing_comma) = match parts.last() {
            None => (None, ""),
            Some(_) if self.comma_before(close).is_some() => (None, ","),
            Some(part) => (Some(part.range.end), ""),
        };
        let mut text = self.text.to_owned();
        text.insert_str(last.range.end, &format!("{space}{name}{value}{trailing_comma}"));
        if let Some(comma_at) = comma_at {
            text.insert(comma_at, ',');
        }
        Ok(text)
    }

    /// The text without a part, and without the containers that mdmem made for it, innermost last.
    fn without(&self, containers: &[&Value<'a>], part: Part<'_, 'a>) -> String {
        let mut part = part;
        for (depth, container) in containers.iter().enumerate().rev() {
            if !self.is_made_for(container, part) {
                return self.without_part(container, part);
            }
            let Some(outer) = depth.checked_sub(1) else { break };
            let is_container = |part: &Part<'_, '_>| std::ptr::eq(part.value, *container);
            let found = parts(containers[outer]).into_iter().find(is_container);
            part = found.expect("because each container is in the one before it");
        }
        let root = containers[0];
        let (before, after) = (&self.text[..root.start()], &self.text[root.end()..]);
        let newline = newline_of(self.text);
        match after {
            "" => before.strip_suffix(newline).unwrap_or(before).to_owned(),
            after if after == newline => before.to_owned(),
            after => format!("{before}{after}"),
        }
    }

    /// True when mdmem made the container for this part: nothing else is in it, and its form says so.
    fn is_made_for(&self, container: &Value<'a>, part: Part<'_, 'a>) -> bool {
        let inside = |range: Range| container.start() < range.start && range.end < container.end();
        let is_comment = |token: &Token<'_>| matches!(token, Token::CommentLine(_) | Token::CommentBlock(_));
        let has_comment = || {
            self.tokens
                .iter()
                .any(|token| is_comment(&token.token) && inside(token.range))
        };
        let space = &self.text[container.start() + 1..part.range.start];
        let is_form_of_made = if space.contains('\n') {
            self.text[part.range.start..part.range.end].contains('\n')
        } else {
            !space.is_empty()
        };
        parts(container).len() == 1 && is_form_of_made && !has_comment()
    }

    fn without_part(&self, container: &Value<'a>, part: Part<'_, 'a>) -> String {
        let begin = self.last_token(part.range.start).range.end;
        let after = self.comma_after(part.range.end);
        let is_last = parts(container)
            .last()
            .is_some_and(|last| last.range == part.range);
        // The last part had the comma before it inserted, unless the container has a trailing one.
        let comma = after.or_else(|| is_last.then(|| self.comma_before(part.range.start)).flatten());
        let mut cuts = vec![Range::new(begin, part.range.end)];
        cuts.extend(comma);
        cuts.sort_by_key(|cut| std::cmp::Reverse(cut.start));
        let mut text = self.text.to_owned();
        for cut in cuts {
            text.replace_range(cut.start..cut.end, "");
        }
        text
    }

    /// The last token, comments too, that ends before `at`. There is one before every part of a container.
    fn last_token(&self, at: usize) -> &TokenAndRange<'a> {
        let count = self.tokens.partition_point(|token| token.range.end <= at);
        &self.tokens[count - 1]
    }

    /// The comma that is the last token before `at`, apart from comments.
    fn comma_before(&self, at: usize) -> Option<Range> {
        let count = self.tokens.partition_point(|token| token.range.end <= at);
        comma(self.tokens[..count].iter().rev())
    }

    fn comma_after(&self, at: usize) -> Option<Range> {
        let count = self.tokens.partition_point(|token| token.range.start < at);
        comma(self.tokens[count..].iter())
    }

    /// The whitespace at the beginning of the line of a byte.
    fn indent(&self, at: usize) -> &'a str {
        let begin = self.text[..at].rfind('\n').map_or(0, |at| at + 1);
        let line = &self.text[begin..at];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// The whitespace of one level: that of the first line in the root, else two spaces.
    fn unit(&self) -> &'a str {
        let first = self
            .root
            .as_ref()
            .and_then(|root| Some((root.start(), *parts(root).first()?)));
        match first {
            Some((begin, first)) if self.text[begin..first.range.start].contains('\n') => {
                let indent = self.indent(first.range.start);
                indent.strip_prefix(self.indent(begin)).unwrap_or(indent)
            }
            _ => "  ",
        }
    }
}

/// The first token, if it is a comma, apart from comments.
fn comma<'t, 'a: 't>(mut tokens: impl Iterator<Item = &'t TokenAndRange<'a>>) -> Option<Range> {
    let is_comment =
        |token: &&TokenAndRange<'_>| matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_));
    let first = tokens.find(|token| !is_comment(token))?;
    (first.token == Token::Comma).then_some(first.range)
}
