//! A note's markdown as HTML: headings, lists, tables, code and emphasis. HTML in it is text, an image is its words, and a
//! link leads to the web or to a memory, or is none.

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

use super::escaped;

/// The HTML of a markdown text. `memory` gives the address of the memory that a `[[name]]` means.
pub(super) fn html(text: &str, memory: impl Fn(&str) -> Option<String>) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_WIKILINKS;
    // The links that are open: true where an element is.
    let mut open = Vec::new();
    let events = Parser::new_ext(text, options).map(|event| match event {
        Event::Start(Tag::Link {
            link_type, dest_url, ..
        }) => {
            let link = match link_type {
                LinkType::WikiLink { .. } => {
                    let name = dest_url.split('#').next().unwrap_or_default();
                    memory(name.trim()).map(|address| format!("<a href=\"{}\">", escaped(&address)))
                }
                LinkType::Email => outward(&format!("mailto:{dest_url}")),
                _ => outward(&dest_url),
            };
            open.push(link.is_some());
            Event::InlineHtml(link.unwrap_or_default().into())
        }
        Event::End(TagEnd::Link) => {
            let end = if open.pop() == Some(true) { "</a>" } else { "" };
            Event::InlineHtml(end.into())
        }
        Event::Start(Tag::Image { .. }) => Event::Text("🖼 ".into()),
        Event::End(TagEnd::Image) => Event::Text("".into()),
        Event::Start(Tag::Heading { level, .. }) => Event::Start(Tag::Heading {
            level: below(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        }),
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(below(level))),
        // Alignment would be a style.
        Event::Start(Tag::Table(columns)) => {
            Event::Start(Tag::Table(vec![pulldown_cmark::Alignment::None; columns.len()]))
        }
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::TaskListMarker(done) => Event::Text(if done { "☑ " } else { "☐ " }.into()),
        event => event,
    });
    let mut made = String::new();
    html::push_html(&mut made, events);
    made
}

/// A heading of the note below that of the page.
const fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H2,
        HeadingLevel::H2 => HeadingLevel::H3,
        HeadingLevel::H3 => HeadingLevel::H4,
        HeadingLevel::H4 => HeadingLevel::H5,
        HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

/// The element of a link to the web or to a person, which says that it leads away.
fn outward(address: &str) -> Option<String> {
    let scheme = address.split(':').next()?.to_ascii_lowercase();
    let is_open = matches!(scheme.as_str(), "http" | "https" | "mailto") && address.contains(':');
    is_open.then(|| {
        format!(
            "<a class=\"out\" rel=\"noreferrer noopener\" href=\"{}\">",
            escaped(address)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> String {
        html(text, |name| {
            (name == "port").then(|| "../memory/project/port.md.html".to_owned())
        })
    }

    #[test]
    fn what_a_note_says_is_never_an_element_of_the_page() {
        for hostile in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<svg onload=alert(1)>\n\n<style>*{display:none}</style>",
            "[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](data:text/html,x) [w](//evil.example)",
            "![x](http://evil.example/p.png) ![[y]]",
            "# t {onclick=alert(1)}\n\n```\"><script>\n</script>\n```",
            "| a |\n|:-:|\n| <b onclick=x> |",
            "<!-- --> <![CDATA[ <x> ]]> <?php ?> &lt;script&gt;",
            "<http://a.example/\"onclick=x> <a@b.example>",
        ] {
            let made = made(hostile);
            for part in made.split('<').skip(1) {
                let name: String = part.chars().take_while(char::is_ascii_alphanumeric).collect();
                let is_plain = part.starts_with('/') || part.starts_with(&format!("{name}>"));
                let is_link = part.starts_with("a class=\"out\" rel=\"noreferrer noopener\" href=\"");
                let is_code = part.starts_with("code class=\"language-");
                assert!(is_plain || is_link || is_code, "{hostile}: <{part}");
                assert!(
                    !matches!(name.as_str(), "script" | "svg" | "style" | "img"),
                    "{made}"
                );
            }
        }
    }

    #[test]
    fn links_lead_to_memories_and_to_the_web() {
        assert_eq!(
            made("[[port]] [[port|the port]] [[gone]] <https://a.example/?a=1&b=2>"),
            "<p><a href=\"../memory/project/port.md.html\">port</a> \
             <a href=\"../memory/project/port.md.html\">the port</a> gone \
             <a class=\"out\" rel=\"noreferrer noopener\" href=\"https://a.example/?a=1&amp;b=2\">\
             https://a.example/?a=1&amp;b=2</a></p>\n"
        );
    }
}
