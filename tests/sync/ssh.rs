//! A real sshd for the time of a test, on this machine alone, with keys of its own, for the user who runs the test.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::remote::{Served, serve};

/// The places where systems keep sshd, which is seldom on the PATH of a user.
const PLACES: [&str; 4] = [
    "/usr/sbin/sshd",
    "/usr/local/sbin/sshd",
    "/opt/homebrew/sbin/sshd",
    "/run/current-system/sw/bin/sshd",
];

pub(crate) struct SshServer {
    _ends_with_this: Served,
    port: u16,
    keys: PathBuf,
    user: String,
}

impl SshServer {
    /// `None` where this machine has no sshd, which is said.
    pub(crate) fn start(folder: &Path) -> Option<Self> {
        let Some(sshd) = PLACES.iter().find(|place| Path::new(place).exists()) else {
            let is_required = std::env::var_os("MDMEM_REQUIRE_SSHD").is_some_and(|value| value == "1");
            assert!(!is_required, "there is no sshd on this machine");
            eprintln!("SKIPPED: there is no sshd on this machine, so nothing was tested over ssh");
            return None;
        };
        let keys = folder.join("keys");
        std::fs::create_dir(&keys).unwrap();
        for name in ["host", "user"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"])
                .arg(keys.join(name))
                .status();
            assert!(made.unwrap().success());
        }
        std::fs::copy(keys.join("user.pub"), keys.join("authorized_keys")).unwrap();
        // A sshd that root runs wants this folder, which a system service would have made.
        let _ = std::fs::create_dir_all("/run/sshd");
        let path = std::env::var("PATH").unwrap();
        let at = |name: &str| keys.join(name).display().to_string();
        let config = format!(
            "ListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nStrictModes no\n\
             UsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n\
             SetEnv PATH={path}\n",
            at("host"),
            at("authorized_keys"),
        );
        std::fs::write(keys.join("config"), config).unwrap();
        let (served, port) = serve(|port| {
            let mut command = Command::new(sshd);
            command.args(["-D", "-e", "-p", &port.to_string(), "-f"]);
            command.arg(keys.join("config"));
            command
        });
        let host = std::fs::read_to_string(keys.join("host.pub")).unwrap();
        std::fs::write(keys.join("known_hosts"), format!("[127.0.0.1]:{port} {host}")).unwrap();
        let user = Command::new("id").arg("-un").output().unwrap().stdout;
        Some(Self {
            _ends_with_this: served,
            port,
            keys,
            user: String::from_utf8(user).unwrap().trim().to_owned(),
        })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    /// The client's command: the keys of this server, and nothing of the person's.
    pub(crate) fn command(&self) -> String {
        let at = |name: &str| self.keys.join(name).display().to_string();
        format!(
            "ssh -F none -i {} -oIdentitiesOnly=yes -oUserKnownHostsFile={} -oGlobalKnownHostsFile=none",
            at("user"),
            at("known_hosts")
        )
    }
}
