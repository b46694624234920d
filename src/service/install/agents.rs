//! The agents: where each one keeps its configuration, and what connects it with mdmem. The facts, with their sources,
//! are in `tests/init_with/README.md`.

use std::borrow::Cow;

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
    /// Its path in a workspace; `None` for a file that is the user's alone.
    pub(super) in_workspace: Option<&'static str>,
    /// Its place for all workspaces of the user; `None` for a file that is a workspace's alone.
    pub(super) of_user: Option<(UserFolder, &'static str)>,
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

/// The same, where it has to say how it is spoken to.
const STDIO_SERVER: &str = r#"{"type": "stdio", "command": "mdmem", "args": ["mcp"]}"#;
/// The same, where its tools run without a question for each.
const TRUSTED_SERVER: &str = r#"{"command": "mdmem", "args": ["mcp"], "trust": true}"#;

/// An element of a list that stands for the path of the store's index.
pub(super) const INDEX_LINE: &str = "- MEMORY.md";

const fn member(path: &'static [&'static str], value: &'static str) -> Entry {
    Entry::Member(path, Cow::Borrowed(value))
}

const CLAUDE_DESKTOP: (UserFolder, &str) = if cfg!(target_os = "macos") {
    (
        UserFolder::Home,
        "Library/Application Support/Claude/claude_desktop_config.json",
    )
} else {
    (UserFolder::Config, "Claude/claude_desktop_config.json")
};

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
            in_workspace: Some(".opencode/plugin/mdmem.ts"),
            of_user: Some((UserFolder::Config, "opencode/plugin/mdmem.ts")),
            entries: &[Entry::Whole(OPENCODE_PLUGIN)],
        }],
    },
    Agent {
        name: "claude-code",
        title: "Claude Code",
        next: "Restart Claude Code and approve the server when it asks; /mcp and /hooks show what is loaded.",
        files: &[
            ConfigFile {
                in_workspace: Some(".mcp.json"),
                of_user: Some((UserFolder::Named("CLAUDE_CONFIG_DIR", ""), ".claude.json")),
                entries: &[member(&["mcpServers", "mdmem"], SERVER)],
            },
            ConfigFile {
                in_workspace: Some(".claude/settings.json"),
                of_user: Some((UserFolder::Named("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")),
                entries: &[
                    Entry::Hook("SessionStart", "session-start", 5),
                    Entry::Hook("UserPromptSubmit", "user-prompt-submit", 5),
                    Entry::Hook("PostToolUse", "post-tool-use", 5),
                    Entry::Hook("PostToolUseFailure", "post-tool-use", 5),
                    Entry::Hook("PreCompact", "pre-compact", 5),
                    Entry::Hook("SessionEnd", "session-end", 5),
                    Entry::Rule("mcp__mdmem__memory_read"),
                    Entry::Rule("mcp__mdmem__memory_search"),
                ],
            },
        ],
    },
    Agent {
        name: "codex",
        title: "Codex",
        next: "Restart Codex, trust the project, and trust mdmem's hooks when it asks (/hooks); /mcp shows the server.",
        files: &[
            ConfigFile {
                in_workspace: Some(".codex/config.toml"),
                of_user: Some((UserFolder::Named("CODEX_HOME", ".codex"), "config.toml")),
                entries: &[Entry::Table(
                    "mcp_servers.mdmem",
                    "command = \"mdmem\"\nargs = [\"mcp\"]\nenv_vars = [\"MDMEM_HOME\", \"XDG_CONFIG_HOME\", \"XDG_DATA_HOME\", \"XDG_STATE_HOME\"]",
                )],
            },
            ConfigFile {
                in_workspace: Some(".codex/hooks.json"),
                of_user: Some((UserFolder::Named("CODEX_HOME", ".codex"), "hooks.json")),
                entries: &[
                    Entry::Hook("SessionStart", "session-start --host codex", 5),
                    Entry::Hook("UserPromptSubmit", "user-prompt-submit --host codex", 5),
                    Entry::Hook("PostToolUse", "post-tool-use --host codex", 5),
                    Entry::Hook("SessionEnd", "session-end --host codex", 3),
                ],
            },
        ],
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        next: "Restart Cursor and enable the server in its list of MCP servers.",
        files: &[ConfigFile {
            in_workspace: Some(".cursor/mcp.json"),
            of_user: Some((UserFolder::Home, ".cursor/mcp.json")),
            // Cursor starts a server in the home folder, and puts the workspace's folder in this place.
            entries: &[member(
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
            in_workspace: Some(".zed/settings.json"),
            of_user: Some((UserFolder::Config, "zed/settings.json")),
            entries: &[member(&["context_servers", "mdmem"], SERVER)],
        }],
    },
    Agent {
        name: "vscode",
        title: "VS Code",
        next: "Start the server in VS Code (`MCP: List Servers`), and trust it when asked.",
        files: &[ConfigFile {
            in_workspace: Some(".vscode/mcp.json"),
            of_user: Some(VSCODE_OF_USER),
            entries: &[member(&["servers", "mdmem"], STDIO_SERVER)],
        }],
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        next: "Restart Gemini CLI in a folder that it trusts (`/permissions`); /mcp shows the server.",
        files: &[ConfigFile {
            in_workspace: Some(".gemini/settings.json"),
            of_user: Some((UserFolder::Home, ".gemini/settings.json")),
            entries: &[
                member(&["mcpServers", "mdmem"], TRUSTED_SERVER),
                Entry::Hook("SessionStart", "session-start --host gemini", 5000),
                Entry::Hook("BeforeAgent", "user-prompt-submit --host gemini", 5000),
                Entry::Hook("AfterTool", "post-tool-use --host gemini", 5000),
                Entry::Hook("SessionEnd", "session-end --host gemini", 5000),
            ],
        }],
    },
    Agent {
        name: "qwen",
        title: "Qwen Code",
        next: "Restart Qwen Code; /mcp shows the server.",
        files: &[ConfigFile {
            in_workspace: Some(".qwen/settings.json"),
            of_user: Some((UserFolder::Home, ".qwen/settings.json")),
            entries: &[
                member(&["mcpServers", "mdmem"], TRUSTED_SERVER),
                Entry::Hook("SessionStart", "session-start --host qwen", 5000),
                Entry::Hook("UserPromptSubmit", "user-prompt-submit --host qwen", 5000),
                Entry::Hook("PostToolUse", "post-tool-use --host qwen", 5000),
                Entry::Hook("SessionEnd", "session-end --host qwen", 5000),
            ],
        }],
    },
    Agent {
        name: "copilot",
        title: "GitHub Copilot CLI",
        next: "Restart Copilot CLI in a folder that it trusts; /mcp shows the server.",
        files: &[
            ConfigFile {
                in_workspace: Some(".github/mcp.json"),
                of_user: Some((UserFolder::Named("COPILOT_HOME", ".copilot"), "mcp-config.json")),
                entries: &[member(
                    &["mcpServers", "mdmem"],
                    r#"{"type": "local", "command": "mdmem", "args": ["mcp"], "tools": ["*"]}"#,
                )],
            },
            ConfigFile {
                in_workspace: Some(".github/hooks/mdmem.json"),
                of_user: Some((UserFolder::Named("COPILOT_HOME", ".copilot"), "hooks/mdmem.json")),
                entries: &[Entry::Whole(include_str!(
                    "../../../templates/agents/copilot-hooks.json"
                ))],
            },
        ],
    },
    Agent {
        name: "droid",
        title: "Droid",
        next: "Restart Droid; /mcp and /hooks show what is loaded.",
        files: &[
            ConfigFile {
                in_workspace: Some(".factory/mcp.json"),
                of_user: Some((UserFolder::Home, ".factory/mcp.json")),
                entries: &[member(&["mcpServers", "mdmem"], STDIO_SERVER)],
            },
            ConfigFile {
                in_workspace: Some(".factory/settings.json"),
                of_user: Some((UserFolder::Home, ".factory/settings.json")),
                entries: &[
                    Entry::Hook("SessionStart", "session-start --host droid", 5),
                    Entry::Hook("UserPromptSubmit", "user-prompt-submit --host droid", 5),
                    Entry::Hook("PostToolUse", "post-tool-use --host droid", 5),
                    Entry::Hook("SessionEnd", "session-end --host droid", 5),
                ],
            },
        ],
    },
    Agent {
        name: "pi",
        title: "Pi",
        next: "Restart Pi, or /reload.",
        files: &[ConfigFile {
            in_workspace: Some(".pi/extensions/mdmem.ts"),
            of_user: Some((
                UserFolder::Named("PI_CODING_AGENT_DIR", ".pi/agent"),
                "extensions/mdmem.ts",
            )),
            entries: &[Entry::Whole(include_str!(
                "../../../templates/agents/pi-extension.ts"
            ))],
        }],
    },
    Agent {
        name: "kilo",
        title: "Kilo Code",
        next: "Restart Kilo.",
        files: &[ConfigFile {
            in_workspace: Some(".kilo/plugins/mdmem.ts"),
            of_user: Some((UserFolder::Config, "kilo/plugins/mdmem.ts")),
            entries: &[Entry::Whole(OPENCODE_PLUGIN)],
        }],
    },
    Agent {
        name: "windsurf",
        title: "Windsurf",
        next: "Restart Windsurf; its list of MCP servers shows mdmem.",
        files: &[ConfigFile {
            in_workspace: None,
            of_user: Some((UserFolder::Home, ".codeium/windsurf/mcp_config.json")),
            entries: &[member(&["mcpServers", "mdmem"], SERVER)],
        }],
    },
    Agent {
        name: "cline",
        title: "Cline CLI",
        next: "Restart Cline. In its extension for an editor, paste the entry into \"Configure MCP Servers\".",
        files: &[ConfigFile {
            in_workspace: None,
            of_user: Some((UserFolder::Home, ".cline/data/settings/cline_mcp_settings.json")),
            entries: &[member(&["mcpServers", "mdmem"], SERVER)],
        }],
    },
    Agent {
        name: "continue",
        title: "Continue",
        next: "Restart Continue and use its agent mode.",
        files: &[ConfigFile {
            in_workspace: Some(".continue/mcpServers/mdmem.yaml"),
            of_user: Some((UserFolder::Home, ".continue/mcpServers/mdmem.yaml")),
            entries: &[Entry::Whole(include_str!(
                "../../../templates/agents/continue.yaml"
            ))],
        }],
    },
    Agent {
        name: "amp",
        title: "Amp",
        next: "Restart Amp, and run `amp mcp approve mdmem` for a workspace's file.",
        files: &[ConfigFile {
            in_workspace: Some(".amp/settings.json"),
            of_user: Some((UserFolder::Config, "amp/settings.json")),
            entries: &[member(&["amp.mcpServers", "mdmem"], SERVER)],
        }],
    },
    Agent {
        name: "crush",
        title: "Crush",
        next: "Restart Crush.",
        files: &[ConfigFile {
            in_workspace: Some("crush.json"),
            of_user: Some((UserFolder::Config, "crush/crush.json")),
            entries: &[member(&["mcp", "mdmem"], STDIO_SERVER)],
        }],
    },
    Agent {
        name: "claude-desktop",
        title: "Claude Desktop",
        next: "Quit Claude Desktop and start it again. It has no workspace: the server serves the global memory.",
        files: &[ConfigFile {
            in_workspace: None,
            of_user: Some(CLAUDE_DESKTOP),
            entries: &[member(
                &["mcpServers", "mdmem"],
                r#"{"command": "mdmem", "args": ["--global", "mcp"]}"#,
            )],
        }],
    },
    Agent {
        name: "goose",
        title: "Goose",
        next: "Start a new session of Goose.",
        files: &[ConfigFile {
            in_workspace: None,
            of_user: Some((UserFolder::Config, "goose/config.yaml")),
            entries: &[Entry::Below(
                "extensions",
                Cow::Borrowed(include_str!("../../../templates/agents/goose.yaml")),
            )],
        }],
    },
    Agent {
        name: "aider",
        title: "aider",
        next: "Restart aider: it has the index, for reading.",
        files: &[ConfigFile {
            in_workspace: Some(".aider.conf.yml"),
            of_user: None,
            entries: &[Entry::Below("read", Cow::Borrowed(INDEX_LINE))],
        }],
    },
    Agent {
        name: "agents-md",
        title: "every agent that reads AGENTS.md",
        next: "Every agent that reads AGENTS.md may now use mdmem on its command line.",
        files: &[ConfigFile {
            in_workspace: Some("AGENTS.md"),
            of_user: None,
            entries: &[Entry::Block(include_str!("../../../templates/agents/agents.md"))],
        }],
    },
];
