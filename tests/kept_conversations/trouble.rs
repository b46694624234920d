//! Databases that are not as they should be: a clear error each, and never a change.

use rusqlite::Connection;

use super::{Database, asked};
use crate::env::{TestEnv, write_at};

const LIST: [&str; 2] = ["sessions", "list"];

#[test]
fn each_trouble_has_its_words_and_its_hint() {
    let env = TestEnv::with_store();
    let list = || env.mdmem(LIST);
    list()
        .fails("no conversations of OpenCode or Claude Code")
        .stderr_has("history.opencode")
        .run();

    let mut database = Database::new(&env);
    database.session("ses_a", "A", &env.workspace());
    for at in 0..400 {
        database.user("ses_a", &format!("{at} {}", "x".repeat(500)));
    }
    list().stdout_has("ses_a").run();

    // The client's own exclusive lock, as a vacuum takes it.
    let path = database.path.clone();
    database
        .db
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;")
        .unwrap();
    database.db.execute_batch("BEGIN EXCLUSIVE").unwrap();
    list()
        .fails("another process has locked the database")
        .stderr_has("in a moment")
        .run();
    database.db.execute_batch("COMMIT").unwrap();

    // A newer form that still has what is needed, and one that has not.
    let newer = "INSERT INTO migration VALUES ('20991231000000_bright_future', 1)";
    database.db.execute(newer, []).unwrap();
    list()
        .stdout_has("ses_a")
        .stderr_has("newer OpenCode")
        .stderr_has("20991231000000_bright_future")
        .run();
    database
        .db
        .execute_batch("ALTER TABLE part RENAME COLUMN data TO body")
        .unwrap();
    list()
        .fails("20991231000000_bright_future")
        .stderr_has("newer mdmem")
        .run();
    database
        .db
        .execute_batch("ALTER TABLE part RENAME COLUMN body TO data")
        .unwrap();

    // Rows that nobody expects.
    database.db.execute_batch("UPDATE part SET data = '{\"type\": \"te' WHERE rowid % 2; UPDATE message SET data = x'ff00', time_created = 'soon' WHERE rowid = 7; UPDATE session SET title = x'ff', time_updated = 'x'").unwrap();
    list().stdout_has("ses_a").any_stderr().run();
    let page = asked(&env, &["show", "ses_a", "-n", "400"]);
    assert!(page["messages"].as_array().unwrap().len() > 300);

    // Torn in the middle.
    drop(database);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 3]).unwrap();
    env.mdmem(["sessions", "search", "nothing"])
        .fails("damaged, or not a database")
        .run();
    std::fs::write(&path, [b"no database at all ".as_slice(); 100].concat()).unwrap();
    list().fails("it is damaged, or not a database").run();
    std::fs::write(&path, b"").unwrap();
    list().fails("it does not have OpenCode's tables").run();
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    list().fails("not a regular file").run();
}

#[test]
fn the_users_settings_name_another_database_and_a_store_does_not() {
    let mut env = TestEnv::with_store();
    let database = Database::new(&env);
    database.session("ses_here", "A", &env.workspace());
    drop(database);
    let usual = env.home().join(".local/share/opencode/opencode.db");
    let other = env.home().join("kept.db");
    // Rename the database with what its last writer left in it.
    Connection::open(&usual)
        .unwrap()
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    std::fs::rename(&usual, &other).unwrap();
    write_at(
        &env.store().join("mdmem.toml"),
        &format!("format = 1\n[history]\nopencode = '{}'\n", other.display()),
    );
    env.mdmem(LIST).fails("no conversations").run();
    // Dotfiles are kept elsewhere, and linked.
    let (dotfile, settings) = (
        env.home().join("dotfiles/mdmem.toml"),
        env.home().join(".config/mdmem/config.toml"),
    );
    write_at(&dotfile, "# mine\n");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(&settings);
    std::os::unix::fs::symlink(&dotfile, &settings).unwrap();
    env.mdmem([
        "config",
        "set",
        "--user",
        "history.opencode",
        other.to_str().unwrap(),
    ])
    .any_stdout()
    .any_stderr()
    .run();
    env.mdmem(LIST).any_stderr().stdout_has("ses_here").run();
    let kept = std::fs::read_to_string(&dotfile).unwrap();
    assert!(kept.contains("# mine\n") && kept.contains("opencode"), "{kept}");
    assert!(settings.is_symlink() && !env.home().join("dotfiles/.mdmem").exists());
    env.mdmem(["config", "unset", "--user", "history.opencode"])
        .any_stdout()
        .any_stderr()
        .run();
    // As OpenCode reads the variable: a path, or a name beside its own.
    env.set_var("OPENCODE_DB", other.to_str().unwrap());
    env.mdmem(LIST).any_stderr().stdout_has("ses_here").run();
}
