//! The kinds of hosts: one's own, known to everybody, or a stranger's.

use std::net::Ipv4Addr;

/// Hosts that everybody gets programs from, and of models.
const KNOWN: &str = "
    pypi.org pypa.io python.org nodejs.org docs.rs pytorch.org npmjs.org npmjs.com npmmirror.com taobao.org goproxy.cn goproxy.io golang.org go.dev
    crates.io rust-lang.org rustup.rs rubygems.org packagist.org github.com gitlab.com ghcr.io docker.io docker.com
    quay.io gcr.io pkg.dev maven.org apache.org gradle.org google.com googleapis.com microsoft.com nuget.org
    nodesource.com debian.org ubuntu.com anaconda.org nvidia.com huggingface.co astral.sh brew.sh deno.land bun.sh
    anthropic.com openai.com openai.azure.com openrouter.ai deepseek.com bitnami.com pnpm.io githubusercontent.com hex.pm conda.io terraform.io jetbrains.com volta.sh ollama.com helm.sh
    aliyun.com tsinghua.edu.cn ustc.edu.cn tencent.com huaweicloud.com hashicorp.com jsr.io mise.run
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

/// The kind of the host in a word; `None` for a word without an address.
pub(in crate::capture) fn address(word: &str) -> Option<&'static str> {
    let is_anybodys = ["git+", "github:", "ppa:"]
        .iter()
        .any(|begins| word.contains(begins) && word.contains('/'));
    let Some((scheme, rest)) = word.split_once("://") else {
        return is_anybodys.then_some("<anybody>");
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
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
        || host
            .parse::<Ipv4Addr>()
            .is_ok_and(|ip| ip.is_private() || ip.is_loopback())
        || host.split('.').any(|part| PRIVATE.contains(&part));
    Some(if is_own {
        "<own>"
    } else if is_anybodys {
        "<anybody>"
    } else if KNOWN.split_whitespace().any(is_below) {
        "<known>"
    } else if scheme.ends_with("http") {
        "<stranger http>"
    } else {
        "<stranger>"
    })
}
