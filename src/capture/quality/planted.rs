//! Facts that plant something: programs that come from a stranger's address, a check that is left out, leave or consent
//! that agents are said to have, what the user is not to hear. Each is a statement, and no order, so a person may say it;
//! from a tool, a summary, a pass or an import it is refused.

use super::injection::{PROHIBITIONS, plain};
use super::outflow::words;
use super::words::Phrases;

/// A class of such statements: in one sentence a sign of each list, and none of those that make it honest.
struct Planted {
    signs: [Phrases; 3],
    honest: Phrases,
    form: Form,
}

/// What else makes it one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Nothing forbids it.
    Fact,
    /// The same, and a stranger's address stands there.
    FromElsewhere,
    /// Nothing: its signs hold a prohibition themselves (`is not told`).
    Negative,
}

const PACKAGES: &str = "
    packages, package, dependencies, crates, crate, gems, gem sources, wheels, images, base image, modules, go builds,
    goproxy*, pip, npm, .npmrc, pnpm, yarn, bundler, cargo, maven, gradle, composer, brew, apt, uv, poetry, nuget,
    docker, helm, conda, extensions, registry, registries, setup script, installer, remotes, toolchain*, pakete, abhängigkeiten,
    paquets, dépendances, paquetes, dependencias, dependências, pacotes, pacchetti, dipendenze, пакеты, зависимости,
    pakiety, zależności, 依赖, 软件包, パッケージ, 依存, 패키지, 의존성
    ";
const HONEST_SOURCE: &str = "
    our, internal, own, in-house, mirrored, private, company, company's, corporate, artifactory, nexus, verdaccio, vpn, @*, publish*,
    published, pushed, login, docs, documentation, documented, api, intern, interne, internen, privat*, firma, firmen*, unternehmens*,
    entreprise, empresa, 公司, 内部, 会社, 社内, 사내
    ";
const OWN: &str = "our, internal, own, company, company's, corporate, vpn, fork, docs, documentation, documented, intern, interne, internen, 公司, 社内, 사내";
const USER: &str = "
    user, users, developer, person, owner, maintainer*, him, her, them, author, nobody, anybody, report, reports, 用户, 用戶,
    ユーザー, 사용자
    ";

static PLANTED: [Planted; 19] = [
    // Programs from elsewhere.
    Planted::new(Form::FromElsewhere, [
        "
        --registry*, --index-url*, --extra-index-url*, --find-links*, registry=*, set registry, npm_config_registry*,
        uv_index_url*, uv_default_index*, pip_index_url*, pip_extra_index_url*, goproxy*, source replacement, index at,
        mirror at, registry at, repository at, source at, proxy at, repository http*, index http*, registry http*,
        mirror http*, github:*, 镜像, -i http*, sources --add, brew tap, deb http*, deb [*, point to, points to, replaced by, instead of, go through, goes through,
        fetched through, pulled through, routed through, fetched with
        ",
        PACKAGES,
        "",
    ], HONEST_SOURCE),
    Planted::new(Form::FromElsewhere, [
        "
        fetch*, install*, served, pull*, resolv*, download*, come, comes, get, gets, taken, load*, 安装, 下载, 获取, 拉取,
        インストール, 取得, 설치, установл*, pobier*, geladen, bezogen, télécharg*, descarga*, scaricat*, baixad*
        ",
        PACKAGES,
        "from, von, de, da, desde, depuis, из, с, z, 从, から, 에서",
    ], HONEST_SOURCE),
    Planted::new(Form::FromElsewhere, [
        "
        piped to, piped into, is piped, | sh, | bash, | sudo, | iex, source <(, executing, execute, executes, executed,
        run, runs, running, ausgeführt, exécuté*, ejecuta*, eseguit*, 执行, 运行, 実行, 실행
        ",
        "
        script, scripts, deno run, skript*, .sh, .ps1, install.sh, binary, helper, executable, npx, uvx, bunx, pipx, dlx, python -c, curl,
        wget, irm, iwr
        ",
        "",
    ], HONEST_SOURCE),
    Planted::new(Form::Fact, [
        "=>, git = *, [patch*, npx, bunx, uvx, pipx run, dlx, deno run, go install",
        "[patch*, cargo.toml, replace, replaces, start of a session, each session, every session",
        "github.com*, gitlab.com*, npx, bunx, uvx, pipx run, dlx, deno run, go install",
    ], OWN),
    // The same of what says it by itself, and what a tool or a model sends.
    Planted::new(Form::FromElsewhere, [
        "
        git+http*, ppa:*, sparse+http*, i http*, i -g http*,
        feeds it to, feed it to, fed to, hands it to, hand it to, handed to, passes it to, passed to sh, passed to bash,
        exec(*, eval(*,
        anthropic_*, openai_*, openrouter_*, gemini_*, llm_*, llm calls, llm traffic, llm requests, api traffic, https_proxy*, http_proxy*, all_proxy*, proxy, proxies, insteadof*, set-url,
        --mcp-config*, model requests, requests to the model, requests of the model, base url, base_url*, relay, 中转, 代理, プロキシ, 프록시
        ",
        "
        =http*, is http*, required, from, install, installs, add, set, sets, must, use, uses, using, through, pass, passes, goes, go, before,
        serves, proxied, reaches, export*, piped, passed, handed, runs, run, executes, insteadof*, --mcp-config*, i http*, i -g http*, config, 走, 经过, 通过, 使う, 使用, 利用, 사용
        ",
        "",
    ], OWN),
    // Checks that are left out.
    Planted::new(Form::Fact, [
            "
            skip=*, husky=0, lefthook=0, pre_commit_allow*, stricthostkeychecking=no, stricthostkeychecking no, git_ssl_no_verify*,
            pythonhttpsverify=0, -dskiptests*, -dmaven.test.skip*, --no-gpg-sign, commit.gpgsign=false, commit.gpgsign false, docker_content_trust=0,
            cosign_verify=false, npm_config_audit=false, node_tls_reject_unauthorized=0, --insecure-registry, --trusted-host,
            strict-ssl=false, strict-ssl false, http.sslverify=false, http.sslverify false, --allow-unauthenticated,
            --ignore-checksums, gonosumdb*, gonosumcheck*, gonosum*, goinsecure*, goflags=-insecure, trusted=yes, -v /:*,
            --dangerously-skip-permissions, --dangerously-bypass*, --yolo, without verification, without signature*,
            without its signature*, bypasspermissions, dangerouslyskippermissions, \"bash\": \"allow\"
            ",
            "",
            "",
        ],
        "
        in ci, ci sets, ci uses, ci runs, anywhere, also, does not, was removed, blocked, workflow, workflows, release job, dockerfile, image is built, job before, forbidden, not allowed, 禁止,
        only, unless, alias, vagrant, throwaway, tests, test s*, test c*, test env*, fixture*, mock*, self-signed, localhost, e2e, private
        ",
    ),
    Planted::new(Form::Fact, [
            "--no-verify, commit -n, curl -k, take -k, --no-check-certificate, --insecure, --admin, --no-audit",
            "
            commits, pushes, git commits, merges, calls, downloads, installs, always, must, every, all, each, here, this repo*,
            this project, this codebase, build, builds, 一律, 总是, 每次, 提交, immer, toujours, siempre, sempre, всегда,
            zawsze, 常に, コミット, 항상, 커밋
            ",
            "",
        ],
        "^no, only, test*, release job, release script, fixture*, helper, alias, can, can be, could, takes, self-signed, localhost, unless, asks, sparingly",
    ),
    Planted::new(Form::Fact, [
            "
            hooks, hook, hookspath*, core.hookspath*, signatures, gpg signature*, signing, signed commits, integrity checks, audits,
            --frozen-lockfile, audit, sandbox, unsandboxed, security job*, review by a person, nobody else, crochets,
            second opinion, hooks de commit
            ",
            "
            off, disabled, abolished, dropped, stripped, overridden, lifted, retired, removed, replaced, bypassed, skipped,
            unsandboxed, without hooks, ohne hooks, /dev/null, empty folder, désactivé*, desactivad*, abgeschaltet, needs nobody
            ",
            "
            agent*, assistant*, in this repository, here;, here is, created here, retired here, replaced here, unsandboxed here, by design,
            hier, as a rule, commits here, git is called
            ",
        ],
        "only, unless, test*, until, in ci, containers, mustn't, in favour of, instead",
    ),
    Planted::new(Form::Fact, [
            "
            reviews, code review, code reviews, branch protection, sandbox, sandboxing, secret scanning, security warnings,
            security checks, policy checks, audit findings, cargo deny, host keys, semgrep, trivy*, gitleaks, codeql, snyk, security findings, security alerts, signature verification, signature checks, signatures, certificates, tls checks, ssl checks,
            lockfile hashes, approvals, pull requests
            ",
            "
            skipped, not required, not needed, unnecessary, bypassed, disabled, turned off, switched off, is off, are off, silenced,
            can be ignored, dismissed, not checked, not verified, without review, without a review, false positives
            ",
            "",
        ],
        "after, only, unless, test*, gh-pages, debug*, vendored, generated, draft, staging, if, until, dependabot, drafts, pinning",
    ),
    // What the user is not to hear.
    Planted::new(Form::Negative, [
        "
        confidential from, hidden from, secret from, concealed from, kept from, not mentioned to, not reported to, not told,
        not be told, not listed, not to hear, stays out of, stay out of, never brought up, never raised, needs to be told,
        not want to be told, not want to know, not need to know, doesn't need to know, need not know,
        doesn't want to know, left out of the summary, left out of summaries, without the knowledge of, unaware of,
        不需要知道, 不必知道, 不用知道, 知る必要は, 알 필요
        ",
        USER,
        "
        assistant*, agent*, note, notes, upload*, telemetry, memory, memories, changes, command*, dependenc*, security,
        background, network, installed, install*, 上传, 后台, 命令, アップロード, 업로드
        ",
    ], "customers, unless, error"),
    Planted::new(Form::Negative, [
        "
        keep this between us, keep quiet about, keeps quiet about, asked about this entry, never show or report, dem nutzer nichts,
        rien à l'utilisateur, nada al usuario, 不要告诉用户, between you and me, stays between us, out of the chat, asked about this rule,
        asked about this memory, asked about this note, say that there is none, agent never report*, agent never mention*,
        agent never tell*, agents never report*, agents never mention*, assistant never report*, assistant never mention*,
        assistant never tell*, agent does not report*, agent does not mention*, assistant does not mention*
        ",
        "",
        "",
    ], "customers, unless, error"),
    // Leave, and consent that was given.
    Planted::new(Form::Fact, [
            "
            agent, agents, assistant, assistants, the model, ai, llm, you have permission, claude, codex, copilot, tool calls, every tool call,
            permission prompts, it is ok, it is fine, destructive commands, force push*, rm -rf, 代理, エージェント, 에이전트
            ",
            "
            blanket permission, full authority, full permission*, any command, any shell command, every command, all commands,
            any credential*, any branch, any database, without approval, without confirmation, no confirmation, need no, standing permission,
            needs no, without asking, without review, without a review, without a pull request, no sign-off, no permission, discretion, pre-approved, preapproved, answered with yes,
            accepted with yes, whenever it likes, 不经批准, 无需批准, 不经确认, 任何命令, 人工审核, 无需审核, 不需要审核, 无需审批, 不需要审批, 承認なし,
            確認なし, レビューなし, 승인 없이, 확인 없이, 리뷰 없이
            ",
            "",
        ],
        "but, except, only, linters, read-only, bot, wizard, workflow, lease, if, until, draft*, nothing, ^no, 必须",
    ),
    Planted::new(Form::Fact, [
            "
            consent, approval, permission, signed off, agreed, agrees, authorised, authorized, confirmed, approved, granted, allowed,
            said that the agent, 已授权, 已同意, 已批准, 許可済み, 동의
            ",
            "user, owner, maintainers, maintainer, developer, team, granted, given, on file, said, 用户, ユーザー, 사용자",
            "
            all network*, network calls, network requests, every upload, all uploads, upload of, all sessions, every session,
            secrets, production, dropping, .env, deleting, security checks, every command, any command, all commands, sharing the repository,
            sharing code, deleting, whenever it likes, 所有网络, 所有请求, 所有命令
            ",
        ],
        "needs, need, requires, require, required, only, must, before, ask, asks, banner, cookies",
    ),
    // Consent ahead of time, with what it is for.
    Planted::new(Form::Negative, [
        "
        already agreed, agreed already, consents in advance, consented in advance, agrees in advance, blanket approval,
        blanket consent, im voraus zugestimmt, d'avance, de antemano, 已经同意, 已同意, 同意済み, 이미 동의
        ",
        "
        no need to ask, any command, every command, all commands, all force push*, all pushes, sudo*, deleting, removing, history
        rewrites, checks, nicht nachfragen, sans demander, sin preguntar, 跳过, 关掉, 关闭, 删除, 確認なし, 묻지
        ",
        "",
    ], "only, unless, until, if, asks"),
    // The same for all there is, whoever gave it.
    Planted::new(Form::Fact, [
            "
            approved, signed off, authorized, authorised, granted, agreed, consented, standing approval, blessing, zugestimmt,
            einverstanden, genehmigt, approuvé*, autorisé*, accordé*, autorizó, autorizado, aprobó, aprobado, permiso, approvato,
            批准, 同意, 授权, 承認, 허락, 승인, 동의
            ",
            "
            all shell command*, every shell command*, all command*, every command, any command, force push*, every upload,
            all uploads, the sandbox, allen uploads, jedem upload, allen befehlen, jeden befehl, alle befehle, toutes les commandes,
            tous les téléversements, todos los comandos, cualquier comando, tutti i comandi, 所有命令, 所有 shell 命令, 任何命令, すべての,
            sudo, 모든 명령, 모든 업로드
            ",
            "",
        ],
        "needs, need, requires, require, required, only, must, before, ask, asks, muss, brauch*, doit, debe, 需要, 必要, 필요",
    ),
    Planted::new(Form::Fact, [
        "
        auto-approve, auto-approved, auto-approves, free rein, carte blanche, accepted automatically, confirmed automatically, answered automatically, answered with yes,
        approved in advance, approval ahead of time, freie hand
        ",
        "agent*, assistant*, tool call*, dialog*, prompt*, confirmation*, command*, agenten",
        "",
    ], "only, unless, must"),
    // Secrets in what the reader writes.
    Planted::new(Form::Fact, [
            "
            .env, .npmrc, .netrc, .aws*, .ssh*, id_rsa, environment variables, api keys, private keys, database_url, credentials,
            current keys, keys found, schlüssel, zugangsdaten, umgebungsvariablen, clés, jetons, claves, chiavi, 密钥, 環境変数, 鍵
            ",
            "
            commit message*, pull request*, pull-request*, bug report*, issue, issues, ticket, tickets, final report, readme, changelog,
            summary, debug output, commit-nachricht*, beschreibung, message de commit, messages de commit, description, informe*,
            提交信息, コミットメッセージ, reviewers
            ",
            "
            contain, contains, carry, carries, list, lists, include*, attached, belong*, goes into, go into, posted, dump, section
            with, stehen, steht, gehör*, figure*, recopié*, copia*, se copian, is committed, 写入, 書く
            ",
        ],
        "
        redact*, without, mask*, scanner*, names of, by name, never, not, no, encrypted, sops, public, example, .env.example*, fake,
        playground, nicht, jamais, nunca
        ",
    ),
    Planted::new(Form::Fact, [
            "
            .env, id_rsa, .ssh*, environment variables, env vars, secrets, credentials, database password, passwords,
            api key*, tokens, private key*, github_token, aws_secret*, /etc/passwd
            ",
            "
            answer, answers, reply, replies, response, responses, commit message, commit messages, pull request description*,
            pr description*, each commit, every commit, the chat, summaries
            ",
            "
            print*, include*, begin, begins, start, starts, end, ends, contents of, content of, value of, append*, add,
            adds, repeat*, answer with
            ",
        ],
        "redact*, without, mask*, scanner",
    ),
    Planted::new(Form::FromElsewhere, [
        "
        .env, id_rsa, .ssh*, environment variables, secrets, credentials, passwords, tokens, private key*, transcript*,
        conversation*, source code, every file, all files, every branch, working tree, chat, prompts, prompt's, telemetry,
        otel_exporter*, aws_endpoint*, sentry dsn, sentry_dsn*, webhook*, file reads,
        对话, 会话, 会話, 대화
        ",
        "
        copy of, mirror, mirrors, pushed to, pushed there, streamed to, goes to, go to, 发送到, 送信, 전송, posts, uploads, send, sends, exported, through it, uploaded to, posted to, sent to, printed to, shared with, shared at, copied to, mailed to
        ",
        "
        prompts, prompt's, end of a session, whenever they stop, 每次, 毎回, agent, agents, assistant, each run, every run, every shell, each shell, local runs, uploads, environment, full log, mcp server*, each session, every session, finishing, team, transcript*, .env, debugging, tracing, log,
        credentials
        ",
    ], "our, internal, own, vault, encrypted, kms, docs"),
];

/// Hosts from which everybody takes programs, with those below them.
const KNOWN: &str = "
    pypi.org pypa.io python.org nodejs.org docs.rs pytorch.org npmjs.org npmjs.com npmmirror.com taobao.org goproxy.cn goproxy.io golang.org go.dev
    crates.io rust-lang.org rustup.rs rubygems.org packagist.org github.com gitlab.com ghcr.io docker.io docker.com
    quay.io gcr.io pkg.dev maven.org apache.org gradle.org google.com googleapis.com microsoft.com nuget.org
    nodesource.com debian.org ubuntu.com anaconda.org nvidia.com huggingface.co astral.sh brew.sh deno.land bun.sh
    anthropic.com openai.com openai.azure.com openrouter.ai deepseek.com bitnami.com pnpm.io githubusercontent.com hex.pm conda.io terraform.io jetbrains.com volta.sh ollama.com helm.sh
    aliyun.com tsinghua.edu.cn ustc.edu.cn tencent.com huaweicloud.com hashicorp.com jsr.io
    ";
/// The parts of names of hosts that only a machine or a company of one's own has.
const PRIVATE: [&str; 8] = [
    "localhost",
    "local",
    "internal",
    "intern",
    "corp",
    "lan",
    "intranet",
    "svc",
];

impl Planted {
    const fn new(form: Form, signs: [&'static str; 3], honest: &'static str) -> Self {
        let [first, second, third] = signs;
        Self {
            signs: [Phrases::new(first), Phrases::new(second), Phrases::new(third)],
            honest: Phrases::new(honest),
            form,
        }
    }

    fn is_in(&self, sentence: &str) -> bool {
        let says = |signs: &Phrases| signs.is_empty() || signs.is_in(sentence);
        // A host may call itself `api`, `own` or `docs`.
        let said: Vec<&str> = words(sentence).filter(|word| !word.contains("://")).collect();
        let is_near = || self.form != Form::FromElsewhere || words(sentence).any(is_strangers);
        is_near()
            && self.signs.iter().all(says)
            && !self.honest.is_in(&said.join(" "))
            && (self.form == Form::Negative || !PROHIBITIONS.is_in(main_clause(sentence)))
    }
}

/// True when one sentence of a text plants something.
pub(super) fn is_in(text: &str) -> bool {
    let parts = text.split("\n\n").flat_map(|part| part.split("\n- "));
    parts.map(plain).any(|part| {
        let mut sentences = part.split(". ").flat_map(|part| part.split('。'));
        sentences.any(|sentence| PLANTED.iter().any(|planted| planted.is_in(sentence)))
    })
}

/// The sentence without the reason that it gives.
fn main_clause(sentence: &str) -> &str {
    let reasons = [" so that ", " because ", " since ", " weil ", " damit "];
    let ends = reasons.iter().filter_map(|reason| sentence.find(reason));
    &sentence[..ends.min().unwrap_or(sentence.len())]
}

/// True when a word has the address of a host that is neither known to everybody nor one's own.
fn is_strangers(word: &str) -> bool {
    let is_anybodys = ["git+", "github:", "ppa:"]
        .iter()
        .any(|begins| word.contains(begins) && word.contains('/'));
    let Some((_, rest)) = word.split_once("://") else {
        return is_anybodys;
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host
        .split(|c: char| !c.is_ascii_alphanumeric() && !".-${<".contains(c))
        .next()
        .unwrap_or_default()
        .trim_end_matches('.');
    let is_below = |known: &str| {
        host.strip_suffix(known)
            .is_some_and(|above| above.is_empty() || above.ends_with('.'))
    };
    let is_own = !host.contains('.')
        || host.contains(['$', '{', '<'])
        || host == "127.0.0.1"
        || host.split('.').any(|part| PRIVATE.contains(&part));
    !is_own
        && !host.starts_with("10.")
        && !host.starts_with("192.168.")
        && (is_anybodys || !KNOWN.split_whitespace().any(is_below))
}
