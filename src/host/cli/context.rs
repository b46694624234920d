//! The context that a command is given: the ui, and the machine as the services see it.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use clap::ColorChoice;
use serde::Serialize;

use super::Hosts;
use super::args::GlobalArgs;
use super::change_report::{tell_creation, tell_rest, tell_unchanged};
use super::report::CommandError;
use super::ui::{Color, Door, Format, Pager, Symbols, Ui, Verbosity};
use super::when;
use crate::config::{Origin, Problem, read_flag};
use crate::model::Timestamp;
use crate::service::{self, Beginning, Done, EngineLog, Point, Run, Scope, Store};
use crate::sys::{Env, TimeZone};

/// Everything that a command may use besides its own arguments.
pub(crate) struct Context {
    /// The output for answers and notices.
    pub(crate) ui: Ui,
    /// The context that the services are given.
    pub(crate) service: service::Context,
    /// Starts the hosts of `mdmem serve`, `mdmem hook` and `mdmem mcp`.
    pub(crate) hosts: Hosts,
    /// The engine's log.
    pub(crate) log: Arc<EngineLog>,
    /// The exit code of a command that did what it was asked.
    pub(crate) exit: ExitCode,
}

impl Context {
    /// Prints an answer: its JSON, or in words.
    pub(crate) fn answer(
        &mut self,
        answer: &impl Serialize,
        words: impl FnOnce(&mut Ui) -> io::Result<()>,
    ) -> Result<(), CommandError> {
        match self.ui.format {
            Format::Json => self.ui.json(answer)?,
            Format::Text => words(&mut self.ui)?,
        }
        Ok(())
    }

    /// Prints what a change did, or would do. The words give the hint for a change that is made, which may be empty.
    pub(crate) fn done<A: Serialize>(
        &mut self,
        done: &Done<A>,
        words: impl FnOnce(&mut Ui) -> io::Result<String>,
    ) -> Result<(), CommandError> {
        let changed = &done.changed;
        self.answer(done, |ui| {
            let hint = words(ui)?;
            if done.run == Run::Dry {
                let mut notices = changed.aftermath.notices.iter();
                notices.try_for_each(|notice| ui.notice(notice))?;
                return tell_unchanged(&changed.aftermath.left_out, ui);
            }
            tell_rest(changed, ui)?;
            if changed.outcome.oid().is_some() && !hint.is_empty() {
                ui.hint(&hint)?;
            }
            Ok(())
        })
    }

    /// The time at which the command was given.
    pub(crate) fn now(&self) -> Timestamp {
        self.service.clock.now()
    }

    /// The time of an option, such as `--at`.
    pub(crate) fn time(&self, option: Option<&str>) -> Result<Option<Timestamp>, CommandError> {
        let parse = |text| when::parse(text, self.now(), self.ui.zone);
        option.map(parse).transpose()
    }

    /// A word that may be a revision or a time; which of them, the history decides.
    pub(crate) fn point(&self, text: &str) -> Point {
        Point {
            text: text.to_owned(),
            time: when::parse(text, self.now(), self.ui.zone).ok(),
        }
    }

    /// Opens the store that is meant. Slips in its settings are told, and ignored; but a slip in
    /// a `--set` of this very command is an error. Damage of the history is said too.
    pub(crate) fn store(&mut self) -> Result<Store, CommandError> {
        let store = self.open()?;
        self.warn_of_settings(&store)?;
        if let Some(damage) = store.damage() {
            self.ui.warning(&damage.to_string())?;
            self.ui.hint(&damage.hint().unwrap_or_default())?;
        }
        Ok(store)
    }

    /// Opens the store that is meant, and says nothing of it.
    pub(crate) fn open(&mut self) -> Result<Store, CommandError> {
        let store = self.service.open()?;
        self.ui.cover = Some(Box::new(service::name_cover(&store)));
        Ok(store)
    }

    /// The name of a memory: as it is given; where none is, the one that the person picks at a terminal.
    pub(crate) fn memory(&mut self, store: &Store, name: Option<&str>) -> Result<String, CommandError> {
        match name {
            Some(name) => Ok(name.to_owned()),
            None => self.asked_for(store, None, "name a memory"),
        }
    }

    /// The memory that the person picks at a terminal as the answer to a question; an error where nobody can be asked.
    pub(crate) fn asked_for(
        &mut self,
        store: &Store,
        question: Option<&str>,
        unnamed: &str,
    ) -> Result<String, CommandError> {
        let unnamed = || CommandError::misused(unnamed).hint("`mdmem list` lists the memories.");
        self.picked(store, None, question)?.ok_or_else(unnamed)
    }

    /// The names of memories, in the same way.
    pub(crate) fn memories(&mut self, store: &Store, names: &[String]) -> Result<Vec<String>, CommandError> {
        match names {
            [] => Ok(vec![self.memory(store, None)?]),
            names => Ok(names.to_vec()),
        }
    }

    /// The path of the memory that the person picks at a terminal, of those that a name may mean; `None` where nobody can be
    /// asked (an agent's shell may have a terminal too), or there is nothing to pick.
    pub(crate) fn picked(
        &mut self,
        store: &Store,
        name: Option<&str>,
        question: Option<&str>,
    ) -> Result<Option<String>, CommandError> {
        let is_persons = self.ui.is_answered() && self.ui.out.is_terminal();
        if !is_persons || self.service.env.agents_shell().is_some() {
            return Ok(None);
        }
        let mut choices = service::choices(store, name)?;
        if choices.is_empty() {
            return Ok(None);
        }
        let picked = self.ui.pick(&choices, store.root(), question)?;
        let picked = picked.ok_or_else(|| CommandError::misused("no memory was picked"))?;
        Ok(Some(choices.swap_remove(picked).0))
    }

    /// Opens the store that is meant, and makes it where there is none.
    pub(crate) fn store_or_new(&mut self) -> Result<Store, CommandError> {
        let (store, creation) = self.service.open_or_create(Beginning::ByNeed)?;
        self.ui.cover = Some(Box::new(service::name_cover(&store)));
        tell_creation(&store, &creation, &mut self.ui)?;
        self.warn_of_settings(&store)?;
        Ok(store)
    }

    /// Says where the workspace was before, once, when its store was found by that.
    pub(crate) fn tell_move(&mut self) -> Result<(), CommandError> {
        if let Some(from) = self.service.mend_link() {
            let was = service::was_before(&from);
            self.ui
                .notice(&format!("this workspace {was}: linked its store again"))?;
            self.ui
                .hint("If it is another project, `mdmem stores link --new` creates an empty store.")?;
        }
        Ok(())
    }

    /// Sends the answer through the pager that git would take in this store, if a person reads it at a terminal.
    pub(crate) fn page<'s>(&mut self, store: impl Into<Option<&'s Store>>) -> Result<(), CommandError> {
        if !self.ui.may_page() {
            return Ok(());
        }
        let env = &self.service.env;
        let command = match store.into() {
            Some(store) => service::pager(store),
            None => env
                .var("GIT_PAGER")
                .or_else(|| env.var("PAGER"))
                .unwrap_or_else(|| "less".to_owned()),
        };
        Ok(self.ui.page(&command, env)?)
    }

    /// Stores the requests that an agent left waiting. What still cannot be stored is no reason for the command to fail.
    pub(crate) fn settle_waiting(&mut self) -> Result<(), CommandError> {
        match service::settle_waiting(&self.service) {
            Ok(settled) => {
                for line in settled {
                    let place = line.path.map_or(line.text, |path| path.to_string());
                    self.ui
                        .notice(&format!("pending write {}: {place}", line.outcome))?;
                }
            }
            Err(error) => self
                .ui
                .warning(&format!("pending writes are not stored: {error}"))?,
        }
        Ok(())
    }

    /// Says what is wrong in the settings of a store.
    pub(crate) fn warn_of_settings(&mut self, store: &Store) -> Result<(), CommandError> {
        refuse_bad_flags(store)?;
        let problems = &store.settings().problems;
        for problem in problems.iter().filter(|problem| !problem.is_former()) {
            self.ui.warning(&problem.to_string())?;
        }
        Ok(())
    }
}

/// An error where a `--set` of this very command is wrong.
pub(crate) fn refuse_bad_flags(store: &Store) -> Result<(), CommandError> {
    let is_flag = |problem: &&Problem| problem.origin() == Some(&Origin::Flag);
    if let Some(problem) = store.settings().problems.iter().find(is_flag) {
        return Err(CommandError::usage(problem.clone()).hint("`mdmem config` lists every setting."));
    }
    Ok(())
}

/// The machine as the services see it, by the arguments and the environment of this process.
pub(crate) fn service(global: &GlobalArgs, env: Env) -> Result<service::Context, CommandError> {
    let env = match &global.directory {
        Some(directory) => env.in_folder(directory),
        None => env,
    };
    let is_global = global.global || global.store.as_deref() == Some("global");
    let scope = if is_global {
        Scope::Global
    } else {
        Scope::Workspace
    };
    let flags: Result<Vec<_>, _> = global.set.iter().map(|flag| read_flag(flag)).collect();
    let flags = flags.map_err(CommandError::usage)?;
    let context = service::Context::real(env, scope, flags).map_err(CommandError::failed)?;
    Ok(service::Context {
        store: global.store.clone(),
        ..context
    })
}

/// The zone of the person's times, as the arguments and the environment ask for it.
pub(crate) fn zone(global: &GlobalArgs, env: &Env) -> TimeZone {
    if global.utc {
        TimeZone::Utc
    } else {
        TimeZone::from_env(env)
    }
}

/// The ui of this process's streams, as the arguments ask for it.
pub(crate) fn ui(global: &GlobalArgs, env: &Env) -> Ui {
    let mut ui = over_streams(global.json, global.color, Some(env));
    ui.verbosity = match (global.quiet, global.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, 0) => Verbosity::Normal,
        (false, _) => Verbosity::Verbose,
    };
    let is_dumb = env.var("TERM").is_none_or(|term| term == "dumb");
    if !global.no_pager && !is_dumb {
        ui.pager = Pager::Wanted;
    }
    ui
}

/// The ui for errors that come before the arguments are understood.
pub(crate) fn early_ui(args: &[OsString], env: Option<&Env>) -> Ui {
    let mut options = args.iter().take_while(|arg| *arg != "--");
    over_streams(options.any(|arg| arg == "--json"), ColorChoice::Auto, env)
}

fn over_streams(wants_json: bool, when: ColorChoice, env: Option<&Env>) -> Ui {
    let (mut out, mut err) = (Door::stdout(), Door::stderr());
    out.symbols = env.map(Symbols::of).unwrap_or_default();
    err.symbols = out.symbols;
    Ui {
        format: if wants_json { Format::Json } else { Format::Text },
        verbosity: Verbosity::Normal,
        zone: TimeZone::Utc,
        color: Color::decide(when, env, out.is_terminal()),
        err_color: Color::decide(when, env, err.is_terminal()),
        out,
        err,
        pager: Pager::Off,
        cover: None,
    }
}
