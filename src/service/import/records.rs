//! Tools that keep records: engram, mem0, the memory server of the Model Context Protocol and claude-mem. Each gives JSON,
//! or rows of a table with the same names as keys; one record is one memory. Here is also what mdmem itself exports.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::DirEntry;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value as Json, json};

use super::entry::{Entry, Parts, WHOLE};
use super::facts::labelled;
use super::form::{Wanted, workspace};
use super::source::{MAX_JSON, Reading, check_version, list, malformed, parse_json};
use crate::document::{Key, NewMemory, Value, read_content};
use crate::git::look_at;
use crate::model::{HOT_DIR, Kind, Timestamp};
use crate::render::Scope;
use crate::service::ServiceError;
use crate::sys::{SysError, shown_path};

/// The end of the name of engram's chunks.
const CHUNK: &str = ".jsonl.gz";

/// A record, and where it stands.
type Record = (PathBuf, String, Json);

/// Reads the JSON of `engram export`.
pub(super) fn read_engram(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let path = reading.path.clone();
    let export = reading.take_json()?.remove(0);
    let observations = list(&path, &export, "observations")?.iter();
    let records =
        observations.map(|item| (path.clone(), format!("observation {}", item["id"]), item.clone()));
    let records: Vec<Record> = records.collect();
    let prompts = export["prompts"].as_array().map_or(0, Vec::len);
    add_of_project(reading, records)?;
    leave_prompts(reading, &path, prompts);
    Ok(())
}

/// Reads the chunks that engram keeps for git: of a record that several have the last one counts, and what was deleted is
/// no memory.
pub(super) fn read_engram_chunks(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let folder =
        chunks_of(&reading.path).ok_or_else(|| malformed(&reading.path, "there are no engram chunks"))?;
    let listed = folder
        .read_dir()
        .map_err(|error| SysError::io("list", &folder, error))?;
    let mut files: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(CHUNK));
    files.sort();
    let mut records: BTreeMap<String, Record> = BTreeMap::new();
    let (mut deleted, mut prompts) = (BTreeSet::new(), 0);
    for file in &files {
        let mut text = Vec::new();
        let opened = std::fs::File::open(file).map_err(|error| SysError::io("read", file, error))?;
        let inflated = GzDecoder::new(opened).take(MAX_JSON).read_to_end(&mut text);
        inflated.map_err(|error| malformed(file, &error.to_string()))?;
        for chunk in parse_json(file, &text)? {
            let of = |key: &str| chunk[key].as_array().cloned().unwrap_or_default();
            for item in of("observations") {
                let id = stated(&item, &["sync_id", "id"]).unwrap_or_else(|| item["id"].to_string());
                let is_later = |(_, _, known): &Record| {
                    let time = |item: &Json| stated(item, &["updated_at", "created_at"]);
                    time(&item) >= time(known)
                };
                if records.get(&id).is_none_or(is_later) {
                    records.insert(id.clone(), (file.clone(), format!("observation {id}"), item));
                }
            }
            let gone = of("mutations")
                .into_iter()
                .filter(|change| change["op"] == "delete");
            deleted.extend(gone.filter_map(|change| stated(&change, &["entity_key"])));
            prompts += of("prompts").len();
        }
    }
    for (id, (_, _, item)) in &mut records {
        if deleted.contains(id) {
            item["deleted_at"] = "then".into();
        }
    }
    add_of_project(reading, records.into_values().collect())?;
    leave_prompts(reading, &folder, prompts);
    Ok(())
}

/// The folder of engram's chunks that a path is, or holds.
pub(super) fn chunks_of(path: &Path) -> Option<PathBuf> {
    let places = [path.to_owned(), path.join("chunks"), path.join(".engram/chunks")];
    places.into_iter().find(|place| {
        let is_chunk = |entry: &DirEntry| entry.file_name().to_string_lossy().ends_with(CHUNK);
        let has_one = || {
            place
                .read_dir()
                .is_ok_and(|all| all.flatten().any(|entry| is_chunk(&entry)))
        };
        place.ends_with("chunks") && (place.with_file_name("manifest.json").is_file() || has_one())
    })
}

/// Reads an export of mem0: a list, or an object with one as `results` or `memories`.
pub(super) fn read_mem0(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let path = reading.path.clone();
    let json = reading.take_json()?;
    let items = mem0_items(&json);
    // Where all are of one user or agent, that says nothing.
    let differs = |key: &&str| items.iter().any(|item| item[*key] != items[0][*key]);
    let telling: Vec<&str> = ["user_id", "agent_id", "app_id", "run_id"]
        .into_iter()
        .filter(differs)
        .collect();
    for (at, item) in items.iter().enumerate() {
        let stated = telling.iter().map(|key| (*key, &item[*key]));
        let more = item["metadata"].as_object().into_iter().flatten();
        let properties = stated.chain(more.map(|(key, value)| (key.as_str(), value)));
        let entry = entry(item, reading).with_properties(properties);
        reading.add(&path, &format!("memory {}", at + 1), entry);
    }
    Ok(())
}

/// The items of an export of mem0's; none where it is none.
pub(super) fn mem0_items(values: &[Json]) -> Vec<&Json> {
    let one = || values.first().filter(|_| values.len() == 1);
    let listed = one().and_then(|value| {
        let list = value.as_array().or_else(|| value["results"].as_array());
        list.or_else(|| value["memories"].as_array())
    });
    let items = listed.map_or(values, Vec::as_slice).iter();
    items.filter(|item| item["memory"].is_string()).collect()
}

/// Reads what the memory server of the Model Context Protocol keeps: an entity becomes a note of what was observed of it,
/// with links to what it has to do with.
pub(super) fn read_memory_server(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let path = reading.path.clone();
    let mut values = reading.take_json()?;
    // Others write all of it as one object.
    if let [Json::Object(graph)] = &mut values[..] {
        let of = |key: &str, kind: &str| {
            let items = graph
                .get(key)
                .and_then(Json::as_array)
                .cloned()
                .unwrap_or_default();
            items
                .into_iter()
                .map(|mut item| {
                    if item.is_object() {
                        item["type"] = kind.into();
                    }
                    item
                })
                .collect::<Vec<_>>()
        };
        let all = [of("entities", "entity"), of("relations", "relation")].concat();
        if !all.is_empty() {
            values = all;
        }
    }
    let mut relations: HashMap<String, Vec<String>> = HashMap::new();
    for item in values.iter().filter(|item| item["type"] == "relation") {
        if let (Some(from), Some(to)) = (stated(item, &["from"]), stated(item, &["to"])) {
            let verb = stated(item, &["relationType"]).unwrap_or_default();
            relations
                .entry(from)
                .or_default()
                .push(format!("- {verb} [[{to}]]\n"));
        }
    }
    for item in values.iter().filter(|item| item["type"] == "entity") {
        let name = stated(item, &["name"]).unwrap_or_default();
        let observed = items(&item["observations"]);
        let related = relations.remove(&name).unwrap_or_default().concat();
        let related = match &*related {
            "" => String::new(),
            related => format!("\n## Relations\n\n{related}"),
        };
        let memory = NewMemory {
            kind: kind(&stated(item, &["entityType"]).unwrap_or_default()),
            tags: stated(item, &["entityType"]).into_iter().collect(),
            content: read_content(&format!("# {name}\n\n{observed}{related}")),
            ..NewMemory::default()
        };
        let entry = if name.is_empty() {
            Entry::fault("it has no name")
        } else {
            Entry {
                keys: vec![(Key::Name, Value::from(&*name))],
                parts: Some(Parts {
                    subject: Some(name.clone()),
                    ..Parts::default()
                }),
                ..Entry::words(memory, &reading.rules)
            }
        };
        reading.add(&path, &format!("entity {name}"), entry);
    }
    for (name, lost) in relations {
        let plural = if lost.len() == 1 { "relation" } else { "relations" };
        let reason = format!("{} {plural} of {name}, which is not an entity", lost.len());
        reading.add(&path, &format!("relations of {name}"), Entry::left_out(reason));
    }
    Ok(())
}

/// Reads the database of claude-mem: what it observed, and the summaries of sessions.
pub(super) fn read_claude_mem(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let path = reading.path.clone();
    let failed = |error: rusqlite::Error| malformed(&path, &error.to_string());
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(&path, flags).map_err(failed)?;
    let mut records = rows(&db, "observations").map_err(failed)?;
    // The first versions had none.
    for mut row in rows(&db, "session_summaries").unwrap_or_default() {
        row["type"] = "session_summary".into();
        row["title"] = row["request"].take();
        records.push(row);
    }
    let records = records.into_iter().map(|mut row| {
        let place = format!("{} {}", row["type"].as_str().unwrap_or("row"), row["id"]);
        let parts = [
            "subtitle",
            "narrative",
            "text",
            "investigated",
            "learned",
            "completed",
            "next_steps",
            "notes",
        ];
        let mut said: Vec<String> = parts.iter().filter_map(|part| stated(&row, &[part])).collect();
        let inner = |key: &str| stated(&row, &[key]).and_then(|list| serde_json::from_str(&list).ok());
        let facts: Json = inner("facts").unwrap_or_default();
        said.push(items(&facts));
        let files: Json = inner("files_modified").unwrap_or_default();
        let files: Vec<&str> = texts(&files).collect();
        if !files.is_empty() {
            said.push(format!("Files: {}", files.join(", ")));
        }
        row["categories"] = inner("concepts").unwrap_or_default();
        said.retain(|part| !part.is_empty());
        row["content"] = said.join("\n\n").into();
        row["id"] = Json::Null;
        (path.clone(), place, row)
    });
    let records = records.collect();
    add_of_project(reading, records)
}

/// The rows of a table, each as an object.
fn rows(db: &Connection, table: &str) -> rusqlite::Result<Vec<Json>> {
    let mut query = db.prepare(&format!("SELECT * FROM {table} ORDER BY created_at_epoch"))?;
    let names: Vec<String> = query.column_names().map(str::to_owned).collect();
    let row = |row: &rusqlite::Row<'_>| {
        let value = |(at, name): (usize, &String)| {
            let value = match row.get_ref(at)? {
                ValueRef::Integer(number) => json!(number),
                ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
                _ => Json::Null,
            };
            Ok((name.clone(), value))
        };
        let object: rusqlite::Result<Map<String, Json>> = names.iter().enumerate().map(value).collect();
        object.map(Json::Object)
    };
    query.query_map([], row)?.collect()
}

/// Adds records. Into a workspace's store come those of its project, by the name of its folder or remote, in whatever
/// spelling, and those of no project.
fn add_of_project(reading: &mut Reading<'_>, records: Vec<Record>) -> Result<(), ServiceError> {
    let here = workspace(reading.context).ok();
    let here = here.filter(|_| reading.context.scope == Scope::Workspace);
    let folded = |name: &str| name.to_lowercase().replace(['-', '_', '.', ' '], "");
    let names = here.map(|workspace| {
        let remote = look_at(workspace.root(), None).and_then(|look| look.remote);
        let remote = remote.unwrap_or_default();
        let remote = remote.trim_end_matches('/').trim_end_matches(".git");
        let remote = remote.rsplit(['/', ':']).next().unwrap_or_default();
        [folded(&workspace.name()), folded(remote)]
    });
    let is_here = |project: &str| {
        names
            .as_ref()
            .is_none_or(|names| names.contains(&folded(project)))
    };
    let project = |item: &Json| stated(item, &["project"]);
    let projects: BTreeSet<String> = records.iter().filter_map(|(.., item)| project(item)).collect();
    if !projects.is_empty() && !projects.iter().any(|project| is_here(project)) {
        let projects = projects.into_iter().collect::<Vec<_>>().join(", ");
        let path = shown_path(&reading.path);
        return Err(ServiceError::said(
            format!("{path} has nothing of this workspace; its projects are {projects}"),
            "Run it in the folder of one of them (`-C DIR`), or import all with `mdmem --global import \
             FILE`.",
        ));
    }
    for (file, place, item) in records {
        let entry = match project(&item).filter(|project| !is_here(project)) {
            Some(project) => Entry::left_out(format!("it belongs to the project {project}")),
            None => entry(&item, reading),
        };
        reading.add(&file, &place, entry);
    }
    Ok(())
}

fn leave_prompts(reading: &mut Reading<'_>, file: &Path, prompts: usize) {
    if prompts > 0 {
        let reason = format!("{prompts} prompts of the user are not memories");
        reading.add(file, "prompts", Entry::left_out(reason));
    }
}

/// The entry of a record.
fn entry(item: &Json, reading: &Reading<'_>) -> Entry {
    if !item.is_object() {
        return Entry::fault("it is not an object");
    }
    if stated(item, &["deleted_at"]).is_some() {
        return Entry::left_out("it was deleted there");
    }
    let title = stated(item, &["title"]).unwrap_or_default();
    let text = stated(item, &["content", "memory"]).unwrap_or_default();
    if title.is_empty() && text.is_empty() {
        return Entry::fault("it is empty");
    }
    let wants_facts = reading.request.wanted == Wanted::Facts;
    let content = Some(&text)
        .filter(|_| wants_facts)
        .and_then(|text| labelled(text));
    let content = content.unwrap_or_else(|| match &*title {
        "" => read_content(&text),
        title => read_content(&format!("# {title}\n\n{text}")),
    });
    let stated_kind = stated(item, &["type"]).unwrap_or_default();
    let is_summary = stated_kind == "session_summary";
    let tags = [Some(stated_kind.clone()), stated(item, &["topic_key"])]
        .into_iter()
        .flatten();
    let categories = texts(&item["categories"]).map(str::to_owned);
    let time = |keys: &[&str]| {
        stated(item, keys)
            .and_then(|time| Timestamp::parse(&time))
            .map(Value::Time)
    };
    let memory = NewMemory {
        kind: kind(&stated_kind),
        created: time(&["created_at"]),
        updated: time(&["updated_at"]),
        description: (content.is_note() && !title.is_empty()).then(|| title.clone()),
        tags: tags.chain(categories).filter(|tag| !tag.is_empty()).collect(),
        content,
        ..NewMemory::default()
    };
    Entry {
        id: stated(item, &["sync_id", "id"]),
        path: if is_summary { "archive/sessions/" } else { "" }.to_owned(),
        ..Entry::words(memory, &reading.rules)
    }
}

/// The type of a memory, by the word that a tool has for it.
fn kind(word: &str) -> Kind {
    Kind::new(match word.to_lowercase().as_str() {
        "decision" | "architecture" => "decision",
        "preference" | "feedback" | "convention" => "feedback",
        "reference" => "reference",
        "user" => "user",
        _ => "project",
    })
}

/// The first of these keys whose value is a text that says something.
fn stated(item: &Json, keys: &[&str]) -> Option<String> {
    let texts = keys.iter().filter_map(|key| item[*key].as_str());
    texts
        .map(str::trim)
        .find(|text| !text.is_empty())
        .map(str::to_owned)
}

/// The texts of a list, as items of a list of markdown.
fn items(list: &Json) -> String {
    texts(list).flat_map(|text| ["- ", text, "\n"]).collect()
}

/// The texts of a list.
fn texts(list: &Json) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Json::as_str)
}

/// Reads what `mdmem export --to json` writes.
pub(super) fn read_export(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let path = reading.path.clone();
    let export = reading.take_json()?.remove(0);
    check_version(&path, &export, "mdmem_export", crate::service::export::VERSION)?;
    let hot_dir = format!("{}/", export["hot_dir"].as_str().unwrap_or(HOT_DIR));
    let our_hot_dir = format!("{}/", reading.rules.hot_dir);
    for item in list(&path, &export, "memories")? {
        let bytes = match (&item["text"], &item["hex"]) {
            (Json::String(text), _) => Some(text.clone().into_bytes()),
            (_, Json::String(hex)) => from_hex(hex),
            _ => None,
        };
        let mut entry = match (item["path"].as_str(), bytes) {
            (None, _) => Entry::fault("it has no path"),
            (_, None) => Entry::fault("it has neither text nor hex data"),
            (Some(path), Some(bytes)) => Entry {
                path: path.to_owned(),
                bytes: Some(bytes),
                is_export: true,
                stands_alone: true,
                ..Entry::default()
            },
        };
        if hot_dir != our_hot_dir && entry.path.starts_with(&hot_dir) {
            entry.told.say(format!(
                "it was pinned there; the folder of pinned notes here is {our_hot_dir}"
            ));
        }
        let file = path.join(item["path"].as_str().unwrap_or_default());
        reading.add(&file, WHOLE, entry);
    }
    Ok(())
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let is_whole = hex.len().is_multiple_of(2);
    is_whole.then(|| hex.as_bytes().chunks(2).map(pair).collect())?
}
