//! A small sentence model, read from the files that its publisher offers: a text becomes a vector, and texts that mean the
//! same have vectors that point the same way. Without the feature `semantic` there is none, and opening one says so.

#[cfg(feature = "semantic")]
mod encoder;
#[cfg(feature = "semantic")]
mod word_pieces;

use std::path::PathBuf;

use thiserror::Error;

#[cfg(feature = "semantic")]
pub use encoder::Encoder;

/// The sentence model of a build that has none.
#[cfg(not(feature = "semantic"))]
#[derive(Debug)]
pub struct Encoder(std::convert::Infallible);

#[cfg(not(feature = "semantic"))]
impl Encoder {
    /// Says how to get a build that has one.
    pub const fn open(_: &std::path::Path) -> Result<Self, ModelError> {
        Err(ModelError::NotBuilt)
    }

    /// The hash of the model.
    pub const fn hash(&self) -> &str {
        match self.0 {}
    }

    /// The vectors of some texts.
    pub const fn vectors(&self, _: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        match self.0 {}
    }
}

/// A sentence model that cannot be used.
#[derive(Debug, Error)]
pub enum ModelError {
    /// This build has none.
    #[error("this mdmem was built without sentence models: build it with `--features semantic`")]
    NotBuilt,
    /// A file is missing or cannot be read.
    #[error("cannot read {path}: {source}; a sentence model is a folder with {FILES}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: std::io::Error,
    },
    /// A file says something else than that of a model which mdmem can run.
    #[error("{path}: {reason}; mdmem runs models such as all-MiniLM-L6-v2: BERT, lower case, 32 bits")]
    Unfit {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

const FILES: &str = "model.safetensors, tokenizer.json and config.json";

/// True for a text in letters that the models of English know.
pub fn knows(text: &str) -> bool {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    letters().filter(|c| !c.is_ascii()).count() * 10 <= letters().count()
}

/// A vector in whole numbers: products of them are the same on every machine.
#[expect(clippy::cast_possible_truncation, reason = "at most 127")]
pub fn rounded(vector: &[f32]) -> Vec<i8> {
    let most = vector.iter().fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs()));
    vector.iter().map(|x| (x / most * 127.0).round() as i8).collect()
}

/// The cosine between two of them.
pub fn cosine(one: &[i8], other: &[i8]) -> f64 {
    let dot = |one: &[i8], other: &[i8]| -> i32 {
        let products = one.iter().zip(other).map(|(a, b)| i32::from(*a) * i32::from(*b));
        products.sum()
    };
    let lengths = f64::from(dot(one, one)) * f64::from(dot(other, other));
    f64::from(dot(one, other)) / lengths.max(1.0).sqrt()
}
