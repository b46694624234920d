//! The ways in which a remote can fail. Git has one exit code for all of them, so they are known by its words, which are
//! those of the C locale; this table alone holds such words.

use std::fmt;

use super::message::one_line;

/// The reason why a remote could not be fetched from or pushed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteFault {
    /// No host has the name, or there is no network to ask for it.
    UnknownHost,
    /// The host does not answer.
    Unreachable,
    /// The connection broke in the middle.
    Interrupted,
    /// Git said nothing for minutes and was ended.
    Silent,
    /// The caller ended git.
    Stopped,
    /// The remote wants a password, a token or a key, or did not take the one it was given.
    Authentication,
    /// The host's key is not known, or is another than before.
    HostKey,
    /// The certificate of the host is not trusted.
    Certificate,
    /// There is no repository at the address, or none that this user may see.
    NotFound,
    /// The remote may be read, and not be written to.
    NotAllowed,
    /// The disk is full here.
    FullHere,
    /// The disk of the remote is full.
    FullThere,
    /// The check of the objects that came refused one.
    Unsound,
    /// Git's settings forbid this kind of address, or no program knows it.
    Protocol,
    /// The remote has a part of its own history only.
    Shallow,
    /// The remote's objects have SHA-256 names.
    OtherFormat,
    /// The remote has branches, these, but not the one that was asked for.
    OtherBranches(Vec<String>),
    /// None of these.
    Other,
}

use RemoteFault as F;

/// Words of git, ssh and curl in lower case, and the fault that they tell of; the first that is found counts.
const PHRASES: &[(&str, RemoteFault)] = &[
    ("host key verification failed", F::HostKey),
    ("remote host identification has changed", F::HostKey),
    ("could not resolve host", F::UnknownHost),
    ("unable to look up", F::UnknownHost),
    ("name or service not known", F::UnknownHost),
    ("temporary failure in name resolution", F::UnknownHost),
    ("nodename nor servname provided", F::UnknownHost),
    ("could not resolve proxy", F::UnknownHost),
    ("connection refused", F::Unreachable),
    ("failed to connect to", F::Unreachable),
    ("couldn't connect to server", F::Unreachable),
    ("no route to host", F::Unreachable),
    ("network is unreachable", F::Unreachable),
    ("connection timed out", F::Unreachable),
    ("operation timed out", F::Unreachable),
    ("operation too slow", F::Unreachable),
    ("unable to connect to", F::Unreachable),
    ("ssl certificate problem", F::Certificate),
    ("certificate verif", F::Certificate),
    ("server certificate", F::Certificate),
    ("authentication failed", F::Authentication),
    ("could not read username", F::Authentication),
    ("could not read password", F::Authentication),
    ("terminal prompts disabled", F::Authentication),
    ("unable to get password from user", F::Authentication),
    ("too many authentication failures", F::Authentication),
    ("permission denied (", F::Authentication),
    ("returned error: 401", F::Authentication),
    ("returned error: 407", F::Authentication),
    ("returned error: 403", F::NotAllowed),
    ("permission to ", F::NotAllowed),
    ("repository not found", F::NotFound),
    ("does not appear to be a git repository", F::NotFound),
    ("' not found", F::NotFound),
    ("not a git repository", F::NotFound),
    ("returned error: 404", F::NotFound),
    ("access denied or repository not exported", F::NotFound),
    ("service not enabled", F::NotAllowed),
    ("transport '", F::Protocol),
    ("is not a git command", F::Protocol),
    ("unable to find remote helper", F::Protocol),
    ("detected dubious ownership", F::Other),
    ("mismatched algorithms", F::OtherFormat),
    (
        "does not support this repository's hash algorithm",
        F::OtherFormat,
    ),
    ("no space left on device", F::FullHere),
    ("disk quota exceeded", F::FullHere),
    ("out of diskspace", F::FullHere),
    // Git opened the lock of a ref, and had no room for its 41 bytes; it does not tell the cause.
    ("couldn't write '", F::FullHere),
    ("fsck error", F::Unsound),
    ("in fsck", F::Unsound),
    ("did not receive expected object", F::Unsound),
    ("remote did not send all necessary objects", F::Unsound),
    ("early eof", F::Interrupted),
    ("unexpected disconnect", F::Interrupted),
    ("rpc failed", F::Interrupted),
    ("connection reset", F::Interrupted),
    ("broken pipe", F::Interrupted),
    ("connection closed by", F::Interrupted),
    ("empty reply from server", F::Interrupted),
    ("unable to read from remote", F::Interrupted),
    ("the remote end hung up", F::Interrupted),
    // A connection that ends between two packets: git tells which packet it waited for.
    ("expected flush after", F::Interrupted),
    ("expected response end packet", F::Interrupted),
    ("expected packfile to be sent after", F::Interrupted),
    ("expected ack/nak, got a flush packet", F::Interrupted),
    ("expected shallow list", F::Interrupted),
    ("premature end of pack", F::Interrupted),
    ("unexpected flush packet", F::Interrupted),
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
            return (Self::FullThere, told(line));
        }
        let lower = |line: &String| line.to_lowercase();
        let is_empty = |line: &&String| EMPTY.iter().any(|start| lower(line).starts_with(start));
        for (phrase, fault) in PHRASES {
            let tells = |line: &&String| !line.starts_with("remote:") && lower(line).contains(phrase);
            if let Some(line) = words.iter().find(tells) {
                return (fault.clone(), told(line));
            }
        }
        let is_silence = |line: &String| SILENCE.iter().any(|start| lower(line).starts_with(start));
        let mut said = words.iter().filter(|line| !line.trim().is_empty()).peekable();
        if said.peek().is_some() && said.all(is_silence) {
            return (
                Self::Interrupted,
                "the other end closed it without a word".to_owned(),
            );
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
        matches!(
            self,
            Self::UnknownHost | Self::Unreachable | Self::Interrupted | Self::Silent
        )
    }

    /// Tells a person what to do about it.
    pub(super) fn hint(&self) -> Option<String> {
        let text = match self {
            Self::UnknownHost | Self::Unreachable => {
                "Check the network and the address (`mdmem status`); everything is kept here until then."
            }
            Self::Interrupted | Self::Silent => "Run the command again; nothing was half done.",
            Self::Authentication => {
                "Make `git ls-remote` of this address work without a question: by a credential helper (`git help \
                 credentials`) or by a key in the ssh agent."
            }
            Self::HostKey => {
                "Connect once by ssh yourself, and compare the key with what the host's owner publishes before you accept it."
            }
            Self::Certificate => "Ask who runs the host; git's `http.sslCAInfo` names certificates to trust.",
            Self::NotFound => {
                "Check the address, make the (empty) repository there, or ask for access to it."
            }
            Self::NotAllowed => "Ask who runs the remote for the right to push.",
            Self::FullHere => "Make room on this disk, then run the command again.",
            Self::FullThere => "Make room on the disk of the remote, then run the command again.",
            Self::Unsound => {
                "Nothing of it was taken over. Run `git fsck` in the remote or in the clone that pushed there."
            }
            Self::Protocol => "Use an address that begins with https:// or ssh://, or a path.",
            Self::Shallow => "Run `git fetch --unshallow` in the remote.",
            Self::OtherFormat => {
                "Make the remote anew with SHA-1 names (`git init --bare --object-format=sha1`)."
            }
            Self::OtherBranches(_) => {
                "Give an empty repository, or the address of a store. `mdmem sync URL --branch NAME` takes a store from \
                 another branch, the setting `sync.remote` a repository of several stores, a branch each. Where somebody \
                 removed the branch there, `git push origin HEAD:refs/heads/NAME` in the store's folder brings it back."
            }
            Self::Stopped | Self::Other => return None,
        };
        Some(text.to_owned())
    }
}

impl fmt::Display for RemoteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownHost => "no host of this name is found",
            Self::Unreachable => "the host does not answer",
            Self::Interrupted => "the connection broke",
            Self::Silent => "nothing was heard for minutes",
            Self::Stopped => "it was stopped",
            Self::Authentication => "it does not let this user in",
            Self::HostKey => "the key of the host is not known, or has changed",
            Self::Certificate => "the certificate of the host is not trusted",
            Self::NotFound => "there is no repository, or none that this user may see",
            Self::NotAllowed => "this user may not write to it",
            Self::FullHere => "the disk is full here",
            Self::FullThere => "the disk is full there",
            Self::Unsound => "it sends objects that are not sound",
            Self::Protocol => "git does not know or may not use this kind of address",
            Self::Shallow => "it is a shallow clone itself: a part of its history is missing",
            Self::OtherFormat => "its objects have SHA-256 names, which mdmem cannot read",
            Self::OtherBranches(names) => {
                const SHOWN: usize = 5;
                let more = if names.len() > SHOWN { ", …" } else { "" };
                let names = names[..names.len().min(SHOWN)].join(", ");
                return write!(f, "it has no such branch, but {names}{more}");
            }
            Self::Other => "git failed",
        })
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
                F::NotAllowed,
            ),
            (
                "remote: Permission to a/b.git denied to c.\nfatal: unable to access 'https://host.example/a/b.git/': \
                 The requested URL returned error: 403",
                F::NotAllowed,
            ),
            (
                "git@host.example: Permission denied (publickey).\nfatal: Could not read from remote repository.",
                F::Authentication,
            ),
            (
                "remote: Invalid username or token.\nfatal: Authentication failed for 'https://host.example/a.git/'",
                F::Authentication,
            ),
            (
                "fatal: could not read Username for 'https://host.example': terminal prompts disabled",
                F::Authentication,
            ),
            (
                "fatal: could not read Password for 'https://me@host.example': No such device or address",
                F::Authentication,
            ),
            (
                "No ED25519 host key is known for host.example and you have requested strict checking.\n\
                 Host key verification failed.\nfatal: Could not read from remote repository.",
                F::HostKey,
            ),
            (
                "fatal: unable to access 'https://host.example/a/': SSL certificate problem: self-signed certificate",
                F::Certificate,
            ),
            (
                "fatal: unable to access 'https://host.example/a/': server certificate verification failed. CAfile: none \
                 CRLfile: none",
                F::Certificate,
            ),
            (
                "ssh: Could not resolve hostname host.example: nodename nor servname provided, or not known",
                F::UnknownHost,
            ),
            (
                "ssh: Could not resolve hostname host.example: Temporary failure in name resolution",
                F::UnknownHost,
            ),
            (
                "fatal: unable to access 'https://host.example/a/': Could not resolve proxy: proxy.example",
                F::UnknownHost,
            ),
            (
                "ssh: connect to host host.example port 22: Network is unreachable",
                F::Unreachable,
            ),
            (
                "ssh: connect to host host.example port 22: No route to host",
                F::Unreachable,
            ),
            (
                "ssh: connect to host host.example port 22: Connection timed out",
                F::Unreachable,
            ),
            (
                "ssh: connect to host host.example port 22: Operation timed out",
                F::Unreachable,
            ),
            (
                "fatal: unable to access 'https://host.example/a/': Operation too slow. Less than 1 bytes/sec transferred \
                 the last 60 seconds",
                F::Unreachable,
            ),
            (
                "client_loop: send disconnect: Broken pipe\nfatal: the remote end hung up unexpectedly\n\
                 fatal: early EOF\nfatal: fetch-pack: invalid index-pack output",
                F::Interrupted,
            ),
            (
                "error: RPC failed; curl 92 HTTP/2 stream 0 was not closed cleanly\nfatal: early EOF",
                F::Interrupted,
            ),
            (
                "fatal: unable to access 'http://host.example/a/': Empty reply from server",
                F::Interrupted,
            ),
            ("fatal: expected flush after ref listing", F::Interrupted),
            (
                "fatal: expected packfile to be sent after 'ready'",
                F::Interrupted,
            ),
            (
                "fatal: git fetch-pack: expected ACK/NAK, got a flush packet",
                F::Interrupted,
            ),
            (
                "fatal: premature end of pack file, 20 bytes missing\nfatal: fetch-pack: invalid index-pack output",
                F::Interrupted,
            ),
            (
                "error: file write error: Disk quota exceeded\nfatal: index-pack failed",
                F::FullHere,
            ),
            (
                "fatal: sha1 file '.git/objects/pack/tmp_idx_4UwUMU' write error. Out of diskspace\n\
                 fatal: index-pack failed",
                F::FullHere,
            ),
            (
                "error: cannot update ref 'refs/mdmem/origin': couldn't write '/a/.git/refs/mdmem/origin.lock'\n\
                 From host.example:a\n ! [new branch]      main -> refs/mdmem/origin  (unable to update local ref)",
                F::FullHere,
            ),
            (
                "git: 'remote-foo' is not a git command. See 'git --help'.\nfatal: remote helper 'foo' aborted session",
                F::Protocol,
            ),
            (
                "remote: Connection refused. Authentication failed.\nfatal: odd",
                F::Other,
            ),
            ("", F::Other),
            (
                "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
                F::Interrupted,
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
