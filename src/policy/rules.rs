//! The numbers of retention, as one value: the defaults here, any of them from `mdmem.toml` (see [`crate::config`]).

use std::time::Duration;

use super::{CompactionPrompt, ContextRules, LineNotes, PruneRules};
use crate::model::{HOT_DIR, Importance, Kind, Source, StorePath, Zone};

/// The numbers of a type.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeRule {
    /// Its name.
    pub kind: Kind,
    /// The type's factor in the initial strength.
    pub factor: f64,
    /// Most memories of this type in the prompt; `None` = no cap of its own.
    pub cap: Option<usize>,
    /// Whole days after which a memory is marked for verification; 0 = never.
    pub stale_after: u32,
    /// Place among the sections, ascending; equal orders by name.
    pub order: i64,
}

/// Strength factors by source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BySource {
    /// For `source: explicit`.
    pub explicit: f64,
    /// For `source: manual`.
    pub manual: f64,
    /// For `source: agent`.
    pub agent: f64,
    /// For `source: compaction`.
    pub compaction: f64,
    /// For `source: extraction`.
    pub extraction: f64,
}

/// Strength factors by importance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ByImportance {
    /// For `importance: high`.
    pub high: f64,
    /// For `importance: normal`.
    pub normal: f64,
    /// For `importance: low`.
    pub low: f64,
}

/// The numbers by which strength decays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetentionRules {
    /// Days until half of the strength is gone, without any reinforcement.
    pub half_life_days: f64,
    /// Days without activity after which a workspace is dormant.
    pub dormant_after_days: f64,
    /// The share of a dormant day that counts as age.
    pub dormant_rate: f64,
}

/// When a recurrence reinforces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReinforceRules {
    /// Days that must have passed since the last reinforcement.
    pub window_days: f64,
    /// The count at which reinforcement saturates.
    pub max: u32,
    /// Each reinforcement divides the decay rate by this factor: half-life = days / factor^count.
    pub half_life_factor: f64,
}

/// The limits of a prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenderRules {
    /// Characters of the ranked memories.
    pub max_chars: usize,
    /// Most ranked memories.
    pub max_entries: usize,
    /// Characters of everything that goes into the prompt: pinned, ranked, tree.
    pub total_chars: usize,
    /// Characters of the global store's part, beside a workspace's.
    pub global_chars: usize,
    /// The note at the end of each ranked line.
    pub notes: LineNotes,
}

impl RenderRules {
    /// Characters that the global store may take beside a workspace's. A workspace keeps at least one half.
    pub fn global_share(&self) -> usize {
        self.global_chars.min(self.total_chars / 2)
    }
}

/// The limits of the hot snapshot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HotRules {
    /// Characters.
    pub max_chars: usize,
    /// Active files.
    pub files: usize,
    /// Open errors.
    pub errors: usize,
    /// Recent decisions.
    pub decisions: usize,
    /// Memories that this session stored.
    pub stored: usize,
    /// The time after a session's last event within which the next one is told what it left (`session.handover`).
    pub handover: Duration,
}

/// The rules of a conversation's own memory (`session.*`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRules {
    /// `session.working`: whether a conversation has blocks, slots and a pool.
    pub is_working: bool,
    /// Further blocks and other limits, each as `NAME CHARACTERS`.
    pub blocks: Vec<String>,
    /// Characters of the dependencies, the files and the notes.
    pub max_chars: usize,
}

/// The limits of the tree of cold files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeRules {
    /// Folders below the store.
    pub max_depth: usize,
    /// Lines.
    pub max_lines: usize,
}

/// Every number that the rules need.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// The known types, in no particular order; at least the five defaults.
    pub types: Vec<TypeRule>,
    /// Strength by source.
    pub source: BySource,
    /// Strength by importance.
    pub importance: ByImportance,
    /// Decay.
    pub retention: RetentionRules,
    /// Reinforcement.
    pub reinforce: ReinforceRules,
    /// Budgets of the prompt.
    pub render: RenderRules,
    /// Budgets of the hot snapshot.
    pub hot: HotRules,
    /// The conversation's own memory.
    pub session: SessionRules,
    /// The level of a conversation's context.
    pub context: ContextRules,
    /// The pruning of tool output.
    pub prune: PruneRules,
    /// Budgets of the tree.
    pub tree: TreeRules,
    /// Most characters in a body, where the file states no `limit`.
    pub limit: u32,
    /// The fate of a host's own prompt for a compaction.
    pub compaction: CompactionPrompt,
    /// The folder whose notes are pinned: their whole text is in every prompt.
    pub hot_dir: String,
    /// Folders of a store in which no file is a memory, such as an editor's templates.
    pub excluded: Vec<String>,
}

impl Rules {
    /// Says whether a path of a store lies in a folder whose files are no memories.
    pub fn excludes(&self, path: &str) -> bool {
        let is_below = |folder: &String| {
            let folder = folder.trim_start_matches("./").trim_matches('/');
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        self.excluded.iter().any(is_below)
    }
}

impl Default for Rules {
    fn default() -> Self {
        let kind = |name: &str, factor, cap, stale_after, order| TypeRule {
            kind: Kind::new(name),
            factor,
            cap: Some(cap),
            stale_after,
            order,
        };
        Self {
            types: vec![
                kind("feedback", 2.25, 10, 0, 10),
                kind("decision", 2.5, 10, 45, 20),
                kind("project", 1.25, 8, 60, 30),
                kind("reference", 1.0, 6, 90, 40),
                kind("user", 2.5, 10, 0, 50),
            ],
            source: BySource {
                explicit: 2.0,
                manual: 1.4,
                agent: 1.2,
                compaction: 1.0,
                extraction: 0.9,
            },
            importance: ByImportance {
                high: 1.5,
                normal: 1.0,
                low: 0.7,
            },
            retention: RetentionRules {
                half_life_days: 45.0,
                dormant_after_days: 14.0,
                dormant_rate: 0.25,
            },
            reinforce: ReinforceRules {
                window_days: 7.0,
                max: 6,
                half_life_factor: 0.85,
            },
            render: RenderRules {
                max_chars: 3600,
                max_entries: 28,
                total_chars: 12_000,
                global_chars: 2400,
                notes: LineNotes::Date,
            },
            hot: HotRules {
                max_chars: 700,
                files: 8,
                errors: 3,
                decisions: 8,
                stored: 6,
                handover: Duration::from_hours(12),
            },
            session: SessionRules {
                is_working: false,
                blocks: Vec::new(),
                max_chars: 1600,
            },
            context: ContextRules::default(),
            prune: PruneRules::default(),
            tree: TreeRules {
                max_depth: 3,
                max_lines: 100,
            },
            limit: 5000,
            compaction: CompactionPrompt::Append,
            hot_dir: HOT_DIR.to_owned(),
            excluded: Vec::new(),
        }
    }
}

impl Rules {
    /// The rule of a type, `None` for one that is not known.
    pub fn type_rule(&self, kind: &Kind) -> Option<&TypeRule> {
        self.types.iter().find(|rule| rule.kind == *kind)
    }

    /// The type's factor; 1.0 for a type that is not known.
    pub fn type_factor(&self, kind: &Kind) -> f64 {
        self.type_rule(kind).map_or(1.0, |rule| rule.factor)
    }

    /// The source's factor.
    pub const fn source_factor(&self, source: Source) -> f64 {
        match source {
            Source::Explicit => self.source.explicit,
            Source::Manual => self.source.manual,
            Source::Agent => self.source.agent,
            Source::Compaction => self.source.compaction,
            Source::Extraction => self.source.extraction,
        }
    }

    /// The importance's factor.
    pub const fn importance_factor(&self, importance: Importance) -> f64 {
        match importance {
            Importance::High => self.importance.high,
            Importance::Normal => self.importance.normal,
            Importance::Low => self.importance.low,
        }
    }
}

/// The zone of a path: `hot_dir` is pinned, `archive/` is never shown, a type's folder and the root are ranked, every
/// other folder is cold.
pub fn zone(path: &StorePath, rules: &Rules) -> Zone {
    match path.first_folder() {
        Some(folder) if folder == rules.hot_dir => Zone::Pinned,
        Some("archive") => Zone::Archive,
        None => Zone::Ranked,
        Some(folder) if rules.types.iter().any(|rule| rule.kind.as_str() == folder) => Zone::Ranked,
        Some(_) => Zone::Cold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;
    use crate::policy::TypeRule;

    #[test]
    fn the_first_folder_decides() {
        let mut rules = Rules::default();
        rules.types.push(TypeRule {
            kind: Kind::new("recipe"),
            factor: 1.0,
            cap: None,
            stale_after: 0,
            order: 60,
        });
        for (path, expected) in [
            ("system/decision/a.md", Zone::Pinned),
            ("archive/system/a.md", Zone::Archive),
            ("a.md", Zone::Ranked),
            ("decision/2026-11/a.md", Zone::Ranked),
            ("recipe/soup.md", Zone::Ranked),
            ("notes/decision/a.md", Zone::Cold),
        ] {
            assert_eq!(zone(&StorePath::new(path).unwrap(), &rules), expected, "{path}");
        }
        rules.hot_dir = "hot".to_owned();
        for (path, expected) in [("system/a.md", Zone::Cold), ("hot/b/a.md", Zone::Pinned)] {
            assert_eq!(zone(&StorePath::new(path).unwrap(), &rules), expected, "{path}");
        }
    }
}
