//! A remote for the time of a test: a bare repository, and the server that serves it on this machine alone.

use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::http::HttpServer;
use super::ssh::SshServer;
use crate::env::{LIMIT, wait_for};

/// A bare repository, empty at first, and its address.
pub(crate) struct Remote {
    /// Dropped first: it ends before its folder is removed.
    server: Server,
    address: String,
    /// `core.sshCommand` of who talks to it; empty where it is not reached by ssh.
    pub(crate) ssh_command: String,
    folder: tempfile::TempDir,
}

enum Server {
    Nobody,
    Daemon { _ends_with_this: Served },
    Http(HttpServer),
    Ssh { _ends_with_this: SshServer },
}

impl Remote {
    /// By its path.
    pub(crate) fn path() -> Self {
        let folder = bare();
        let address = folder.path().join("r.git").display().to_string();
        Self {
            server: Server::Nobody,
            address,
            ssh_command: String::new(),
            folder,
        }
    }

    /// By `git daemon`, which lets everybody push.
    pub(crate) fn daemon() -> Self {
        let folder = bare();
        let (daemon, port) = serve(|port| daemon_of(folder.path(), port));
        Self {
            server: Server::Daemon {
                _ends_with_this: daemon,
            },
            address: format!("git://127.0.0.1:{port}/r.git"),
            ssh_command: String::new(),
            folder,
        }
    }

    /// By HTTP, for everybody.
    pub(crate) fn http() -> Self {
        let folder = bare();
        let server = HttpServer::start(folder.path());
        Self {
            address: format!("http://127.0.0.1:{}/r.git", server.port()),
            server: Server::Http(server),
            ssh_command: String::new(),
            folder,
        }
    }

    /// By a real sshd. `None` where there is no sshd on this machine, which is said; `MDMEM_REQUIRE_SSHD=1` makes that
    /// a failure.
    pub(crate) fn ssh() -> Option<Self> {
        let folder = bare();
        let server = SshServer::start(folder.path())?;
        let path = folder.path().join("r.git");
        Some(Self {
            address: format!(
                "ssh://{}@127.0.0.1:{}{}",
                server.user(),
                server.port(),
                path.display()
            ),
            ssh_command: server.command(),
            server: Server::Ssh {
                _ends_with_this: server,
            },
            folder,
        })
    }

    /// The address to give to `remote set`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The bare repository on this machine's disk.
    pub(crate) fn bare(&self) -> PathBuf {
        self.folder.path().join("r.git")
    }

    /// A folder that ends with the remote.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The HTTP server, to make it misbehave.
    #[track_caller]
    pub(crate) fn http_server(&self) -> &HttpServer {
        match &self.server {
            Server::Http(server) => server,
            _ => panic!("this remote is not served by HTTP"),
        }
    }

    /// The server goes away; the repository stays on the disk, and comes back by nobody.
    pub(crate) fn stop(&mut self) {
        self.server = Server::Nobody;
    }

    /// A daemon that went away is there again, at the same address.
    #[track_caller]
    pub(crate) fn come_back(&mut self) {
        let port = self.address.strip_prefix("git://127.0.0.1:").unwrap();
        let port: u16 = port.strip_suffix("/r.git").unwrap().parse().unwrap();
        let daemon = wait_for("the daemon to come back", LIMIT, || {
            let served = Served::start(daemon_of(self.folder.path(), port));
            answers(served, port)
        });
        self.server = Server::Daemon {
            _ends_with_this: daemon,
        };
    }

    /// Runs git in the bare repository, which must succeed, and returns what it prints.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        run_git(&self.bare(), args)
    }

    /// A hook of the remote: a script for sh.
    pub(crate) fn set_hook(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.bare().join("hooks").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn daemon_of(folder: &Path, port: u16) -> Command {
    let exec_path = Command::new("git").arg("--exec-path").output().unwrap();
    let exec_path = String::from_utf8(exec_path.stdout).unwrap();
    let mut command = Command::new(Path::new(exec_path.trim()).join("git-daemon"));
    command
        .args(["--listen=127.0.0.1", "--reuseaddr", "--export-all"])
        .arg("--enable=receive-pack")
        .arg(format!("--port={port}"))
        .arg(format!("--base-path={}", folder.display()))
        .arg(folder);
    command
}

fn bare() -> tempfile::TempDir {
    let folder = tempfile::Builder::new()
        .prefix("mdmem-remote-")
        .tempdir()
        .unwrap();
    run_git(folder.path(), &["init", "-q", "--bare", "-b", "main", "r.git"]);
    folder
}

/// git with no settings of the person's.
pub(crate) fn git_in(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args(args)
        .current_dir(folder)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", folder)
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_NAME", "Person")
        .env("GIT_AUTHOR_EMAIL", "person@example.org")
        .env("GIT_COMMITTER_NAME", "Person")
        .env("GIT_COMMITTER_EMAIL", "person@example.org")
        .stdin(Stdio::null());
    command
}

#[track_caller]
pub(crate) fn run_git(folder: &Path, args: &[&str]) -> String {
    let output = git_in(folder, args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A server that ends, with all that it started, when this is dropped.
pub(crate) struct Served(Child);

impl Served {
    fn start(mut command: Command) -> Self {
        let child = command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        Self(child.unwrap())
    }
}

/// Waits until a server answers; `None` where it ends instead.
#[track_caller]
fn answers(mut served: Served, port: u16) -> Option<Served> {
    let is_up = wait_for("a server to answer or to end", LIMIT, || {
        let has_ended = served.0.try_wait().unwrap().is_some();
        if has_ended {
            return Some(false);
        }
        TcpStream::connect((Ipv4Addr::LOCALHOST, port))
            .is_ok()
            .then_some(true)
    });
    is_up.then_some(served)
}

impl Drop for Served {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        self.0.wait().unwrap();
    }
}

/// Starts a server on a free port of this machine, and waits until it answers.
pub(crate) fn serve(command: impl Fn(u16) -> Command) -> (Served, u16) {
    for _ in 0..20 {
        let port = next_port();
        if let Some(served) = answers(Served::start(command(port)), port) {
            return (served, port);
        }
        // Another process has the port.
    }
    panic!("no server came up");
}

/// A port that no test of this process was given before. It lies below those that the system gives to a listener that
/// asks for any: such a port can be given to another test before the server has it, and that test would answer.
fn next_port() -> u16 {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let given = GIVEN.fetch_add(1, Ordering::Relaxed);
    // Two processes with tests seldom begin at the same place.
    let at = (std::process::id().wrapping_mul(251).wrapping_add(given)) % 20_000;
    10_000 + u16::try_from(at).unwrap()
}
