//! The server of `mdmem view`: who is let in, what a form does, what a page is told.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use crate::env::{Answer, LIMIT, Listening, TestEnv, write_at};

/// The server, and the cookie that its address gives.
struct View(Listening, String);

impl View {
    fn start(env: &TestEnv) -> Self {
        let server = Listening::start(env, &["view", "--no-open"], 1);
        let token = server.said[0].split_once("/?").unwrap().1.to_owned();
        let entered = server.ask("GET", &format!("/?{token}"), &[], "");
        assert_eq!(
            (entered.status, entered.header("location")),
            (303, Some("/")),
            "{entered:?}"
        );
        let cookie = entered.header("set-cookie").unwrap();
        assert!(
            cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"),
            "{cookie}"
        );
        let cookie = cookie.split(';').next().unwrap().to_owned();
        assert_eq!(
            server.ask("GET", &format!("/?{token}"), &[], "").status,
            403,
            "it works once"
        );
        Self(server, cookie)
    }

    fn get(&self, path: &str) -> Answer {
        self.0.ask("GET", path, &[("Cookie", &self.1)], "")
    }

    /// The revision that the form of a memory's page has.
    fn rev(&self, path: &str) -> String {
        let page = self.get(&format!("/workspace/memory/{path}.html"));
        let (_, rev) = page.body.split_once("name=\"rev\" value=\"").unwrap();
        rev.split('"').next().unwrap().to_owned()
    }

    fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let origin = format!("http://{}", self.0.address);
        self.0.ask(
            "POST",
            path,
            &[("Cookie", &self.1), ("Origin", &origin)],
            &form.finish(),
        )
    }
}

#[test]
fn only_who_has_the_cookie_and_comes_from_its_own_page_is_let_in() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "The API listens on port 8080"])
        .any_stdout()
        .run();
    let view = View::start(&env);
    let page = "/workspace/memories.html";
    let good = view.get(page);
    assert_eq!(good.status, 200);
    assert!(
        good.body.contains("The API listens on port 8080"),
        "{}",
        good.body
    );
    let policy = good.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert_eq!(good.header("referrer-policy"), Some("same-origin"));
    assert_eq!(view.get("/").header("location"), Some(page));
    let cookie = ("Cookie", view.1.as_str());
    for headers in [
        &[][..],
        &[("Cookie", "mdmem-1=x")],
        &[cookie, ("Host", "evil.example")],
        &[cookie, ("Origin", "http://evil.example")],
    ] {
        for path in [page, "/events", "/view.css", "/?token=x"] {
            let answer = view.0.ask("GET", path, headers, "");
            assert_eq!(answer.status, 403, "{headers:?} {path}");
            assert!(!answer.body.contains("8080"), "{}", answer.body);
        }
    }
    let form = "path=project/the-api-listens-on-port-8080.md";
    let own = format!("http://{}", view.0.address);
    for headers in [
        &[cookie][..],
        &[("Origin", own.as_str())],
        &[cookie, ("Origin", "null")],
    ] {
        assert_eq!(
            view.0.ask("POST", "/workspace/do/pin", headers, form).status,
            403,
            "{headers:?}"
        );
    }
    env.mdmem(["list", "--paths"])
        .stdout("project/the-api-listens-on-port-8080.md\n")
        .run();
    for (path, status) in [
        ("/workspace/memory/../../../../etc/passwd.html", 404),
        ("/workspace/memory/%2e%2e%2f%2e%2e%2fetc%2fpasswd.html", 404),
        ("/nobody/memories.html", 404),
        ("/workspace/nothing.html", 404),
        ("//evil.example/", 404),
    ] {
        assert_eq!(view.get(path).status, status, "{path}");
    }
    assert_eq!(view.post("/workspace/do/nothing", &[]).status, 404);
    assert_eq!(view.post("/nobody/do/pin", &[]).status, 422);
    assert_eq!(view.0.interrupt(), Some(0));
}

#[test]
fn an_agents_shell_starts_none() {
    let mut env = TestEnv::with_store();
    env.set_var("CLAUDECODE", "1");
    env.mdmem(["view", "--no-open"])
        .fails("not started: this is an agent's shell (CLAUDECODE is set)")
        .run();
}

#[test]
fn of_two_that_save_at_once_one_gets_both_texts() {
    let env = TestEnv::with_store();
    env.write("project/two.md", "The first text\n");
    let view = View::start(&env);
    for round in 0..5 {
        let rev = view.rev("project/two.md");
        let save = |by: &str| {
            let text = format!("Text {round} by {by}\n");
            let fields = [("path", "project/two.md"), ("rev", &*rev), ("text", &*text)];
            (view.post("/workspace/do/edit", &fields), text)
        };
        let both = std::thread::scope(|scope| {
            let other = scope.spawn(|| save("one"));
            [save("the other"), other.join().unwrap()]
        });
        let mut statuses = both.each_ref().map(|(answer, _)| answer.status);
        statuses.sort_unstable();
        assert_eq!(statuses, [303, 409], "{both:?}");
        let (late, mine) = both.iter().find(|(answer, _)| answer.status == 409).unwrap();
        assert!(late.body.contains(mine.trim()), "{late:?}");
    }
    // One that was moved meanwhile.
    let rev = view.rev("project/two.md");
    env.mdmem(["archive", "two"]).any_stdout().any_stderr().run();
    let fields = [
        ("path", "project/two.md"),
        ("rev", &*rev),
        ("text", "Mine stays\n"),
    ];
    let late = view.post("/workspace/do/edit", &fields);
    assert_eq!(late.status, 409);
    assert!(late.body.contains("Mine stays"), "{}", late.body);
    env.mdmem(["unpin", "two"]).any_stdout().any_stderr().run();
    let long = "a".repeat(2 << 20);
    let fields = [
        ("path", "project/two.md"),
        ("rev", &*view.rev("project/two.md")),
        ("text", &*long),
    ];
    let refused = view.post("/workspace/do/edit", &fields);
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("more than 1 MiB"), "{}", refused.body);
}

#[test]
fn each_change_is_a_commit_that_can_be_undone() {
    let env = TestEnv::with_store();
    for (text, kind) in [
        ("The API listens on port 8080", "project"),
        ("Never push to main", "feedback"),
    ] {
        env.mdmem(["add", text, "--type", kind]).any_stdout().run();
    }
    let view = View::start(&env);
    let (api, push) = (
        "project/the-api-listens-on-port-8080.md",
        "feedback/never-push-to-main.md",
    );
    let commit = |answer: &Answer| {
        assert_eq!(answer.status, 303, "{answer:?}");
        let there = answer.header("location").unwrap();
        there
            .split_once("?done=")
            .unwrap_or_else(|| panic!("{there}"))
            .1
            .to_owned()
    };
    let paths = || env.mdmem(["list", "--all", "--paths"]).any_stdout().run().stdout;
    let pinned = view.post("/workspace/do/pin", &[("path", push)]);
    assert!(view.get(pinned.header("location").unwrap()).body.contains("Undo"));
    assert!(paths().contains("system/never-push-to-main.md"));
    commit(&view.post("/workspace/do/undo", &[("commit", &commit(&pinned))]));
    assert!(paths().contains(push));
    commit(&view.post("/workspace/do/archive", &[("path", api)]));
    commit(&view.post(
        "/workspace/do/unpin",
        &[("path", "archive/the-api-listens-on-port-8080.md")],
    ));
    assert!(paths().contains(api));
    // An edit, and one that meets a newer text.
    let rev = view.rev(api);
    let before = env.read(api);
    let edited = before.replace("8080", "9090").replace('\n', "\r\n");
    commit(&view.post(
        "/workspace/do/edit",
        &[("path", api), ("rev", &rev), ("text", &edited)],
    ));
    assert!(env.read(api).contains("port 9090") && !env.read(api).contains('\r'));
    let late = view.post(
        "/workspace/do/edit",
        &[("path", api), ("rev", &rev), ("text", "Mine: port 7070")],
    );
    assert_eq!(late.status, 409);
    assert!(
        late.body.contains("Mine: port 7070") && late.body.contains("9090"),
        "{}",
        late.body
    );
    assert!(env.read(api).contains("port 9090"));
    commit(&view.post("/workspace/do/restore", &[("path", api), ("point", "HEAD~1")]));
    assert!(env.read(api).contains("port 8080"));
    commit(&view.post("/workspace/do/forget", &[("path", push)]));
    assert!(!paths().contains(push));
    let failed = view.post("/workspace/do/undo", &[("commit", "nonsense")]);
    assert_eq!(failed.status, 422);
    assert!(failed.body.contains("is not a revision"), "{}", failed.body);
    // What is held back is allowed, and then committed.
    write_at(
        &env.store().join("project/key.md"),
        "API_KEY=9f8e7d6c5b4a39281706f5e4d3c2b1a0\n",
    );
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    commit(&view.post("/workspace/do/allow", &[("path", "project/key.md")]));
    env.git(["status", "--porcelain"]).stdout("").run();
}

#[test]
fn a_commit_is_told_to_every_page() {
    let env = TestEnv::with_store();
    let head = || env.git(["rev-parse", "HEAD"]).any_stdout().run().stdout;
    let before = head();
    let view = View::start(&env);
    // The commit that the page was made of.
    let page = view.get("/workspace/prompt.html").body;
    assert!(
        page.contains(&format!("data-head=\"{}\"", before.trim())),
        "{page}"
    );
    let pages: Vec<_> = (0..2)
        .map(|_| {
            let mut stream = TcpStream::connect(view.0.address).unwrap();
            stream.set_read_timeout(Some(LIMIT)).unwrap();
            write!(
                stream,
                "GET /events HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n",
                view.0.address, view.1
            )
            .unwrap();
            let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
            assert!(lines.any(|line| line == "content-type: text/event-stream"));
            assert!(lines.any(|line| line == format!("data: workspace {}", before.trim())));
            lines
        })
        .collect();
    env.mdmem(["add", "The API listens on port 8080"])
        .any_stdout()
        .run();
    for mut lines in pages {
        let told = lines.find(|line| line.starts_with("data: ")).unwrap();
        assert_eq!(told, format!("data: workspace {}", head().trim()));
    }
    // The page Prompt is of the files that the server keeps.
    let text = env.mdmem(["render"]).any_stdout().run().stdout;
    let page = view.get("/workspace/prompt.html").body;
    let (_, shown) = page.split_once("<pre class=\"prompt\">").unwrap();
    let shown = shown.split_once("</pre>").unwrap().0;
    let mut plain = String::new();
    for part in shown.split('<') {
        plain += part.split_once('>').map_or(part, |(_, text)| text);
    }
    let plain = plain
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
    assert_eq!(plain, text);
}
