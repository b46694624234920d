//! The pages of `mdmem view`: HTML from values that serialize. Whatever a value says is escaped, and shows nothing that
//! hides; markdown becomes the few elements of `markdown`. A page has no script, no style and no address of its own: one
//! file of each lies beside it (`templates/view/`).

mod markdown;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Output, Value};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::model::Timestamp;
use crate::text::{without_escapes, without_strays};

/// The style of every page.
pub const STYLE: &str = include_str!("../../../templates/view/view.css");
/// What pages do beyond links and forms.
pub const SCRIPT: &str = include_str!("../../../templates/view/view.js");

const SOURCES: [(&str, &str); 12] = [
    ("layout", include_str!("../../../templates/view/layout.html")),
    ("parts", include_str!("../../../templates/view/parts.html")),
    ("memories", include_str!("../../../templates/view/memories.html")),
    ("memory", include_str!("../../../templates/view/memory.html")),
    ("curve", include_str!("../../../templates/view/curve.svg")),
    ("prompt", include_str!("../../../templates/view/prompt.html")),
    ("history", include_str!("../../../templates/view/history.html")),
    ("review", include_str!("../../../templates/view/review.html")),
    (
        "conversations",
        include_str!("../../../templates/view/conversations.html"),
    ),
    ("health", include_str!("../../../templates/view/health.html")),
    ("stores", include_str!("../../../templates/view/stores.html")),
    ("message", include_str!("../../../templates/view/message.html")),
];

/// What needs no escape in a part of an address.
const OPEN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The page that a template makes of these values.
pub fn page(template: &str, values: &serde_json::Value) -> String {
    let template = environment().get_template(template);
    let template = template.expect("because every template is added where the environment is made");
    let made = template.render(Value::from(Serde(values)));
    made.expect("because the caller gives every value that the template names, and a test renders each")
}

/// A path as a part of an address.
pub fn address(path: &str) -> String {
    utf8_percent_encode(path, OPEN).to_string()
}

fn environment() -> &'static Environment<'static> {
    static ENVIRONMENT: OnceLock<Environment<'static>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let lines = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build();
        environment.set_syntax(lines.expect("because only line breaks are other than usual"));
        environment.set_formatter(|out, _, value| write(out, value));
        environment.add_filter("address", |path: &str| address(path));
        environment.add_filter(
            "markdown",
            |text: &str, base: &str, links: Serde<BTreeMap<String, String>>| {
                Value::from_safe_string(markdown::html(&visible(text), |name| {
                    Some(format!("{base}memory/{}.html", address(links.get(name)?)))
                }))
            },
        );
        environment.add_filter("as_typed", |text: &str| Value::from_safe_string(escaped(text)));
        environment.add_filter("age", |then: &str, now: &str| age(then, now).unwrap_or_default());
        environment.add_filter("short", |oid: &str| oid.chars().take(7).collect::<String>());
        environment.add_filter("number", |number: f64| format!("{number:.2}"));
        environment.add_filter("part", |number: f64, most: f64| {
            format!("{:.1}", (number / most).clamp(0.0, 1.0) * 100.0)
        });
        for (name, source) in SOURCES {
            environment
                .add_template(name, source)
                .expect("because the templates are part of the program, and a test compiles them");
        }
        environment
    })
}

/// Writes a value: HTML that was made here as it is, all else as text.
fn write(out: &mut Output, value: &Value) -> Result<(), minijinja::Error> {
    if value.is_safe() {
        return Ok(write!(out, "{value}")?);
    }
    if value.is_undefined() || value.is_none() {
        return Ok(());
    }
    Ok(out.write_str(&escaped(&visible(&value.to_string())))?)
}

/// The text as HTML shows it.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
    html
}

/// The text without what a page would obey or hide: escapes, characters that turn the order around, other controls.
fn visible(text: &str) -> String {
    let text = without_escapes(text);
    let text = without_strays(&text);
    let seen = |c: char| match c {
        '\n' | '\t' => Some(c),
        '\r' => None,
        c if c.is_control() => Some('\u{fffd}'),
        c => Some(c),
    };
    text.chars().filter_map(seen).collect()
}

/// The time between two in its largest unit: `now`, `5m`, `3h`, `12d`, `4mo`, `2y`; a time to come has a `+`.
fn age(then: &str, now: &str) -> Option<String> {
    const UNITS: [(i64, &str); 5] = [(525_600, "y"), (43_200, "mo"), (1440, "d"), (60, "h"), (1, "m")];
    let minutes = Timestamp::parse(now)?.millis_since(Timestamp::parse(then)?) / 60_000;
    let sign = if minutes < 0 { "+" } else { "" };
    let minutes = minutes.abs();
    let unit = UNITS.iter().find(|(unit, _)| minutes >= *unit);
    Some(unit.map_or_else(
        || "now".to_owned(),
        |(unit, word)| format!("{sign}{}{word}", minutes / unit),
    ))
}
