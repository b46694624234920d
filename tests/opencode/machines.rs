//! Two machines with the real client and automatic sync over a bare repository: the memory comes, and so does the word
//! that nothing comes any more.

use super::driver::{LIMIT, OpenCode, Play, installed};
use super::main_job::{bin, machine};
use crate::env::{TestEnv, wait_for};
use crate::sync::remote::Remote;

/// A machine with the plugin, which exchanges its store by itself, every second.
fn exchanging(remote: &Remote) -> TestEnv {
    let mut env = machine();
    env.set_var("MDMEM_SYNC__AUTO", "true");
    env.set_var("MDMEM_SYNC__INTERVAL", "1s");
    let set = env.mdmem(["sync", remote.address()]);
    set.any_stdout().any_stderr().run();
    env
}

/// The second client starts after the first client has ended: the test needs no more than one at a time.
#[test]
fn what_is_said_on_one_machine_is_in_the_next_session_on_the_other() {
    if !installed("what_is_said_on_one_machine_is_in_the_next_session_on_the_other") {
        return;
    }
    let remote = Remote::path();
    let (desk, laptop) = (exchanging(&remote), exchanging(&remote));
    let mut client = OpenCode::start(&desk, &[bin()]);
    let session = client.session();
    client.turn(&session, &Play::new("remember: we deploy on Thursdays"));
    wait_for("the memory at the remote", LIMIT, || {
        let log = remote.git(&["log", "--all", "-p"]);
        log.contains("deploy on Thursdays").then_some(())
    });
    client.stop();
    drop(client);
    let mut client = OpenCode::start(&laptop, &[bin()]);
    let session = wait_for("a session that knows it", LIMIT, || {
        let session = client.session();
        let prompt = client.prompt(&session).systems("main").remove(0);
        prompt.contains("we deploy on Thursdays").then_some(session)
    });

    // A remote that is gone is on the person's screen with the next message.
    std::fs::rename(remote.bare(), remote.folder().join("gone.git")).unwrap();
    let notice = laptop.store().join(".mdmem/exchange.notice");
    wait_for("the notice", LIMIT, || notice.exists().then_some(()));
    client.prompt(&session);
    client.shows("not synced with other machines");
}
