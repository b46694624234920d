//! The blocks of a conversation: short texts that its agent keeps about its work (working.md, "Blocks").

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockRefusal {
    /// There is no block of this name.
    Unknown,
    /// It would hold more characters than it may.
    Full {
        /// The characters that it would hold.
        would: usize,
        /// The most that it may.
        limit: usize,
    },
}

/// The texts of the blocks, by name; a block without a text is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Blocks(Vec<(String, String)>);

impl Blocks {
    /// Reads back what [`Self::iter`] gave.
    pub fn new(texts: Vec<(String, String)>) -> Self {
        Self(texts)
    }

    /// The names and their texts, in the order in which they were first set.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The text of a block; empty where nothing was set.
    pub fn text(&self, name: &str) -> &str {
        let found = self.iter().find(|(own, _)| *own == name);
        found.map_or("", |(_, text)| text)
    }

    /// Changes a block, or says why not: nothing is ever cut.
    pub fn edit(&mut self, rules: &[BlockRule], name: &str, edit: BlockEdit<'_>) -> Result<(), BlockRefusal> {
        let rule = rules.iter().find(|rule| rule.name == name);
        let limit = rule.ok_or(BlockRefusal::Unknown)?.limit;
        let text = match edit {
            BlockEdit::Set(text) => tidied(text),
            BlockEdit::Append(text) => tidied(&format!("{}\n{}", self.text(name), tidied(text))),
        };
        let would = text.chars().count();
        if would > limit {
            return Err(BlockRefusal::Full { would, limit });
        }
        match self.0.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = text,
            None => self.0.push((name.to_owned(), text)),
        }
        self.0.retain(|(_, text)| !text.is_empty());
        Ok(())
    }

    /// Takes away the blocks whose text is so.
    pub fn remove_if(&mut self, is_gone: impl Fn(&str) -> bool) {
        self.0.retain(|(_, text)| !is_gone(text));
    }
}

/// A text with line breaks of one kind, without blanks around it.
fn tidied(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.trim_matches([' ', '\n']).to_owned()
}
