//! `mdmem init --with AGENT`, against the formats that README.md here names.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::json;

use crate::env::{TestEnv, write_at};

/// Each agent, its files in a workspace, and its files of the user.
const FILES: [(&str, &[&str], &[&str]); 21] = [
    (
        "opencode",
        &[".opencode/plugin/mdmem.ts"],
        &[".config/opencode/plugin/mdmem.ts"],
    ),
    (
        "claude-code",
        &[".claude/settings.json", ".mcp.json"],
        &[".claude.json", ".claude/settings.json"],
    ),
    (
        "codex",
        &[".codex/config.toml", ".codex/hooks.json"],
        &[".codex/config.toml", ".codex/hooks.json"],
    ),
    ("cursor", &[".cursor/mcp.json"], &[".cursor/mcp.json"]),
    ("zed", &[".zed/settings.json"], &[".config/zed/settings.json"]),
    ("vscode", &[".vscode/mcp.json"], &[".config/Code/User/mcp.json"]),
    ("gemini", &[".gemini/settings.json"], &[".gemini/settings.json"]),
    ("qwen", &[".qwen/settings.json"], &[".qwen/settings.json"]),
    (
        "copilot",
        &[".github/hooks/mdmem.json", ".github/mcp.json"],
        &[".copilot/hooks/mdmem.json", ".copilot/mcp-config.json"],
    ),
    (
        "droid",
        &[".factory/mcp.json", ".factory/settings.json"],
        &[".factory/mcp.json", ".factory/settings.json"],
    ),
    (
        "pi",
        &[".pi/extensions/mdmem.ts"],
        &[".pi/agent/extensions/mdmem.ts"],
    ),
    (
        "kilo",
        &[".kilo/plugins/mdmem.ts"],
        &[".config/kilo/plugins/mdmem.ts"],
    ),
    ("windsurf", &[], &[".codeium/windsurf/mcp_config.json"]),
    ("cline", &[], &[".cline/data/settings/cline_mcp_settings.json"]),
    (
        "continue",
        &[".continue/mcpServers/mdmem.yaml"],
        &[".continue/mcpServers/mdmem.yaml"],
    ),
    ("amp", &[".amp/settings.json"], &[".config/amp/settings.json"]),
    ("crush", &["crush.json"], &[".config/crush/crush.json"]),
    (
        "claude-desktop",
        &[],
        &[".config/Claude/claude_desktop_config.json"],
    ),
    ("goose", &[], &[".config/goose/config.yaml"]),
    ("aider", &[".aider.conf.yml"], &[]),
    ("agents-md", &["AGENTS.md"], &[]),
];

/// Everything below a folder, apart from mdmem's own folders: folders as `None`, files with mode and content.
fn below(folder: &Path) -> BTreeMap<String, Option<(u32, Vec<u8>)>> {
    let walk = walkdir::WalkDir::new(folder).min_depth(1).into_iter();
    let others = walk
        .filter_entry(|entry| entry.file_name() != ".local")
        .map(Result::unwrap);
    others
        .map(|entry| {
            let name = entry.path().strip_prefix(folder).unwrap().display().to_string();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o7777;
            let file = entry.file_type().is_file();
            (name, file.then(|| (mode, std::fs::read(entry.path()).unwrap())))
        })
        .collect()
}

fn files(folder: &Path) -> Vec<String> {
    let all = below(folder).into_iter();
    all.filter_map(|(name, file)| file.map(|_| name)).collect()
}

fn init(env: &TestEnv, args: &[&str]) -> String {
    let args = ["init"].iter().chain(args);
    env.mdmem(args.copied()).any_stdout().any_stderr().run().stdout
}

#[test]
fn every_agent_is_connected_by_its_own_files_alone_and_taken_back_without_a_trace() {
    let env = TestEnv::new();
    std::fs::create_dir(env.home().join(".config")).unwrap();
    for (agent, in_workspace, of_user) in FILES {
        for (folder, expected, user) in [
            (env.workspace(), in_workspace, None),
            (env.home(), of_user, Some("--user")),
        ] {
            let with: Vec<&str> = ["--with", agent].into_iter().chain(user).collect();
            if expected.is_empty() {
                let scope = if user.is_some() {
                    "all workspaces"
                } else {
                    "one workspace"
                };
                let call = env.mdmem(["init"].into_iter().chain(with));
                call.fails(format!("no file for {scope}")).run();
                continue;
            }
            let run = |more: &[&str]| init(&env, &[with.as_slice(), more].concat());
            let before = below(&folder);
            let dry = run(&["--dry-run"]);
            assert_eq!(below(&folder), before, "{agent}");
            assert!(dry.contains("would write "), "{dry}");
            let shown = run(&[]);
            assert_eq!(files(&folder), expected, "{agent}");
            assert!(expected.iter().all(|file| shown.contains(file)), "{shown}");
            let there = below(&folder);
            assert!(!run(&[]).contains("wrote"));
            assert_eq!(below(&folder), there, "{agent}");
            assert!(run(&["--undo", "-n"]).contains("would remove "));
            assert_eq!(below(&folder), there, "{agent}");
            run(&["--undo"]);
            assert_eq!(below(&folder), before, "{agent}");
            assert!(run(&["--undo"]).starts_with("up to date: "));
        }
    }
}

/// However a person had formatted it: what they had is what an undo gives back, where nobody changed the file since.
#[test]
fn an_undo_gives_the_very_bytes_back_and_takes_out_entries_alone_where_the_file_was_changed() {
    let env = TestEnv::new();
    for (agent, file, text) in [
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers]\n\n[features]\nq = 1",
        ),
        (
            "codex",
            ".codex/hooks.json",
            "{\"hooks\": {\"UserPromptSubmit\": [],\n\"PreCompact\":[]}, \"z\": 1}",
        ),
        ("claude-code", ".mcp.json", "{}"),
        ("claude-code", ".mcp.json", ""),
        (
            "claude-code",
            ".mcp.json",
            "{\"mcpServers\":{ /* keine, ü */ } // x\n}",
        ),
        ("zed", ".zed/settings.json", "// nothing here\n"),
        ("zed", ".zed/settings.json", "{\"a\":1,}"),
        ("agents-md", "AGENTS.md", "Be brief"),
        ("aider", ".aider.conf.yml", "# mine\nmodel: sonnet"),
        (
            "aider",
            ".aider.conf.yml",
            "read:\n- CONVENTIONS.md\n\nmodel: x\n",
        ),
    ] {
        let path = write_at(&env.workspace().join(file), text);
        init(&env, &["--with", agent]);
        assert_ne!(std::fs::read_to_string(&path).unwrap(), text);
        // What the person's file said is for their user alone.
        let state = env.home().join(".local/state/mdmem");
        let mode = std::fs::metadata(&state).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
        init(&env, &["--with", agent]);
        init(&env, &["--with", agent, "--undo"]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{file}");
        // Where somebody saved meanwhile, the entries alone go.
        init(&env, &["--with", agent]);
        let changed = std::fs::read_to_string(&path).unwrap() + "\n\n";
        write_at(&path, &changed);
        init(&env, &["--with", agent, "--undo"]);
        let left = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(!left.contains("mdmem"), "{file}: {left}");
    }
}

#[test]
fn a_permission_that_was_there_before_is_not_taken_back() {
    let env = TestEnv::new();
    let text = r#"{"permissions":{"allow":["mcp__mdmem__memory_read"],"deny":["mcp__mdmem"]}}"#;
    let path = write_at(&env.workspace().join(".claude/settings.json"), text);
    init(&env, &["--with", "claude-code"]);
    init(&env, &["--with", "claude-code", "--undo"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

/// One choice takes the place of another, and an undo gives back what the person had before the first.
#[test]
fn the_choice_for_claude_codes_own_memory_is_taken_back_to_the_byte() {
    let env = TestEnv::new();
    let file = env.workspace().join(".claude/settings.local.json");
    let chosen = |choice: &str| {
        let shown = init(&env, &["--with", "claude-code", "--own-memory", choice]);
        assert!(shown.contains("settings.local.json"), "{shown}");
        let settings = std::fs::read_to_string(&file).unwrap();
        let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
        (
            settings["autoMemoryDirectory"].clone(),
            settings["autoMemoryEnabled"].clone(),
        )
    };
    let undo = || init(&env, &["--with", "claude-code", "--undo"]);
    for text in [
        None,
        Some("{\"permissions\":{\"allow\":[ ]}}"),
        Some("{\"autoMemoryEnabled\": false }"),
    ] {
        if let Some(text) = text {
            write_at(&file, text);
        }
        let before = below(&env.workspace());
        init(
            &env,
            &["--with", "claude-code", "--own-memory", "off", "--dry-run"],
        );
        assert_eq!(below(&env.workspace()), before);
        assert_eq!(chosen("off"), (json!(null), json!(false)));
        let folder = json!(env.store().join("claude"));
        assert_eq!(chosen("store"), (folder.clone(), json!(null)));
        assert_eq!(chosen("off"), (json!(null), json!(false)));
        // A set-up without a word leaves the choice alone.
        init(&env, &["--with", "claude-code"]);
        assert_eq!(chosen("store"), (folder.clone(), json!(null)));
        undo();
        assert_eq!(below(&env.workspace()), before);
        assert!(
            !undo().contains("settings.local.json"),
            "it is the person's alone"
        );

        // Claude Code has written into the file since.
        chosen("off");
        let theirs = |settings: &str| settings.replacen('{', "{\"env\": {\"A\": \"1\"}, ", 1);
        write_at(&file, &theirs(&std::fs::read_to_string(&file).unwrap()));
        assert_eq!(chosen("store"), (folder, json!(null)));
        undo();
        let left = std::fs::read_to_string(&file).unwrap();
        assert!(
            left.contains("\"env\"")
                && left.contains("autoMemory") == text.is_some_and(|text| text.contains("autoMemory")),
            "{left}"
        );
        std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }
    write_at(&file, "{\"autoMemoryDirectory\": \"~/notes\"}");
    env.mdmem(["init", "--with", "claude-code", "--own-memory", "store"])
        .stdout_has("left `autoMemoryDirectory` in ")
        .any_stderr()
        .run();
    for (with, place, said) in [
        ("zed", env.workspace(), "only Claude Code has a memory of its own"),
        ("claude-code", env.home(), "not a workspace"),
    ] {
        env.mdmem(["init", "--with", with, "--user", "--own-memory", "off"])
            .current_dir(&place)
            .fails(said)
            .run();
    }
}

/// Whoever saves it: no tool asks a person before it changes what is there.
#[test]
fn what_lies_in_the_folder_of_claude_codes_own_memory_counts_as_an_agents() {
    let env = TestEnv::with_store();
    let source = |path: &str, text: &str| {
        env.write(path, text);
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
        let shown = env.mdmem(["show", path, "--json"]).any_stdout().run().json();
        shown["source"].as_str().unwrap().to_owned()
    };
    let by = || {
        let format = "--format=%(trailers:key=Mdmem-Source,valueonly)";
        let said = env.git(["log", "-1", format]).any_stdout().run().stdout;
        said.trim().to_owned()
    };
    for text in ["The person bakes", "The person bakes bread"] {
        assert_eq!(source("claude/role.md", text), "agent");
        assert_eq!(by(), "agent");
    }
    assert_eq!(
        source(
            "claude/role.md",
            "---\nsource: explicit\n---\nThe person bakes rye"
        ),
        "explicit"
    );
    env.write("claude/other.md", "Ovens are hot");
    assert_eq!(source("project/claude.md", "Ovens are cold"), "manual");
    assert_eq!(by(), "");
}

#[test]
fn a_dry_run_and_an_undo_make_no_store() {
    let env = TestEnv::new();
    init(&env, &["--with", "zed", "-n"]);
    init(&env, &["--with", "zed", "--undo"]);
    assert!(!env.mdmem_home().exists());
}

#[test]
fn the_change_is_shown_and_the_rest_of_the_file_stays() {
    let env = TestEnv::new();
    let settings = env.workspace().join(".zed/settings.json");
    write_at(&settings, "{\n  // mine\n  \"theme\": \"One\",\n}\n");
    std::fs::set_permissions(&settings, std::fs::Permissions::from_mode(0o600)).unwrap();
    env.mdmem(["init", "--with", "zed", "--dry-run"])
        .stdout(format!(
            "would change $WORKSPACE/.zed/settings.json\n\
             --- a{0}\n+++ b{0}\n\
             @@ -1,4 +1,10 @@\n {{\n   // mine\n   \"theme\": \"One\",\n\
             +  \"context_servers\": {{\n+    \"mdmem\": {{\n+      \"command\": \"mdmem\",\n\
             +      \"args\": [\"mcp\"]\n+    }}\n+  }},\n }}\n",
            "$WORKSPACE/.zed/settings.json"
        ))
        .run();
    let json = env
        .mdmem(["init", "--with", "zed", "--json"])
        .any_stdout()
        .run()
        .json();
    let file = &json["files"][0];
    assert_eq!(
        (&file["agent"], &file["change"]),
        (&json!("zed"), &json!("edited"))
    );
    assert_eq!((&file["left"], &file["kept"]), (&json!([]), &json!([])));
    assert!(
        file["path"]
            .as_str()
            .unwrap()
            .ends_with("workspace/.zed/settings.json")
    );
    assert!(file["diff"].as_str().unwrap().contains("\n+    \"mdmem\": {\n"));
    assert_eq!(json["next"].as_array().unwrap().len(), 1);
    assert_eq!(
        below(&env.workspace())[".zed/settings.json"].as_ref().unwrap().0,
        0o600
    );

    let own = "{\"context_servers\": {\"mdmem\": {\"command\": \"/opt/mdmem\"}}}\n";
    write_at(&settings, own);
    for undo in [None, Some("--undo")] {
        env.mdmem(["init", "--with", "zed", "--quiet"].into_iter().chain(undo))
            .stdout_has("left `context_servers.mdmem` in $WORKSPACE/.zed/")
            .run();
        assert_eq!(std::fs::read_to_string(&settings).unwrap(), own);
    }
}

#[test]
fn a_plugin_that_somebody_changed_is_not_lost() {
    let env = TestEnv::new();
    let plugin = env.workspace().join(".opencode/plugin/mdmem.ts");
    write_at(&plugin, "// mine\n");
    let undone = init(&env, &["--with", "opencode", "--undo"]);
    assert!(undone.starts_with("left the file in $WORKSPACE"), "{undone}");
    let shown = init(&env, &["--with", "opencode"]);
    let kept = "changed $WORKSPACE/.opencode/plugin/mdmem.ts\nthe previous file was moved to $WORKSPACE/.opencode/plugin/mdmem.ts.old\n";
    assert!(shown.contains(kept), "{shown}");
    assert_eq!(
        std::fs::read_to_string(plugin.with_extension("ts.old")).unwrap(),
        "// mine\n"
    );
    write_at(&plugin, "// mine too\n");
    init(&env, &["--with", "opencode"]);
    let text = |end: &str| std::fs::read_to_string(plugin.with_extension(end)).unwrap();
    assert_eq!(
        (text("ts.old"), text("ts.old-2")),
        ("// mine\n".to_owned(), "// mine too\n".to_owned())
    );
    let undone = init(&env, &["--with", "opencode", "--undo"]);
    for kept in ["mdmem.ts.old", "mdmem.ts.old-2"] {
        let named = format!("the previous file was moved to $WORKSPACE/.opencode/plugin/{kept}\n");
        assert!(undone.contains(&named), "{undone}");
    }
    assert!(!plugin.exists());
    assert_eq!(
        (text("ts.old"), text("ts.old-2")),
        ("// mine\n".to_owned(), "// mine too\n".to_owned())
    );
}

#[test]
fn an_unknown_agent_is_refused_with_those_that_there_are() {
    let names = FILES.map(|(agent, ..)| agent).join(", ");
    let env = TestEnv::new();
    env.mdmem(["init", "--with", "emacs"])
        .refuses(format!("[possible values: {names}]"))
        .run();
    env.mdmem(["init", "--undo"]).refuses("--with <AGENT>").run();
}

/// The maker of what is in the place of Cursor's file, and the reason that is told.
type Hostile = (fn(&Path), &'static str);

#[test]
fn a_file_that_cannot_be_edited_is_refused_and_nothing_is_touched() {
    let cases: [Hostile; 11] = [
        (
            |file| drop(write_at(file, "{\"a\": 1\n \"b\": 2}")),
            "mcp.json: line 1, column 8: expected comma",
        ),
        (
            |file| std::fs::write(file, b"{\"a\": \"\xff\"}").unwrap(),
            "mcp.json: it is not UTF-8 text",
        ),
        (
            |file| drop(write_at(file, "{\"mcpServers\": []}")),
            "mcp.json: `mcpServers` is not an object",
        ),
        (
            |file| std::fs::create_dir(file).unwrap(),
            "cannot read $WORKSPACE/.cursor/mcp.json: it is not a regular file",
        ),
        (
            |file| std::fs::File::create(file).unwrap().set_len(17 << 20).unwrap(),
            "it has more than the 16777216 bytes",
        ),
        (
            |file| {
                write_at(file, "{}");
                std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o444)).unwrap();
            },
            "mcp.json: the file is read-only",
        ),
        (
            |file| symlink("/nowhere", file).unwrap(),
            "cannot follow $WORKSPACE/.cursor/mcp.json: no such file or folder",
        ),
        (
            |file| symlink("mcp.json", file).unwrap(),
            "cannot follow $WORKSPACE/.cursor/mcp.json: too many",
        ),
        (
            |file| {
                let outside = file.ancestors().nth(3).unwrap().join("outside.json");
                symlink(write_at(&outside, "{}"), file).unwrap();
            },
            "mcp.json: a link leads out of the workspace, to $ROOT/outside.json",
        ),
        (
            |file| {
                std::fs::remove_dir(file.parent().unwrap()).unwrap();
                symlink("../home", file.parent().unwrap()).unwrap();
            },
            "mcp.json: a link leads out of the workspace, to $HOME/mcp.json",
        ),
        (
            |file| {
                std::fs::remove_dir(file.parent().unwrap()).unwrap();
                write_at(file.parent().unwrap(), "no folder");
            },
            "$WORKSPACE/.cursor/mcp.json: ",
        ),
    ];
    for (prepare, reason) in cases {
        let env = TestEnv::new();
        let file = env.workspace().join(".cursor/mcp.json");
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        prepare(&file);
        let before = below(&env.home().join(".."));
        // The file of the other agent comes first, and is not written either.
        let args = ["init", "--with", "zed", "--with", "cursor"];
        env.mdmem(args).fails(reason).run();
        assert_eq!(below(&env.home().join("..")), before, "{reason}");
        assert!(!env.mdmem_home().exists(), "{reason}");
    }
}

#[test]
fn a_link_of_the_users_own_is_followed_and_stays() {
    let env = TestEnv::new();
    let dotfiles = write_at(&env.home().join("dotfiles/codex.toml"), "model = 'o'\n");
    std::fs::create_dir(env.home().join(".codex")).unwrap();
    let link = env.home().join(".codex/config.toml");
    symlink(&dotfiles, &link).unwrap();
    init(&env, &["--with", "codex", "--user"]);
    assert!(
        std::fs::read_to_string(&dotfiles)
            .unwrap()
            .contains("[mcp_servers.mdmem]")
    );
    assert_eq!(std::fs::read_link(&link).unwrap(), dotfiles);
    init(&env, &["--with", "codex", "--user", "--undo"]);
    assert_eq!(std::fs::read_to_string(&dotfiles).unwrap(), "model = 'o'\n");

    let named = env.home().join("elsewhere");
    let with = ["init", "--with", "codex", "--user"];
    let call = env.mdmem(with).var("CODEX_HOME", named.to_str().unwrap());
    call.any_stdout().any_stderr().run();
    assert_eq!(files(&named), ["config.toml", "hooks.json"]);
}

#[test]
fn what_a_link_leads_to_is_emptied_and_never_removed() {
    let env = TestEnv::new();
    let dotfiles = env.home().join("dotfiles");
    let with = |agent: &str, more: &[&str]| init(&env, &[&["--with", agent, "--user"], more].concat());
    for (agent, link, text) in [
        ("codex", ".codex/config.toml", ""),
        ("cursor", ".cursor/mcp.json", ""),
        ("opencode", ".config/opencode/plugin/mdmem.ts", ""),
    ] {
        let target = write_at(&dotfiles.join(agent).join("file"), text);
        let removed = format!("would remove $HOME/{link}");
        let link = env.home().join(link);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&target, &link).unwrap();
        for _ in 0..2 {
            with(agent, &[]);
            let there = std::fs::read_to_string(&target).unwrap();
            assert!(there.contains("mdmem"), "{agent}: {there}");
            let dry = with(agent, &["--undo", "-n"]);
            assert!(!dry.contains(&removed), "{dry}");
            with(agent, &["--undo"]);
            assert_eq!(std::fs::read_to_string(&target).unwrap(), text, "{agent}");
            assert_eq!(std::fs::read_link(&link).unwrap(), target);
        }
    }
    // A file that lies in a linked folder is no link: it goes, and the folders stay.
    let folder = dotfiles.join("zed");
    std::fs::create_dir(&folder).unwrap();
    symlink(&folder, env.home().join(".config/zed")).unwrap();
    for _ in 0..2 {
        with("zed", &[]);
        assert_eq!(files(&folder), ["settings.json"]);
        with("zed", &["--undo"]);
        assert_eq!(files(&folder), [""; 0]);
        assert!(folder.is_dir());
    }
}

#[test]
fn the_next_run_finishes_what_a_killed_one_began() {
    let alone = TestEnv::new();
    init(&alone, &["--with", "claude-code"]);
    let env = TestEnv::new();
    let connected = std::fs::read_to_string(alone.workspace().join(".mcp.json")).unwrap();
    write_at(&env.workspace().join(".mcp.json"), &connected);
    for folder in ["", ".claude"] {
        let part = format!(".{}.4194304-0.mdmem-part", "0".repeat(16));
        write_at(&env.workspace().join(folder).join(part), "{\"hoo");
    }
    init(&env, &["--with", "claude-code"]);
    assert_eq!(below(&env.workspace()), below(&alone.workspace()));
}

#[test]
fn many_at_once_leave_the_files_of_one() {
    let settings = "{\n  \"hooks\": {\n    \"Stop\": []\n  },\n  \"a\": 1\n}\n";
    let machine = || {
        let env = TestEnv::new();
        write_at(&env.workspace().join(".claude/settings.json"), settings);
        env
    };
    let alone = machine();
    init(&alone, &["--with", "claude-code"]);
    let env = machine();
    let start = |_| {
        let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
        command.args(["init", "--with", "claude-code"]);
        command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let crowd: Vec<_> = (0..6).map(start).collect();
    for one in crowd {
        let output = one.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    assert_eq!(below(&env.workspace()), below(&alone.workspace()));
    init(&env, &["--with", "claude-code", "--undo"]);
    let left: Vec<PathBuf> = files(&env.workspace()).into_iter().map(PathBuf::from).collect();
    assert_eq!(left, [PathBuf::from(".claude/settings.json")]);
    assert_eq!(
        std::fs::read_to_string(env.workspace().join(&left[0])).unwrap(),
        settings
    );
}
