//! What a command is given: the arguments of all commands, the ui, and what the machine gives.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};

use super::args::{GlobalArgs, wants_json};
use super::errors::CommandError;
use super::ui::{Color, Format, Look, Stream, Ui, Verbosity, When, columns};
use crate::model::Timestamp;
use crate::sys::{Clock, Env, Ids};

/// Everything that a command may use besides its own arguments.
pub(crate) struct Context {
    /// Where answers and notices go.
    pub(crate) ui: Ui,
    /// What every command takes.
    pub(crate) global: GlobalArgs,
    /// The environment, as seen from the folder of `-C`.
    pub(crate) env: Env,
    /// The clock.
    pub(crate) clock: Clock,
    /// New ids.
    pub(crate) ids: Ids,
}

impl Context {
    /// Makes one from the arguments and the environment of this process.
    pub(crate) fn new(ui: Ui, global: GlobalArgs, env: Env) -> Result<Self, (Ui, CommandError)> {
        let env = match &global.directory {
            Some(directory) => env.in_folder(directory),
            None => env,
        };
        match Clock::from_env(&env) {
            Ok(clock) => Ok(Self {
                ui,
                global,
                env,
                clock,
                ids: Ids::random(),
            }),
            Err(error) => Err((ui, CommandError::failed(error))),
        }
    }

    /// The time at which the command was given.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// The ui of this process's streams, as the arguments ask for it.
pub(crate) fn ui(global: &GlobalArgs, env: Option<&Env>) -> Ui {
    let format = if global.json { Format::Json } else { Format::Text };
    let verbosity = match (global.quiet, global.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    };
    over_streams(format, verbosity, global.color, env)
}

/// The ui for errors that come before the arguments are understood.
pub(crate) fn early_ui(args: &[OsString], env: Option<&Env>) -> Ui {
    let format = if wants_json(args) {
        Format::Json
    } else {
        Format::Text
    };
    over_streams(format, Verbosity::Normal, When::Auto, env)
}

fn over_streams(format: Format, verbosity: Verbosity, when: When, env: Option<&Env>) -> Ui {
    let (out, err) = (io::stdout(), io::stderr());
    let no_color = env.and_then(|env| env.var("NO_COLOR"));
    let term = env.and_then(|env| env.var("TERM"));
    let color = |stream| Color::decide(when, no_color.as_deref(), term.as_deref(), stream);
    let look = Look {
        color: color(Stream::of(&out)),
        stream: Stream::of(&out),
        width: columns(&out),
    };
    let err_color = color(Stream::of(&err));
    let out: Box<dyn Write> = Box::new(BufWriter::new(out));
    Ui::new((out, look), (Box::new(err), err_color), format, verbosity)
}
