//! A machine with the plugin and, in the place of `mdmem`, a server that does what a test tells it (`fake-server.mjs`).

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::driver::{LIMIT, OpenCode, folder};
use crate::env::{TestEnv, wait_for};

/// The machine.
pub(super) struct Fake {
    pub(super) env: TestEnv,
}

/// A request that the server got.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Asked {
    pub(super) pid: u32,
    pub(super) method: String,
    pub(super) params: Value,
    /// The way in which the server behaved.
    pub(super) how: String,
}

impl Fake {
    /// A machine with the plugin, whose server behaves well.
    pub(super) fn new() -> Self {
        let mut env = TestEnv::new();
        env.use_real_clock();
        let fake = Self { env };
        Self::install(&fake.env.workspace().join(".opencode/plugin"));
        fake.behave(&json!({}));
        fake
    }

    /// Copies the plugin into a folder.
    pub(super) fn install(plugins: &Path) {
        std::fs::create_dir_all(plugins).unwrap();
        let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/opencode-plugin.ts");
        std::fs::copy(template, plugins.join("mdmem.ts")).unwrap();
    }

    /// The server's program.
    pub(super) fn program() -> PathBuf {
        folder().join("fake-server.mjs")
    }

    /// A client that finds the server.
    pub(super) fn client(&self) -> OpenCode {
        OpenCode::start(&self.env, &[("MDMEM_BIN", &Self::program())])
    }

    /// Sets the behaviour of the server from here on: the forms are in `fake-server.mjs`.
    pub(super) fn behave(&self, behaviour: &Value) {
        std::fs::write(self.env.home().join("behaviour"), behaviour.to_string()).unwrap();
    }

    /// Sets the behaviour of the server at requests by this method; all others are answered.
    pub(super) fn behaves(&self, method: &str, word: &str) {
        self.behave(&json!({"how": {method: word}}));
    }

    /// Gives everything that all servers have been asked so far.
    pub(super) fn asked(&self) -> Vec<Asked> {
        let log = std::fs::read_to_string(self.env.home().join("requests.jsonl")).unwrap_or_default();
        log.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Gives the requests by this method.
    pub(super) fn asked_by(&self, method: &str) -> Vec<Asked> {
        let mut asked = self.asked();
        asked.retain(|asked| asked.method == method);
        asked
    }

    /// Waits for so many requests by this method, and gives them.
    #[track_caller]
    pub(super) fn wait_for(&self, method: &str, count: usize) -> Vec<Asked> {
        wait_for(&format!("{count} requests by {method}"), LIMIT, || {
            Some(self.asked_by(method)).filter(|asked| asked.len() >= count)
        })
    }
}
