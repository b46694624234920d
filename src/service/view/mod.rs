//! Use case: the pages of `mdmem view`, which a server hands out and an export writes. An address is the same for both:
//! `view.css`, `index.html` with the stores, `STORE/memories.html` and the other screens, `STORE/memory/PATH.html`. A page
//! has relative links alone, and every text of a store on it is without credentials.

mod act;
mod export;
mod screens;

pub use act::{Acted, act, heads};
pub use export::{ViewExport, export_view};

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde_json::{Value, json};
use url::form_urlencoded;

use super::export::for_readers;
use super::shared_files::lock;
use super::{Background, Context, Ranking, ServiceError, name_cover, stores};
use crate::git::Step;
use crate::model::{Oid, StorePath, Timestamp};
use crate::render::{self, Scope};
use crate::store::{Snapshot, Store};
use crate::text::sha256_hex;

/// Who looks at the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer<'a> {
    /// The person at this machine, whom the pages offer changes.
    Person,
    /// Whoever gets an export of the stores with these names: what is held back in them is not theirs.
    Reader(&'a [String]),
}

impl Viewer<'_> {
    fn may_see(self, store: &str) -> bool {
        match self {
            Self::Person => true,
            Self::Reader(stores) => stores.iter().any(|name| name == store),
        }
    }
}

/// A page that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct ViewRequest<'a> {
    /// Its address below the first page's folder, percent-encoded: `shop/memories.html`.
    pub path: &'a str,
    /// What stands behind the `?`: `q=port&type=project`.
    pub query: &'a str,
    /// Who looks at it.
    pub viewer: Viewer<'a>,
    /// Of a memory: the text that somebody wanted to save and that met a newer one.
    pub draft: Option<&'a str>,
}

/// A page, or a file that pages use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewPage {
    /// Its media type.
    pub mime: &'static str,
    /// Its text.
    pub text: String,
}

impl ViewPage {
    fn html(template: &str, values: &Value) -> Self {
        Self {
            mime: "text/html; charset=utf-8",
            text: render::page(template, values),
        }
    }
}

/// A screen of a store.
#[derive(Serialize)]
struct Screen {
    /// The name of its page.
    name: &'static str,
    /// Its title.
    title: &'static str,
    /// True for one that an export has.
    is_exported: bool,
}

const fn screen(name: &'static str, title: &'static str, is_exported: bool) -> Screen {
    Screen {
        name,
        title,
        is_exported,
    }
}

/// What became of a change that is not committed, in the address of the page that it leads to.
const HELD: &str = "held";
const DEFERRED: &str = "deferred";

/// The screens, in their order.
const SCREENS: [Screen; 6] = [
    screen("memories", "Memories", true),
    screen("prompt", "Prompt", true),
    screen("history", "History", true),
    screen("review", "Review", false),
    screen("conversations", "Conversations", false),
    screen("health", "Health", false),
];

/// The address of the first page: the memories of the store that is meant, else the stores.
pub fn first_page(context: &Context) -> String {
    match context.open_existing() {
        Ok(Some(store)) => format!("{}/memories.html", render::address(&store.place().name)),
        _ => "index.html".to_owned(),
    }
}

/// Makes a page; `None` where there is none of this address. `background` has the files of the stores that this process
/// watches.
pub fn view(
    context: &Context,
    request: &ViewRequest<'_>,
    background: Option<&Mutex<Background>>,
) -> Result<Option<ViewPage>, ServiceError> {
    let file = |mime, text: &str| {
        Ok(Some(ViewPage {
            mime,
            text: text.to_owned(),
        }))
    };
    match request.path {
        "view.css" => return file("text/css; charset=utf-8", render::STYLE),
        "view.js" => return file("text/javascript; charset=utf-8", render::SCRIPT),
        "index.html" => return stores_page(context, request).map(Some),
        _ => {}
    }
    let path = percent_decode_str(request.path).decode_utf8_lossy();
    let Some((name, rest)) = path.split_once('/') else {
        return Ok(None);
    };
    let Some(rest) = rest.strip_suffix(".html") else {
        return Ok(None);
    };
    let Some(view) = View::open(context, request, name, background)? else {
        return Ok(None);
    };
    view.page(rest, request.path.matches('/').count(), None)
}

/// The page of the stores.
fn stores_page(context: &Context, request: &ViewRequest<'_>) -> Result<ViewPage, ServiceError> {
    let mut known = stores(context)?;
    known.retain(|store| request.viewer.may_see(&store.name));
    let values = json!({
        "root": "", "base": "", "store": "", "screen": "stores", "title": "Stores", "screens": [], "done": null,
        "live": request.viewer == Viewer::Person, "now": context.clock.now(), "page": { "stores": known },
    });
    Ok(ViewPage::html("stores", &values))
}

/// A page that says why there is nothing else: what happened, the next step, and a text that was not saved. `depth` is
/// the number of folders in the address that was asked for.
pub fn message_page(
    title: &str,
    what: &str,
    hint: Option<&str>,
    draft: Option<&str>,
    depth: usize,
) -> ViewPage {
    let values = json!({
        "root": "../".repeat(depth), "base": "", "store": "", "screen": "message", "title": title, "live": false,
        "screens": [], "done": null, "page": { "what": what, "hint": hint, "draft": draft },
    });
    ViewPage::html("message", &values)
}

/// The revision of a file's bytes, which the form of an edit carries.
pub fn revision(bytes: &[u8]) -> String {
    sha256_hex(bytes)
}

/// The bytes of an edit: a browser ends each line with CR LF.
pub fn edited(original: &[u8], typed: &str) -> Vec<u8> {
    if original.windows(2).any(|pair| pair == b"\r\n") {
        typed.as_bytes().to_vec()
    } else {
        typed.replace("\r\n", "\n").into_bytes()
    }
}

/// What the pages of all memories share, made once where there are many: each part takes a look at everything.
struct Shared<'a> {
    ranking: Ranking<'a>,
    steps: Vec<Step>,
}

/// One store, and what is asked of it.
struct View<'a> {
    context: Context,
    store: Store,
    snapshot: OnceCell<Arc<Snapshot>>,
    request: &'a ViewRequest<'a>,
    params: BTreeMap<String, String>,
    /// The commit that the store was at before a file was read.
    head: Option<Oid>,
    background: Option<&'a Mutex<Background>>,
}

impl<'a> View<'a> {
    /// `None` where no store has the name, or it is not for the viewer.
    fn open(
        context: &Context,
        request: &'a ViewRequest<'a>,
        name: &str,
        background: Option<&'a Mutex<Background>>,
    ) -> Result<Option<Self>, ServiceError> {
        let context = Context {
            scope: Scope::Workspace,
            store: Some(name.to_owned()),
            ..context.clone()
        };
        // No store has the name.
        if !request.viewer.may_see(name) || context.place().is_err() {
            return Ok(None);
        }
        let Some(store) = context.open_existing()? else {
            return Ok(None);
        };
        let params = form_urlencoded::parse(request.query.as_bytes());
        Ok(Some(Self {
            params: params
                .into_owned()
                .filter(|(_, value)| !value.is_empty())
                .collect(),
            head: store.repo().head()?.tip(),
            background,
            store,
            snapshot: OnceCell::new(),
            context,
            request,
        }))
    }

    /// What the pages of all memories share.
    fn shared(&self) -> Result<Shared<'_>, ServiceError> {
        let snapshot = self.snapshot()?;
        let steps = snapshot.head.map(|head| self.store.repo().log(head, None));
        let steps = steps.transpose()?.into_iter().flatten();
        Ok(Shared {
            ranking: Ranking::new(&self.store, snapshot, self.now()),
            steps: steps.collect::<Result<_, _>>()?,
        })
    }

    /// Makes the page of a screen or of a memory, that many folders below the first page. `shared` is there where it was
    /// made for other pages too.
    fn page(
        &self,
        name: &str,
        depth: usize,
        shared: Option<&Shared<'_>>,
    ) -> Result<Option<ViewPage>, ServiceError> {
        let (screen, title, page) = match name.split_once('/') {
            Some(("memory", path)) => {
                let Ok(path) = StorePath::new(path) else {
                    return Ok(None);
                };
                match self.memory(&path, shared)? {
                    Some((title, page)) => ("memory", title, page),
                    None => return Ok(None),
                }
            }
            Some(_) => return Ok(None),
            None => match self.screens().find(|screen| screen.name == name) {
                Some(screen) => (screen.name, screen.title.to_owned(), self.screen(screen.name)?),
                None => return Ok(None),
            },
        };
        let mut values = self.around(screen, &title, depth);
        values["page"] = page;
        self.clean(&mut values);
        if let Some(draft) = self.request.draft {
            // To the letter, because it goes back into the form.
            values["page"]["draft"] = json!(draft);
        }
        Ok(Some(ViewPage::html(screen, &values)))
    }

    /// The files of the store that are for the viewer, as they were when the first part of a page asked for them.
    fn snapshot(&self) -> Result<&Snapshot, ServiceError> {
        if let Some(snapshot) = self.snapshot.get() {
            return Ok(snapshot);
        }
        let files = self.background.map(|all| lock(all).files(self.store.root()));
        let mut loaded = match files {
            Some(files) => files.snapshot_now(&self.store)?,
            None => Arc::new(self.store.load()?),
        };
        if !self.is_live() {
            loaded = Arc::new(for_readers(&loaded));
        }
        Ok(self.snapshot.get_or_init(|| loaded))
    }

    /// The screens that the viewer has.
    fn screens(&self) -> impl Iterator<Item = &'static Screen> {
        let is_live = self.is_live();
        SCREENS.iter().filter(move |screen| is_live || screen.is_exported)
    }

    const fn store(&self) -> &Store {
        &self.store
    }

    fn is_live(&self) -> bool {
        self.request.viewer == Viewer::Person
    }

    fn param(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    fn now(&self) -> Timestamp {
        self.store().now()
    }

    /// What every page has around it.
    fn around(&self, screen: &str, title: &str, depth: usize) -> Value {
        let name = &self.store().place().name;
        let root = "../".repeat(depth);
        // The commit of the change that led here, with its undo; or the reason why there is none.
        let done = self.param("done");
        let is_commit = (7..=40).contains(&done.len()) && done.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_done = is_commit || [HELD, DEFERRED].contains(&done);
        json!({
            "base": format!("{root}{}/", render::address(name)),
            "root": root,
            "store": name,
            "screen": screen,
            "title": title,
            "live": self.is_live(),
            "head": self.head,
            "now": self.now(),
            "screens": self.screens().collect::<Vec<_>>(),
            "params": self.params,
            "done": is_done.then_some(done),
        })
    }

    /// Takes out of every text what looks like a credential.
    fn clean(&self, values: &mut Value) {
        let cover = name_cover(self.store());
        let clean = |text: &str| cover(&self.store().redactor().redact(text));
        clean_with(values, &clean);
    }
}

fn clean_with(value: &mut Value, clean: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = clean(text),
        Value::Array(values) => values.iter_mut().for_each(|value| clean_with(value, clean)),
        Value::Object(values) => values.values_mut().for_each(|value| clean_with(value, clean)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::edited;

    #[test]
    fn an_edit_keeps_the_ends_of_lines() {
        assert_eq!(edited(b"a\nb\n", "a\r\nc\r\n"), b"a\nc\n");
        assert_eq!(edited(b"a\r\nb\r\n", "a\r\nc\r\n"), b"a\r\nc\r\n");
    }
}
