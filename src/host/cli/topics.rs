//! The ideas behind the commands, a screen each: `mdmem help types`, `prompt`, `files`, `sync`, `agents`.

use std::ffi::OsString;

/// The topics, each with its text.
const TOPICS: [(&str, &str); 5] = [
    ("types", TYPES),
    ("prompt", PROMPT),
    ("files", FILES),
    ("sync", SYNC),
    ("agents", AGENTS),
];

/// The names of the topics, for the help.
pub(super) fn names() -> String {
    TOPICS.map(|(name, _)| name).join(", ")
}

/// The text of the topic that `mdmem help TOPIC` asks for.
pub(super) fn asked(args: &[OsString]) -> Option<&'static str> {
    let [_, help, topic] = args else { return None };
    let known = TOPICS.iter().find(|(name, _)| topic == name);
    known.filter(|_| help == "help").map(|(_, text)| *text)
}

const TYPES: &str = "\
A memory's type is the folder it is in. It says how strong a memory begins, how
many of its kind are shown, and under which heading.

  feedback   how you want work done      \"never push without asking\"
  decision   what was chosen, and why    \"pnpm: npm breaks peer dependencies\"
  project    facts of this project       \"the server listens on port 8080\"
  reference  where something is          \"dashboard: https://grafana.example\"
  user       who you are                 \"I write Rust and answer in Japanese\"

Without a type, a memory is `project`. A preference or a rule is `feedback`; a
note or a todo is `project`. Do not use a type for importance: `importance:
high` in the file, or `mdmem pin`, does that.

  mdmem add --type decision \"Use pnpm\"
  mdmem mv use-pnpm feedback/             another type
  mdmem list --type decision
  mdmem config set type.feedback.cap 12   show more of them
  mdmem config set type.recipe.factor 1   a type of your own
";

const PROMPT: &str = "\
The prompt shows the strongest memories, as many as fit.

  pinned     in system/: the whole text, in every prompt
  ranked     in a type's folder: a line each, as far as the limits go
  reference  in any other folder: listed by name, read on demand
  archived   in archive/: kept and searched, never shown

Strength is type × source × importance, and halves every 45 days. What is said
again is reinforced: it is stronger, and decays more slowly. Nothing is deleted
by decay.

Three limits leave memories out: the cap of each type, the number of all, and
the characters. A session's prompt is frozen, so that the provider's cache stays
warm; the agent is told in a line what changes meanwhile.

  mdmem why            what is in, what comes next, what each limit leaves out
  mdmem why NAME       why it is shown or not, and until when
  mdmem render         the very text
  mdmem pin NAME       always show it
  mdmem archive NAME   never show it
";

const FILES: &str = "\
Each memory is a markdown file in a git repository of its own, outside of your
project. `mdmem path` prints the folder. Edit, move and delete files with
whatever you like.

  decision/use-pnpm.md    a memory: text, and frontmatter if you want some
  system/                 pinned notes
  archive/                kept, not shown
  mdmem.toml              settings of this store
  MEMORY.md               an index for people, written by mdmem
  .mdmem/                 drafts, caches and logs of this machine

Every save is a commit while `mdmem watch` runs, and otherwise with the next
command. A file with a suspected secret is held back: it stays where it is, in
no commit, and prompts show `[REDACTED]` in its place, until the secret is gone
or `mdmem allow` says that it is harmless.

  mdmem log            what changed
  mdmem undo           take the last change back
  mdmem restore TIME   go back to a time
  mdmem check          everything that is wrong, with the fix
";

const SYNC: &str = "\
A store syncs with a git repository of yours, so that machines and teams share
it.

  mdmem sync git@host:you/notes.git   set the repository and sync; on a new
                                      machine, fetch the store from it
  mdmem sync                          fetch, merge, push
  mdmem sync --dry-run                what would be received and sent
  mdmem config set --user sync.auto true      let the watcher do it

Two edits of one memory are merged key by key and line by line. Of two that
disagree one stays, and the other becomes a conflict copy, which `mdmem
conflicts` resolves. The same two sides give the same result on every machine.

What is received is checked first: a history that was rewritten or lost most of
its memories is not merged unasked. What is sent has no suspected secret in it.
`mdmem sync --help` lists every option.
";

const AGENTS: &str = "\
An agent gets the prompt at the start of a session, and stores what you ask it
to.

  mdmem init --with opencode      connect an agent; `mdmem init --help` lists
                                  all of them
  mdmem init --with X --undo      disconnect it
  mdmem sessions                  the conversations, and what each one was shown

\"Remember that ...\" and \"forget that ...\" are stored before the agent answers.
Summaries and models only propose, and rules decide. They never replace what
you said; they may suggest it.

What an agent writes has `source: agent` until you accept it. In an agent's
shell, `forget`, `allow`, `config set` and changes of the global store need you.

  mdmem suggestions               what you may accept or dismiss
  mdmem log --decisions           what was stored or refused, and why
  mdmem check                     whether every agent is connected
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_fits_a_screen() {
        for (name, text) in TOPICS {
            assert!(text.lines().count() <= 24, "{name}");
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{name}");
        }
    }
}
