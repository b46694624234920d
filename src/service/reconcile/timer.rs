//! The passes that nobody asks for: from time to time a server looks whether one is due (`mdmem serve`).

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::render::Scope;

use super::super::passes::{self, Answerer, Model};
use super::super::{Context, Run, ServiceError};
use super::{Reconciliation, due};

/// The pause between two looks.
const LOOK: Duration = Duration::from_mins(10);

/// Looks from time to time whether the memories of a workspace are to be reconciled, until it is dropped.
pub struct ReconcileTimer {
    _end: Sender<()>,
}

impl ReconcileTimer {
    /// Begins to look, the first time after `passes.pause`.
    pub fn start(context: Context) -> Self {
        let (end, ended) = channel();
        std::thread::spawn(move || keep(&context, &ended));
        Self { _end: end }
    }

    /// True when the person wants memories to be given to a model.
    pub fn is_wanted(context: &Context) -> bool {
        let passes = context.settings().passes;
        passes.reconcile && !passes.command.is_empty() && context.scope == Scope::Workspace
    }
}

fn keep(context: &Context, ended: &Receiver<()>) {
    let mut pause = context.settings().passes.pause;
    while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        if let Err(error) = look(context) {
            tracing::debug!(%error, "the memories are not reconciled");
        }
        pause = LOOK;
    }
}

fn look(context: &Context) -> Result<(), ServiceError> {
    if !ReconcileTimer::is_wanted(context) {
        return Ok(());
    }
    let Some(store) = context.open_existing()? else {
        return Ok(());
    };
    let now = context.clock.now();
    if passes::is_waiting(&store) || !due::is_due(&store, now)? {
        return Ok(());
    }
    let model = Model::new(&store, Answerer::program(&store)?)?;
    // Another process may have had its turn since.
    if !due::is_due(&store, now)? {
        return Ok(());
    }
    let (done, _) = Reconciliation::of(&store, model, Run::Real)?.carry_out(context)?;
    if !done.changes.is_empty() {
        let files = done.changes.len();
        tracing::info!("a model reconciled {files} files; `mdmem undo` takes it back");
    }
    Ok(())
}
