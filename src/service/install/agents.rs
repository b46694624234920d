//! The agents: where each one keeps its configuration, and what connects it with mdmem. The facts, with their sources,
//! are in `tests/init_with/README.md`.

use super::edit::Entry;

/// OpenCode's plugin, as it is written: one self-contained file.
pub(in crate::service) const OPENCODE_PLUGIN: &str = include_str!("../../../templates/opencode-plugin.ts");

/// An agent that mdmem can be connected with.
#[derive(Debug)]
pub struct Agent {
    /// Its name on a command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The next step of a person, after it was connected.
    pub next: &'static str,
    pub(super) files: &'static [ConfigFile],
}

/// A file of an agent's configuration.
#[derive(Debug)]
pub(super) struct ConfigFile {
    /// Its path in a workspace.
    pub(super) in_workspace: &'static str,
    /// Its place for all workspaces of the user.
    pub(super) of_user: (UserFolder, &'static str),
    pub(super) entries: &'static [Entry],
}

/// A folder of the user's.
#[derive(Debug, Clone, Copy)]
pub(super) enum UserFolder {
    /// The home folder.
    Home,
    /// The folder of configuration: `$XDG_CONFIG_HOME`, else `~/.config`.
    Config,
    /// The folder that a variable names, else one in the home folder.
    Named(&'static str, &'static str),
}

/// The servers of most agents have this form.
const SERVER: &str = r#"{"command": "mdmem", "args": ["mcp"]}"#;

const VSCODE_OF_USER: (UserFolder, &str) = if cfg!(target_os = "macos") {
    (UserFolder::Home, "Library/Application Support/Code/User/mcp.json")
} else {
    (UserFolder::Config, "Code/User/mcp.json")
};

/// Every agent, in the order in which people are told of them.
pub const AGENTS: &[Agent] = &[
    Agent {
        name: "opencode",
        title: "OpenCode",
        next: "Restart OpenCode.",
        files: &[ConfigFile {
            in_workspace: ".opencode/plugin/mdmem.ts",
            of_user: (UserFolder::Config, "opencode/plugin/mdmem.ts"),
            entries: &[Entry::Whole(OPENCODE_PLUGIN)],
        }],
    },
    Agent {
        name: "claude-code",
        title: "Claude Code",
        next: "Restart Claude Code and approve the server when it asks; /mcp and /hooks show what is loaded.",
        files: &[
            ConfigFile {
                in_workspace: ".mcp.json",
                of_user: (UserFolder::Named("CLAUDE_CONFIG_DIR", ""), ".claude.json"),
                entries: &[Entry::Member(&["mcpServers", "mdmem"], SERVER)],
            },
            ConfigFile {
                in_workspace: ".claude/settings.json",
                of_user: (UserFolder::Named("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"),
                entries: &[
                    Entry::Hook(
                        &["hooks", "SessionStart"],
                        r#"{"hooks": [{"type": "command", "command": "mdmem hook session-start", "timeout": 5}]}"#,
                    ),
                    Entry::Hook(
                        &["hooks", "UserPromptSubmit"],
                        r#"{"hooks": [{"type": "command", "command": "mdmem hook user-prompt-submit", "timeout": 5}]}"#,
                    ),
                    Entry::Hook(
                        &["hooks", "PostToolUse"],
                        r#"{"hooks": [{"type": "command", "command": "mdmem hook post-tool-use", "timeout": 5}]}"#,
                    ),
                    Entry::Hook(
                        &["hooks", "PostToolUseFailure"],
                        r#"{"hooks": [{"type": "command", "command": "mdmem hook post-tool-use", "timeout": 5}]}"#,
                    ),
                    Entry::Hook(
                        &["hooks", "PreCompact"],
                        r#"{"hooks": [{"type": "command", "command": "mdmem hook pre-compact", "timeout": 5}]}"#,
                    ),
                    Entry::Hook(
                        &["hooks", "SessionEnd"],
                        r#"{"hooks": [{"type": "command", "command": "mdmem hook session-end", "timeout": 5}]}"#,
                    ),
                ],
            },
        ],
    },
    Agent {
        name: "codex",
        title: "Codex",
        next: "Restart Codex; it reads a workspace's file once you trust the project. /mcp shows the server.",
        files: &[ConfigFile {
            in_workspace: ".codex/config.toml",
            of_user: (UserFolder::Named("CODEX_HOME", ".codex"), "config.toml"),
            entries: &[Entry::Table(
                "mcp_servers.mdmem",
                "command = \"mdmem\"\nargs = [\"mcp\"]",
            )],
        }],
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        next: "Restart Cursor and enable the server in its list of MCP servers.",
        files: &[ConfigFile {
            in_workspace: ".cursor/mcp.json",
            of_user: (UserFolder::Home, ".cursor/mcp.json"),
            // Cursor starts a server in the home folder, and puts the workspace's folder in this place.
            entries: &[Entry::Member(
                &["mcpServers", "mdmem"],
                r#"{"command": "mdmem", "args": ["mcp", "--workspace", "${workspaceFolder}"]}"#,
            )],
        }],
    },
    Agent {
        name: "zed",
        title: "Zed",
        next: "Trust the project in Zed if it asks; the settings of the agent panel show the server.",
        files: &[ConfigFile {
            in_workspace: ".zed/settings.json",
            of_user: (UserFolder::Config, "zed/settings.json"),
            entries: &[Entry::Member(&["context_servers", "mdmem"], SERVER)],
        }],
    },
    Agent {
        name: "vscode",
        title: "VS Code",
        next: "Start the server in VS Code (`MCP: List Servers`), and trust it when asked.",
        files: &[ConfigFile {
            in_workspace: ".vscode/mcp.json",
            of_user: VSCODE_OF_USER,
            entries: &[Entry::Member(
                &["servers", "mdmem"],
                r#"{"type": "stdio", "command": "mdmem", "args": ["mcp"]}"#,
            )],
        }],
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        next: "Restart Gemini CLI in a folder that it trusts (`/permissions`); /mcp shows the server.",
        files: &[ConfigFile {
            in_workspace: ".gemini/settings.json",
            of_user: (UserFolder::Home, ".gemini/settings.json"),
            entries: &[Entry::Member(&["mcpServers", "mdmem"], SERVER)],
        }],
    },
];
