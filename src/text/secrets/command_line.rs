//! Passwords behind the flags of command lines: a table, for a reader to extend. Flags that have a name, as
//! `--password`, are labels.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use super::escapes::char_before;
use super::stand_in::is_stand_in;
use super::{Secret, pairs, window};
use crate::text::pattern;

/// A flag is no further away than this from its program.
const MOST: usize = 240;
/// A password of this length may be a word of the next argument.
const SHORTEST: usize = 3;

/// The kind of a flag's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    Password,
    /// `user:password`
    User,
    Cookies,
}

/// Programs that take a password in the same way.
pub(super) struct Client {
    /// The words that begin a call.
    pub(super) names: &'static str,
    /// The flags, and `=` where the value may stand in the same word (`-phunter2`), a space where it may be the next.
    flags: &'static str,
    gives: Gives,
    compiled: OnceLock<Regex>,
}

const fn client(names: &'static str, flags: &'static str, gives: Gives) -> Client {
    Client {
        names,
        flags,
        gives,
        compiled: OnceLock::new(),
    }
}

pub(super) static CLIENTS: [Client; 7] = [
    client(
        "mysql, mysqldump, mysqladmin, mariadb, mariadb-dump, 7z, 7za, 7zz, rar, unrar",
        "-p=",
        Gives::Password,
    ),
    client(
        "docker login, podman login, registry login, buildah login, skopeo login, az login, oc login, cf login
            sshpass, twine upload, mongo, mongosh, mongodump, mongorestore, mongoexport, mongoimport",
        "-p= ",
        Gives::Password,
    ),
    client("redis-cli, keydb-cli, valkey-cli, redis-benchmark", "-a ", Gives::Password),
    client(
        "sqlcmd, bcp, zip, unzip, ipmitool, sshpass, mosquitto_pub, mosquitto_sub",
        "-P= ",
        Gives::Password,
    ),
    client("ldapsearch, ldapadd, ldapmodify, ldapdelete, ldapwhoami", "-w= ", Gives::Password),
    client("curl", "(?:-u|--user|--proxy-user)= ", Gives::User),
    client("curl", "-b ", Gives::Cookies),
];

/// The secrets behind a flag of the client whose name is at `at`. The bytes that were looked at are added to
/// `looked_at`.
pub(super) fn read(
    text: &str,
    at: &Range<usize>,
    client: &'static Client,
    looked_at: &mut usize,
) -> Vec<Secret> {
    let is_name = !char_before(text, at.start).is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        && (text[at.end..].starts_with([' ', '\t']) || is_argument(&text[at.end..]));
    if !is_name {
        return Vec::new();
    }
    let line = window(text, at.end, MOST);
    let line = &line[..end_of_call(line)];
    *looked_at += line.len();
    let flags = client.compiled.get_or_init(|| {
        let (bare, parts) = (client.flags.trim_end_matches(['=', ' ']), r#"[\s"',\[\]]"#);
        let joint = match &client.flags[bare.len()..] {
            "=" => r#"=?["']?"#.to_owned(),
            " " => format!("{parts}+"),
            _ => format!(r#"(?:=["']?|{parts}*)"#),
        };
        pattern(&format!("{parts}{bare}{joint}([^\\s\"',\\[\\]`<-])"))
    });
    let values = flags.captures_iter(line).filter_map(|flag| flag.get(1));
    values
        .flat_map(|value| secrets(text, at.end + value.start(), client.gives))
        .collect()
}

/// True when a name is an argument of a list, which others follow: `["mysql", "-u", …`.
fn is_argument(rest: &str) -> bool {
    let after = rest.strip_prefix(['"', '\'']);
    after.is_some_and(|after| after.trim_start_matches(' ').starts_with(','))
}

/// The length of a call. A backslash joins the next line to it.
fn end_of_call(window: &str) -> usize {
    let is_joined = |at: usize| window[..at].trim_end_matches('\r').ends_with('\\');
    let mut ends = window.match_indices(['\n', ';', '|']);
    let end = ends.find(|(at, sign)| *sign != "\n" || !is_joined(*at));
    end.map_or(window.len(), |(at, _)| at)
}

fn secrets(text: &str, start: usize, gives: Gives) -> Vec<Secret> {
    if gives == Gives::Cookies {
        return pairs::read_cookies(text, start);
    }
    let end = text[start..].find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<'));
    let value = &text[start..end.map_or(text.len(), |end| start + end)];
    let (password, kind) = match (gives, value.split_once(':')) {
        (Gives::User, found) => (found.map_or("", |(_, password)| password), "url_credentials"),
        _ => (value, "password"),
    };
    // After the name of a user, `fake/pass/9` is no path.
    let is_stand_in = is_stand_in(password) && (gives != Gives::User || password.split('/').all(is_stand_in));
    let range = start..start + value.len();
    let is_secret = password.len() >= SHORTEST && !is_stand_in;
    is_secret.then_some(Secret { range, kind }).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::model::repeated;
    use crate::text::Redactor;

    #[test]
    fn a_flag_gives_what_its_program_takes() {
        let redactor = Redactor::standard();
        for text in [
            "redis-cli -h cache -a fakeword ping",
            "mysql -h db -pfakeword shop",
            "sshpass -pfakeword ssh host",
            "sshpass -p 'fakeword' ssh host",
            "7z x -pfakeword a.7z",
            "mongosh --host db -u root -p fakeword",
            "sqlcmd -S db -U sa -P fakeword -Q 'select 1'",
            "ldapsearch -x -D cn=root -w fakeword -b dc=x",
            "curl --user fakeuser:fakeword https://x.example.org",
            "curl --user \"fakeuser:fakeword/pass/9\" https://x.example.org",
            "curl --user=fakeuser:fakeword https://x.example.org",
            "curl https://x.example.org \\\n  -u fakeuser:fakeword",
            "[\"mysql\",\"-u\",\"root\",\"-pfakeword\"]",
            "run(['sshpass', '-p', 'fakeword', 'ssh'])",
        ] {
            assert!(!redactor.redact(text).contains("fakeword"), "{text}");
        }
        for text in [
            "mysql -p shop",
            "redis-cli -a $REDIS_PASSWORD ping",
            "redis-cli -p 6379 ping",
            "mkdir -p fakeword && unzip a.zip",
            "mysql -uroot -p\"${DB_PASS}\" shop",
            "docker run -p 8080:80 redis-cli",
            "curl -u $USER:$PASS https://x.example.org",
            "tar -x | redis-cli --pipe; ls -a fakeword",
            "redis-cli ping\nls -a fakeword",
            "[\"redis-cli\", \"ping\"]\nls -a fakeword",
            "[\"mysql\", \"-p\", \"shop\"]",
        ] {
            assert_eq!(redactor.redact(text), text);
        }
    }

    #[test]
    fn every_flag_of_a_call_gives_its_own() {
        let redactor = Redactor::standard();
        let flags = repeated(" -p F4ke#x", 120);
        let found = redactor.find(&format!("mongo{flags} password=F4keF4ke9"));
        assert_eq!(found.len(), 13, "{found:?}");
        let cookies = redactor.find("curl -b sid=F4keF4ke1 -b sid=F4keF4ke2 https://x.example.org");
        assert_eq!(cookies.len(), 2, "{cookies:?}");
        let mixed = "mongo -p F4ke1x token=F4keF4keF4keF4ke7 -p F4ke2x";
        assert_eq!(redactor.find(mixed).len(), 3, "{:?}", redactor.find(mixed));
    }
}
