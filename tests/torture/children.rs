//! Commands that run as children of a test: what they hear, and what they say.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// Starts a command, which hears this.
pub(super) fn start(mut command: Command, said: &str) -> Child {
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // The program may be gone before it has read everything.
    let _ = input.write_all(said.as_bytes());
    child
}

/// Its words, to both streams.
pub(super) fn lines_of(child: &mut Child) -> Receiver<String> {
    let (sender, lines) = channel();
    let streams: [Box<dyn Read + Send>; 2] = [
        Box::new(child.stdout.take().unwrap()),
        Box::new(child.stderr.take().unwrap()),
    ];
    for stream in streams {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
            lines.try_for_each(|line| sender.send(line))
        });
    }
    lines
}
