//! Readings while the client writes: each sees whole messages, and leaves nothing behind.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::{Database, asked, said};
use crate::env::TestEnv;

#[test]
fn pages_are_whole_while_the_client_writes_and_nothing_is_written_there() {
    let env = TestEnv::with_store();
    let mut database = Database::new(&env);
    database.session("ses_busy", "Busy", &env.workspace());
    database.user("ses_busy", "first");
    let (path, ended) = (database.path.clone(), AtomicBool::new(false));
    let mut read = 0;
    std::thread::scope(|scope| {
        let ended = &ended;
        let writer = scope.spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                database.db.execute_batch("BEGIN IMMEDIATE").unwrap();
                for _ in 0..20 {
                    let parts = ["left", "right"].map(said);
                    database.message("ses_busy", &json!({"role": "user"}), &parts);
                }
                database
                    .db
                    .execute_batch("COMMIT; PRAGMA wal_checkpoint(PASSIVE)")
                    .unwrap();
            }
            database
        });
        for _ in 0..15 {
            let page = asked(&env, &["show", "ses_busy", "-n", "300"]);
            let messages = page["messages"].as_array().unwrap();
            read = messages.len();
            assert_eq!(
                messages
                    .iter()
                    .filter(|message| message["parts"].as_array().unwrap().len() == 1)
                    .count(),
                usize::from(read < 300)
            );
            assert!(
                asked(&env, &["search", "left", "right", "--sort=time"])["hits"]
                    .as_array()
                    .unwrap()
                    .len()
                    <= 10
            );
        }
        ended.store(true, Ordering::Relaxed);
        drop(writer.join().unwrap());
    });
    assert!(read > 1);
    let files = || {
        let entries = path.parent().unwrap().read_dir().unwrap().map(Result::unwrap);
        let mut all: Vec<_> = entries
            .filter(|entry| !entry.file_name().to_string_lossy().ends_with("-shm"))
            .map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap()))
            .filter(|(_, bytes)| !bytes.is_empty())
            .collect();
        all.sort();
        all
    };
    let before = files();
    for args in [vec!["list"], vec!["show"], vec!["search", "left"], vec!["stats"]] {
        asked(&env, &args);
    }
    assert!(files() == before, "the database is as the client left it");
}
