//! The blocks of a conversation: short texts that its agent keeps about its work (docs/working.md).

use serde::{Deserialize, Serialize};

/// The blocks that every conversation may have, and their limits in characters.
const DEFAULT_BLOCKS: [(&str, usize); 3] = [("goal", 1_000), ("progress", 2_000), ("context", 1_500)];

/// A block that a conversation may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockRule {
    /// Its name.
    pub name: String,
    /// The most characters that it holds.
    pub limit: usize,
}

impl BlockRule {
    /// The blocks that a conversation may have. `further`: other ones, or other limits, each as `NAME CHARACTERS`.
    pub fn all(further: &[String]) -> Vec<Self> {
        let rule = |(name, limit): (&str, usize)| Self {
            name: name.to_owned(),
            limit,
        };
        let mut rules: Vec<Self> = DEFAULT_BLOCKS.into_iter().map(rule).collect();
        let read = |text: &str| {
            let (name, limit) = text.split_once(' ')?;
            Some((name.to_owned(), limit.parse().ok()?))
        };
        for (name, limit) in further.iter().filter_map(|text| read(text)) {
            match rules.iter_mut().find(|rule| rule.name == name) {
                Some(rule) => rule.limit = limit,
                None => rules.push(Self { name, limit }),
            }
        }
        rules
    }
}

/// A change of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEdit<'a> {
    /// Say this instead; nothing takes the block away.
    Set(&'a str),
    /// Say this too, on a new line.
    Append(&'a str),
}

/// The reason why a block stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockRefusal {
    /// There is no block of this name.
    #[error("no block `{}`: use one of {}, or `note`", name.escape_debug(), known.join(", "))]
    Unknown {
        /// The name, as it was given.
        name: String,
        /// The blocks that there are.
        known: Vec<String>,
    },
    /// It would hold more characters than it may.
    #[error(
        "{name} was not changed: it would have {would} of {limit} characters. Set it again in fewer \
         words, or clear what is done. It says:\n{present}"
    )]
    Full {
        /// The block.
        name: String,
        /// The characters that it would hold.
        would: usize,
        /// The most that it may.
        limit: usize,
        /// Its text.
        present: String,
    },
}

/// A block that has a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its name.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The blocks that have a text, in the order in which they were first set.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Blocks(pub Vec<Block>);

impl Blocks {
    /// The text of a block; empty where nothing was set.
    pub fn text(&self, name: &str) -> &str {
        let found = self.0.iter().find(|block| block.name == name);
        found.map_or("", |block| &block.text)
    }

    /// Changes a block, or says why not: nothing is ever cut.
    pub fn edit(&mut self, rules: &[BlockRule], name: &str, edit: BlockEdit<'_>) -> Result<(), BlockRefusal> {
        let rule = rules.iter().find(|rule| rule.name == name);
        let unknown = || BlockRefusal::Unknown {
            name: name.to_owned(),
            known: rules.iter().map(|rule| rule.name.clone()).collect(),
        };
        let limit = rule.ok_or_else(unknown)?.limit;
        let text = match edit {
            BlockEdit::Set(text) => tidied(text),
            BlockEdit::Append(text) => tidied(&format!("{}\n{}", self.text(name), tidied(text))),
        };
        let would = text.chars().count();
        if would > limit {
            return Err(BlockRefusal::Full {
                name: name.to_owned(),
                would,
                limit,
                present: self.text(name).to_owned(),
            });
        }
        match self.0.iter_mut().find(|block| block.name == name) {
            Some(block) => block.text = text,
            None => self.0.push(Block {
                name: name.to_owned(),
                text,
            }),
        }
        self.0.retain(|block| !block.text.is_empty());
        Ok(())
    }

    /// Takes away the blocks whose text is so.
    pub fn remove_if(&mut self, is_gone: impl Fn(&str) -> bool) {
        self.0.retain(|block| !is_gone(&block.text));
    }
}

/// A text with line breaks of one kind, without blanks around it.
fn tidied(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.trim_matches([' ', '\n']).to_owned()
}
