//! The package that a person may name in `opencode.json`: packed as for a registry, and installed by OpenCode itself.

use std::path::Path;

use serde_json::{Value, json};

use super::driver::{OpenCode, installed};
use super::main_job::bin;
use crate::env::{TestEnv, write_at};

#[test]
fn opencode_installs_the_package_and_shows_the_memory() {
    if !installed("package") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/opencode");
    let package: Value =
        serde_json::from_slice(&std::fs::read(folder.join("package.json")).unwrap()).unwrap();
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));

    let mut env = TestEnv::new();
    env.use_real_clock();
    env.mdmem(["add", "The dev server listens on 4173"])
        .any_stdout()
        .any_stderr()
        .run();
    // Its scripts copy what is packed into the folder of the package, and take it away.
    let copy = env.home().join("mdmem/packaging/opencode");
    for file in [
        "packaging/opencode/package.json",
        "packaging/opencode/README.md",
        "templates/opencode-plugin.ts",
        "LICENSE",
    ] {
        let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        write_at(
            &env.home().join("mdmem").join(file),
            std::str::from_utf8(&bytes).unwrap(),
        );
    }
    let packed = env
        .command("npm")
        .arg("pack")
        .arg("--silent")
        .current_dir(&copy)
        .output()
        .unwrap();
    assert!(packed.status.success(), "{packed:?}");
    let tarball = copy.join(String::from_utf8(packed.stdout).unwrap().trim());
    assert!(!copy.join("mdmem.ts").exists());

    let plugin = format!("{}@file:{}", package["name"].as_str().unwrap(), tarball.display());
    let config = json!({ "plugin": [plugin] });
    write_at(&env.workspace().join("opencode.json"), &config.to_string());
    let mut client = OpenCode::start(&env, &[bin()]);
    let session = client.session();
    let shown = client.prompt(&session).systems("main");
    assert!(shown[0].contains("- The dev server listens on 4173"), "{shown:?}");
}
