//! The ways in which a remote can fail. Git has one exit code for all of them, so they are known by its words, which are
//! those of the C locale; this table alone holds such words.

use std::fmt;

use super::message::one_line;

/// The reason why a remote could not be fetched from or pushed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteFault {
    /// There is no network, no host of this name, or no answer; or the connection broke, or was ended here.
    Offline,
    /// Nothing was heard for so many seconds, of the host or of a program of the person's on the way to it.
    Silent(u64),
    /// The key of the host or its certificate is not known, or is another than before.
    Untrusted,
    /// The remote wants a password, a token or a key, did not take the one it was given, or may only be read.
    Denied,
    /// There is no repository at the address, none that this user may see, or no way to it that git knows.
    NotFound,
    /// The disk is full, `here` or `there`.
    Full(&'static str),
    /// What the remote has cannot be taken over: it is not sound, not whole, or of another format.
    Unsound,
    /// The remote has branches, these, but not the one that was asked for.
    OtherBranches(Vec<String>),
    /// None of these.
    Other,
}

use RemoteFault as F;

/// Words of git, ssh and curl in lower case, and the fault that they tell of; the first that is found counts.
const PHRASES: &[(RemoteFault, &[&str])] = &[
    (
        F::Untrusted,
        &[
            "host key verification failed",
            "remote host identification has changed",
        ],
    ),
    (
        F::Offline,
        &[
            "could not resolve host",
            "unable to look up",
            "name or service not known",
            "temporary failure in name resolution",
            "nodename nor servname provided",
            "could not resolve proxy",
            "connection refused",
            "failed to connect to",
            "couldn't connect to server",
            "no route to host",
            "network is unreachable",
            "connection timed out",
            "operation timed out",
            "operation too slow",
            "unable to connect to",
        ],
    ),
    (
        F::Untrusted,
        &[
            "ssl certificate problem",
            "certificate verif",
            "server certificate",
        ],
    ),
    (
        F::Denied,
        &[
            "authentication failed",
            "could not read username",
            "could not read password",
            "terminal prompts disabled",
            "unable to get password from user",
            "too many authentication failures",
            "permission denied (",
            "returned error: 401",
            "returned error: 407",
            "returned error: 403",
            "permission to ",
        ],
    ),
    (
        F::NotFound,
        &[
            "repository not found",
            "does not appear to be a git repository",
            "' not found",
            "not a git repository",
            "returned error: 404",
            "access denied or repository not exported",
        ],
    ),
    (F::Denied, &["service not enabled"]),
    (
        F::NotFound,
        &[
            "transport '",
            "is not a git command",
            "unable to find remote helper",
        ],
    ),
    (F::Other, &["detected dubious ownership"]),
    (
        F::Unsound,
        &[
            "mismatched algorithms",
            "does not support this repository's hash algorithm",
        ],
    ),
    (
        F::Full("here"),
        &[
            "no space left on device",
            "disk quota exceeded",
            "out of diskspace",
            "couldn't write '",
        ],
    ),
    (
        F::Unsound,
        &[
            "fsck error",
            "in fsck",
            "did not receive expected object",
            "remote did not send all necessary objects",
        ],
    ),
    (
        F::Offline,
        &[
            "early eof",
            "unexpected disconnect",
            "rpc failed",
            "connection reset",
            "broken pipe",
            "connection closed by",
            "empty reply from server",
            "unable to read from remote",
            "the remote end hung up",
            "expected flush after",
            "expected response end packet",
            "expected packfile to be sent after",
            "expected ack/nak, got a flush packet",
            "expected shallow list",
            "premature end of pack",
            "unexpected flush packet",
        ],
    ),
];

/// The beginnings of lines that tell nothing: advice, and the lines that git adds to what ssh said.
const EMPTY: [&str; 7] = [
    "hint:",
    "warning:",
    "remote:",
    "fatal: could not read from remote repository",
    "please make sure you have",
    "and the repository exists",
    "error: failed to push some refs",
];

/// Git's own words where the other end closed the connection and said nothing.
const SILENCE: [&str; 3] = [
    "fatal: could not read from remote repository",
    "please make sure you have",
    "and the repository exists",
];

impl RemoteFault {
    /// Reads the words of a git that failed: the fault, and the line that tells of it. Words of the remote itself, which
    /// could say anything, tell at most of its disk.
    pub(super) fn of(words: &[String]) -> (Self, String) {
        let is_full =
            |line: &&String| line.starts_with("remote:") && line.contains("No space left on device");
        if let Some(line) = words.iter().find(is_full) {
            return (Self::Full("there"), told(line));
        }
        let lower = |line: &String| line.to_lowercase();
        let is_empty = |line: &&String| EMPTY.iter().any(|start| lower(line).starts_with(start));
        let phrases = PHRASES
            .iter()
            .flat_map(|(fault, phrases)| phrases.iter().map(move |phrase| (phrase, fault)));
        for (phrase, fault) in phrases {
            let tells = |line: &&String| !line.starts_with("remote:") && lower(line).contains(phrase);
            if let Some(line) = words.iter().find(tells) {
                return (fault.clone(), told(line));
            }
        }
        let is_silence = |line: &String| SILENCE.iter().any(|start| lower(line).starts_with(start));
        let mut said = words.iter().filter(|line| !line.trim().is_empty()).peekable();
        if said.peek().is_some() && said.all(is_silence) {
            return (Self::Offline, "the connection was closed".to_owned());
        }
        let mut last = words.iter().rfind(|line| !is_empty(line)).or(words.last());
        // The summary only says that a ref was not moved; git told the reason before.
        if last.is_some_and(|line| line.starts_with('!')) {
            let cause = words.iter().rfind(|line| line.starts_with("error: "));
            last = cause.or(last);
        }
        (Self::Other, last.map(|line| told(line)).unwrap_or_default())
    }

    /// True when it may be gone by itself, as soon as there is a network again.
    pub const fn is_offline(&self) -> bool {
        matches!(self, Self::Offline | Self::Silent(_))
    }

    /// Tells a person what to do about it.
    pub(super) const fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Offline => {
                "Check the network and the address (`mdmem status`), then run the command again; no \
                 memory was changed."
            }
            Self::Silent(_) => {
                "The host hangs, or a program on the way to it: `core.sshCommand`, a proxy, a credential \
                 helper. `GIT_TRACE=1 git ls-remote URL` shows which; no memory was changed."
            }
            Self::Untrusted => {
                "Connect once with ssh and compare the host's key with the published one before you \
                 accept it; for https, git's `http.sslCAInfo` names certificates to trust."
            }
            Self::Denied => {
                "Set up a credential helper (`git help credentials`) or a key in the ssh agent, so that \
                 `git ls-remote` works without a prompt; you also need the right to push."
            }
            Self::NotFound => {
                "Check the address (https://, ssh:// or a path), create an empty repository there, or ask \
                 for access to it."
            }
            Self::Full(_) => "Free some space there, then run the command again.",
            Self::Unsound => {
                "Nothing was merged. `git fsck` in the remote says more; a shallow remote needs `git \
                 fetch --unshallow`, one with SHA-256 must be created again (`git init --bare \
                 --object-format=sha1`)."
            }
            Self::OtherBranches(_) => {
                "Use an empty repository, or one with a store; `mdmem sync URL --branch NAME` names the \
                 store's branch. If the branch was deleted there, `git push origin HEAD:refs/heads/NAME` \
                 in the store's folder restores it."
            }
            Self::Other => return None,
        })
    }
}

impl fmt::Display for RemoteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offline => f.write_str("the host is not reachable, or the connection was lost"),
            Self::Silent(seconds) => write!(f, "no answer for {seconds} s"),
            Self::Untrusted => f.write_str("the host's key or certificate is not trusted"),
            Self::Denied => f.write_str("access denied"),
            Self::NotFound => f.write_str("repository not found"),
            Self::Full(place) => write!(f, "the disk is full {place}"),
            Self::Unsound => f.write_str("its contents cannot be used"),
            Self::OtherBranches(names) => {
                const SHOWN: usize = 5;
                let more = if names.len() > SHOWN { ", …" } else { "" };
                let names = names[..names.len().min(SHOWN)].join(", ");
                write!(f, "it has no such branch, only {names}{more}")
            }
            Self::Other => f.write_str("git failed"),
        }
    }
}

/// A line without the word that only says that something failed.
fn told(line: &str) -> String {
    let starts = ["fatal: ", "error: ", "remote: ", "ssh: "];
    let bare = starts.iter().find_map(|start| line.strip_prefix(start));
    bare.unwrap_or(line).to_owned()
}

/// Words of another program on one line, without control characters and without what gives access in an URL.
pub(super) fn shown_words(text: &str) -> String {
    let text = one_line(text);
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let is_end = |c: char| c.is_whitespace() || matches!(c, '/' | '\'' | '"' | '?' | '#');
        let authority = &after[..after.find(is_end).unwrap_or(after.len())];
        rest = authority.rfind('@').map_or(after, |at| &after[at + 1..]);
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of real programs that the tests cannot provoke, or not on every machine: of hosts that many use, of other
    /// systems, of certificates.
    #[test]
    fn knows_what_the_words_tell() {
        for (words, fault) in [
            (
                "ERROR: Repository not found.\nfatal: Could not read from remote repository.\n\nPlease make sure you have \
                 the correct access rights\nand the repository exists.",
                F::NotFound,
            ),
            (
                "remote: Repository not found.\nfatal: repository 'https://host.example/a/b.git/' not found",
                F::NotFound,
            ),
            (
                "ERROR: Permission to a/b.git denied to c.\nfatal: Could not read from remote repository.",
                F::Denied,
            ),
            (
                "remote: Permission to a/b.git denied to c.\nfatal: unable to access 'https://host.example/a/b.git/': \
                 The requested URL returned error: 403",
                F::Denied,
            ),
            (
                "git@host.example: Permission denied (publickey).\nfatal: Could not read from remote repository.",
                F::Denied,
            ),
            (
                "remote: Invalid username or token.\nfatal: Authentication failed for 'https://host.example/a.git/'",
                F::Denied,
            ),
            (
                "fatal: could not read Username for 'https://host.example': terminal prompts disabled",
                F::Denied,
            ),
            (
                "fatal: could not read Password for 'https://me@host.example': No such device or address",
                F::Denied,
            ),
            (
                "No ED25519 host key is known for host.example and you have requested strict checking.\n\
                 Host key verification failed.\nfatal: Could not read from remote repository.",
                F::Untrusted,
            ),
            (
                "fatal: unable to access 'https://host.example/a/': SSL certificate problem: self-signed certificate",
                F::Untrusted,
            ),
            (
                "fatal: unable to access 'https://host.example/a/': server certificate verification failed. CAfile: none \
                 CRLfile: none",
                F::Untrusted,
            ),
            (
                "ssh: Could not resolve hostname host.example: nodename nor servname provided, or not known",
                F::Offline,
            ),
            (
                "ssh: Could not resolve hostname host.example: Temporary failure in name resolution",
                F::Offline,
            ),
            (
                "fatal: unable to access 'https://host.example/a/': Could not resolve proxy: proxy.example",
                F::Offline,
            ),
            (
                "ssh: connect to host host.example port 22: Network is unreachable",
                F::Offline,
            ),
            (
                "ssh: connect to host host.example port 22: No route to host",
                F::Offline,
            ),
            (
                "ssh: connect to host host.example port 22: Connection timed out",
                F::Offline,
            ),
            (
                "ssh: connect to host host.example port 22: Operation timed out",
                F::Offline,
            ),
            (
                "fatal: unable to access 'https://host.example/a/': Operation too slow. Less than 1 bytes/sec transferred \
                 the last 60 seconds",
                F::Offline,
            ),
            (
                "client_loop: send disconnect: Broken pipe\nfatal: the remote end hung up unexpectedly\n\
                 fatal: early EOF\nfatal: fetch-pack: invalid index-pack output",
                F::Offline,
            ),
            (
                "error: RPC failed; curl 92 HTTP/2 stream 0 was not closed cleanly\nfatal: early EOF",
                F::Offline,
            ),
            (
                "fatal: unable to access 'http://host.example/a/': Empty reply from server",
                F::Offline,
            ),
            ("fatal: expected flush after ref listing", F::Offline),
            ("fatal: expected packfile to be sent after 'ready'", F::Offline),
            (
                "fatal: git fetch-pack: expected ACK/NAK, got a flush packet",
                F::Offline,
            ),
            (
                "fatal: premature end of pack file, 20 bytes missing\nfatal: fetch-pack: invalid index-pack output",
                F::Offline,
            ),
            (
                "error: file write error: Disk quota exceeded\nfatal: index-pack failed",
                F::Full("here"),
            ),
            (
                "fatal: sha1 file '.git/objects/pack/tmp_idx_4UwUMU' write error. Out of diskspace\n\
                 fatal: index-pack failed",
                F::Full("here"),
            ),
            (
                "error: cannot update ref 'refs/mdmem/origin': couldn't write '/a/.git/refs/mdmem/origin.lock'\n\
                 From host.example:a\n ! [new branch]      main -> refs/mdmem/origin  (unable to update local ref)",
                F::Full("here"),
            ),
            (
                "git: 'remote-foo' is not a git command. See 'git --help'.\nfatal: remote helper 'foo' aborted session",
                F::NotFound,
            ),
            (
                "remote: Connection refused. Authentication failed.\nfatal: odd",
                F::Other,
            ),
            ("", F::Other),
            (
                "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
                F::Offline,
            ),
        ] {
            let lines: Vec<String> = words.lines().map(shown_words).collect();
            let (found, said) = RemoteFault::of(&lines);
            assert_eq!(found, fault, "{words}");
            assert!(!said.starts_with("fatal:"), "{said}");
            assert!(found == F::Other || found.hint().is_some(), "{words}");
        }
    }

    #[test]
    fn an_unknown_fault_is_told_by_its_last_line_that_says_something() {
        let words = [
            "fatal: odd thing",
            "hint: try",
            "Please make sure you have the rights",
        ];
        let (_, said) = RemoteFault::of(&words.map(str::to_owned));
        assert_eq!(said, "odd thing");
        let words = [
            "error: cannot lock ref 'refs/a': odd",
            "From host.example:a",
            "! 1..2  main -> refs/a  (unable to update local ref)",
        ];
        let (_, said) = RemoteFault::of(&words.map(str::to_owned));
        assert_eq!(said, "cannot lock ref 'refs/a': odd");
    }

    #[test]
    fn words_are_shown_without_what_gives_access() {
        for (words, shown) in [
            (
                "to https://me:w@rd@host/a and https://t@b/c",
                "to https://host/a and https://b/c",
            ),
            ("'https://me:word@host'", "'https://host'"),
            ("a\u{1b}[2Jb\nc\u{7}", "a [2Jb c"),
            ("https://host/a@b", "https://host/a@b"),
            ("://", "://"),
        ] {
            assert_eq!(shown_words(words), shown);
        }
    }
}
