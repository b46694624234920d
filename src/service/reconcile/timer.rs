//! The passes that nobody asks for: from time to time a server looks whether one is due (`mdmem serve`).

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::super::passes::{self, AGAIN, Answerer, HostLife, HostModel, Model, Readiness, SOON};
use super::super::{Context, Run, ServiceError};
use super::{Reconciliation, due};

/// The pause between two looks.
const LOOK: Duration = Duration::from_mins(10);

/// Looks from time to time whether the memories of a workspace are to be reconciled, until it is dropped.
pub struct ReconcileTimer {
    _end: Sender<()>,
}

impl ReconcileTimer {
    /// Begins to look, the first time after `passes.pause`. `host`: present where the agent's own model answers.
    pub fn start(context: Context, host: Option<HostModel>) -> Self {
        let (end, ended) = channel();
        std::thread::spawn(move || keep(&context, host.as_ref(), &ended));
        Self { _end: end }
    }

    /// True when the person wants memories to be given to a model, and there is the time for it.
    pub fn is_wanted(context: &Context, life: HostLife) -> bool {
        life == HostLife::Long && context.settings().passes.reconcile && passes::can_ask(context)
    }
}

fn keep(context: &Context, host: Option<&HostModel>, ended: &Receiver<()>) {
    let mut pause = context.settings().passes.pause;
    while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        pause = match look(context, host) {
            Ok(pause) => pause,
            Err(error) => {
                tracing::debug!(%error, "the memories are not reconciled");
                if matches!(error, ServiceError::PassRuns(_)) {
                    AGAIN
                } else {
                    LOOK
                }
            }
        };
    }
}

/// Asks where a pass is due. Gives the pause before the next look.
fn look(context: &Context, host: Option<&HostModel>) -> Result<Duration, ServiceError> {
    let is_wanted = || ReconcileTimer::is_wanted(context, HostLife::Long);
    if !is_wanted() {
        return Ok(LOOK);
    }
    let Some(store) = context.open_existing()? else {
        return Ok(LOOK);
    };
    let now = context.clock.now();
    if passes::is_waiting(&store) || !due::is_due(&store, now)? {
        return Ok(LOOK);
    }
    let answerer = match Answerer::unasked(context, &store, host, "the memories are not reconciled")? {
        Readiness::Ready(answerer) => answerer,
        Readiness::NobodyWaits => return Ok(SOON),
        Readiness::NoModel => return Ok(LOOK),
    };
    let model = Model::new(&store, answerer)?;
    // Another process may have had its turn since.
    if !due::is_due(&store, now)? {
        return Ok(LOOK);
    }
    let (done, _) = Reconciliation::of(&store, model, Run::Real, &is_wanted)?.carry_out(context)?;
    if !done.changes.is_empty() {
        let files = done.changes.len();
        tracing::info!("a model reconciled {files} files; `mdmem undo` takes it back");
    }
    Ok(LOOK)
}
