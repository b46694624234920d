//! mdmem: the memory that coding agents share, as markdown files in a git repository.
//!
//! The crate's map. An arrow never points up: what stands above the line decides and does no I/O,
//! what stands below does I/O and decides nothing. `tests/tidy.rs` holds the table; ARCHITECTURE.md explains it.
//!
//! | module | may import | what lives there |
//! |---|---|---|
//! | [`model`] | - | values with invariants: Memory, Kind, Source, Status, Id, StorePath, Timestamp, Diagnostic |
//! | [`text`] | model | canonical text, tokens, slugs, hashing |
//! | [`document`] | model text | a markdown file to a Memory and back; lossless edits |
//! | [`policy`] | model text | retention, identity, consolidation, selection |
//! | [`capture`] | model text policy | requests, candidates, commands, tool events: text to what is to be stored |
//! | [`session`] | model text policy capture | the hot state of one conversation |
//! | [`render`] | model text policy session capture | prompt, index, hot snapshot: bytes from values |
//! | [`merge`] | model text document | two versions of a memory and their base: one memory |
//! | [`sys`] | model | clock, ids, environment, files, locks, scan |
//! | [`config`] | model policy sys | settings: default, user, store, environment, flags |
//! | [`git`] | model sys | a small facade over git2; the git program in one folder |
//! | [`search`] | model text | the tokens of a text, the words of a question, the ranking, the passages |
//! | [`semantic`] | text sys | a sentence model: texts to vectors; only with the feature `semantic` |
//! | [`store`] | all above | the folder: load, put, edit, move, remove; one writer; registry of workspaces |
//! | [`evidence`] | model text sys | the append-only log of decisions; `service::log` asks it |
//! | [`watch`] | model sys | notify to `Changed(paths)` or `Rescan` |
//! | [`sync`] | model text document merge config sys git store | one store on many machines: where, what would change, what may come and go |
//! | [`service`] | all above | one function per use case; every host calls these |
//! | [`host`] | all below it | hosts only translate; starts the command line and gives it the other hosts |
//! | `host::lines` | - | lines of bounded length from a stream |
//! | `host::tools` | host/told service model | the tools for a model: definition, call, refusal |
//! | `host::told` | service model sys | the words about what became of a message |
//! | `host::hook_event` | - | the hosts with hooks, and their events |
//! | `host::cli` | host/hook_event service config model sys | arguments, tables, JSON, exit codes |
//! | `host::opencode` | host/lines host/told host/tools service config model sys | JSON lines over stdio for the plugin; OpenCode's names of tools |
//! | `host::hooks` | host/lines host/hook_event host/told host/tools service sys | a hook's event on stdin; the hosts' forms of answers and names of tools; Claude Code's transcript |
//! | `host::http` | - | the door of the servers on HTTP: who may ask, how long, how much |
//! | `host::mcp` | host/http host/lines host/tools service sys | the Model Context Protocol: tools, resources, prompts, roots |
//! | `host::view` | host/http service sys | the pages of `service::view` for a browser: secret, forms, news of commits |

pub mod capture;
pub mod config;
pub mod document;
pub mod evidence;
pub mod git;
pub mod host;
pub mod merge;
pub mod model;
pub mod policy;
pub mod render;
pub mod search;
pub mod semantic;
pub mod service;
pub mod session;
pub mod store;
pub mod sync;
pub mod sys;
pub mod text;
pub mod watch;
