//! HEAD is on no branch: a commit would be lost with the next switch, so there is none.

use super::*;

#[test]
fn nothing_is_committed_while_head_is_detached() {
    let env = machine();
    let repository = Repository::of(&env);
    let watching = watch(&env);
    repository.git(&["switch", "--quiet", "--detach"]);
    let tip = head(&repository);
    repository.save("decision/cache.md", "Said on no branch.\n");
    repository.save("user/new.md", "New on no branch.\n");
    watching.wait_until_said("commits wait: HEAD is detached");
    env.mdmem(["status"]).stdout_has("detached").any_stderr().run();
    env.mdmem(["add", "Not now."]).fails("detached").run();
    assert_eq!(head(&repository), tip);
    assert_eq!(repository.text("decision/cache.md"), "Said on no branch.\n");

    repository.git(&["switch", "--quiet", "main"]);
    repository.wait_for_commit_of("decision/cache.md", "Said on no branch.\n", LIMIT);
    repository.wait_for_commit_of("user/new.md", "New on no branch.\n", LIMIT);
    watching.wait_until_said("committing again");
    assert_eq!(repository.git(&["branch", "--show-current"]), "main\n");
    assert_eq!(repository.status(), "");
    repository.assert_sound();
}
