//! `usage`: the tokens that an answer of the model took, and the limits of that model.

use serde::Deserialize;
use serde_json::Value;

use crate::service::{TokenLimits, TokenUsage};

/// `usage`: the tokens of an answer. A provider counts them, so each figure may be anything.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Usage {
    /// The host's name for the session.
    pub(crate) session: String,
    /// The model that answered.
    #[serde(default)]
    pub(crate) model: String,
    #[serde(default)]
    total: Value,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    output: Value,
    #[serde(default)]
    cache_read: Value,
    #[serde(default)]
    cache_write: Value,
    /// The limits of the model: `context`, `input`, `output`.
    #[serde(default)]
    limits: Value,
    /// The host's `compaction.reserved`.
    #[serde(default)]
    reserved: Value,
    /// True where the host compacts by itself.
    #[serde(default)]
    compacts: bool,
}

impl Usage {
    /// The tokens.
    pub(crate) fn tokens(&self) -> TokenUsage {
        TokenUsage {
            total: (!self.total.is_null()).then(|| figure(&self.total)),
            input: figure(&self.input),
            output: figure(&self.output),
            cache_read: figure(&self.cache_read),
            cache_write: figure(&self.cache_write),
        }
    }

    /// The limits; a limit that is no number of tokens is not known.
    pub(crate) fn token_limits(&self) -> TokenLimits {
        TokenLimits {
            context: self.limits["context"].as_u64().unwrap_or_default(),
            input: self.limits["input"].as_u64(),
            output: self.limits["output"].as_u64().unwrap_or_default(),
            reserved: self.reserved.as_u64(),
            compacts: self.compacts,
        }
    }
}

/// A number of tokens; a negative one for what is no such number, so that the answer does not count.
fn figure(value: &Value) -> i64 {
    if value.is_null() {
        0
    } else {
        value.as_i64().unwrap_or(-1)
    }
}
