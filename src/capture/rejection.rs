//! The reasons why something that was heard did not become a memory.

/// The reason why a request, a candidate or a command was refused. The words are those of the evidence log, and stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rejection {
    /// A request says that it must not be remembered.
    NegatedRequest,
    /// A request in a text that the message only shows.
    ShownText,
    /// What may be a wish, and may be none.
    UnclearWish,
    /// A request for later.
    Deferral,
    /// The same was asked for before in the message.
    DuplicateInMessage,
    /// Below a request stands a longer list than is taken.
    TooManyItems,
    /// Nothing is left of it.
    Empty,
    /// Too few words or letters to mean anything later.
    TooShort,
    /// Work that was done, passed, completed or counted.
    ProgressSnapshot,
    /// An error as a program printed it.
    RawError,
    /// A commit hash, the subject of a commit, the result of a CI run.
    CommitOrCiSnapshot,
    /// Three paths or more, or more path than words.
    PathHeavy,
    /// Waiting, blocked, for now.
    TemporaryStatus,
    /// The files that are open.
    ActiveFileSnapshot,
    /// Code, or the signature of a function.
    CodeOrApiSignature,
    /// A question.
    UnresolvedQuestion,
    /// A defect that is about to be mended.
    TransientBugState,
    /// Programs that run just now, with their place or version.
    DeploymentSnapshot,
    /// Feedback that is neither a preference nor a rule.
    BadFeedback,
    /// A decision that is neither a rule nor a design.
    BadDecision,
    /// Text that instructs its reader, or imitates a system block.
    PromptInjection,
    /// A numbered memory of a prompt whose list is not known any more.
    MissingMemoryRefSnapshot,
    /// A number that was not on the list.
    InvalidMemoryRef,
    /// A type that is none, or no type.
    InvalidMemoryType,
    /// A command that cannot be read.
    InvalidMemoryCommand,
    /// A replacement without a text.
    EmptyReplacementText,
    /// The numbered memory is gone, or no longer in force.
    MemoryRefTargetUnavailable,
    /// The numbered memory says something else by now.
    MemoryRefTargetChanged,
    /// A person's memory is not replaced by a summary.
    ProtectedMemorySource,
    /// A memory that recurred is not replaced by a summary.
    ProtectedReinforcedTarget,
    /// The words that a model quotes for its proposal do not stand where they have to.
    NoEvidence,
    /// A model's proposal that cannot be read.
    InvalidProposal,
    /// New words for a note that leave out lines of its body.
    LosesBody,
}

impl Rejection {
    /// True when the reason is about a command on a numbered memory, and not about the text of a candidate.
    pub const fn is_of_a_command(self) -> bool {
        matches!(
            self,
            Self::MissingMemoryRefSnapshot
                | Self::InvalidMemoryRef
                | Self::InvalidMemoryCommand
                | Self::EmptyReplacementText
                | Self::MemoryRefTargetUnavailable
                | Self::MemoryRefTargetChanged
                | Self::ProtectedMemorySource
                | Self::ProtectedReinforcedTarget
        )
    }

    /// The word for it in the evidence, in JSON and in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NegatedRequest => "negated_request",
            Self::ShownText => "shown_text",
            Self::UnclearWish => "unclear_wish",
            Self::Deferral => "deferral",
            Self::DuplicateInMessage => "duplicate_in_message",
            Self::TooManyItems => "too_many_items",
            Self::Empty => "empty",
            Self::TooShort => "too_short",
            Self::ProgressSnapshot => "progress_snapshot",
            Self::RawError => "raw_error",
            Self::CommitOrCiSnapshot => "commit_or_ci_snapshot",
            Self::PathHeavy => "path_heavy",
            Self::TemporaryStatus => "temporary_status",
            Self::ActiveFileSnapshot => "active_file_snapshot",
            Self::CodeOrApiSignature => "code_or_api_signature",
            Self::UnresolvedQuestion => "unresolved_question",
            Self::TransientBugState => "transient_bug_state",
            Self::DeploymentSnapshot => "deployment_snapshot",
            Self::BadFeedback => "bad_feedback",
            Self::BadDecision => "bad_decision",
            Self::PromptInjection => "prompt_injection",
            Self::MissingMemoryRefSnapshot => "missing_memory_ref_snapshot",
            Self::InvalidMemoryRef => "invalid_memory_ref",
            Self::InvalidMemoryType => "invalid_memory_type",
            Self::InvalidMemoryCommand => "invalid_memory_command",
            Self::EmptyReplacementText => "empty_replacement_text",
            Self::MemoryRefTargetUnavailable => "memory_ref_target_unavailable",
            Self::MemoryRefTargetChanged => "memory_ref_target_changed",
            Self::ProtectedMemorySource => "protected_memory_source",
            Self::ProtectedReinforcedTarget => "protected_reinforced_target",
            Self::NoEvidence => "no_evidence",
            Self::InvalidProposal => "invalid_proposal",
            Self::LosesBody => "loses_body",
        }
    }
}
