//! The network: BERT with the mean of its last states, as the models of sentence-transformers are.

#![expect(clippy::cast_precision_loss, reason = "a state has some hundred numbers")]

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2, Axis, Slice, Zip};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::ModelError;
use super::word_pieces::WordPieces;
use crate::text::sha256_hex;

/// The most pieces of a text, and the most bytes of a file that is read whole.
const MOST: usize = 256;
const MOST_BYTES: u64 = 64 << 20;
/// The texts that go through the network together: more of them take memory and save no time.
const AT_ONCE: usize = 16;

/// A sentence model, loaded but for the words: their rows are read as they are needed.
#[derive(Debug)]
pub struct Encoder {
    path: PathBuf,
    file: File,
    /// The byte of the file at which the words begin.
    words: u64,
    pieces: WordPieces,
    places: Array2<f32>,
    kind: Array2<f32>,
    first: Norm,
    layers: Vec<Layer>,
    heads: usize,
    hash: String,
}

#[derive(Deserialize)]
struct Config {
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: usize,
}

#[derive(Debug)]
struct Layer {
    query: Dense,
    key: Dense,
    value: Dense,
    seen: Dense,
    after_seen: Norm,
    inner: Dense,
    outer: Dense,
    after_outer: Norm,
}

#[derive(Debug)]
struct Dense {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

#[derive(Debug)]
struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
}

impl Encoder {
    /// Opens the model of a folder.
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        let whole = |name: &str| {
            let path = folder.join(name);
            let read = crate::sys::read_regular(&path, MOST_BYTES);
            let missing = || std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
            match read.and_then(|bytes| bytes.ok_or_else(missing)) {
                Ok(bytes) => Ok((path, bytes)),
                Err(source) => Err(ModelError::Unreadable { path, source }),
            }
        };
        let unfit = |path: &Path, reason: String| ModelError::Unfit {
            path: path.to_owned(),
            reason,
        };
        let (path, config) = whole("config.json")?;
        let sizes: Config =
            serde_json::from_slice(&config).map_err(|error| unfit(&path, error.to_string()))?;
        let (width, heads) = (sizes.hidden_size, sizes.num_attention_heads);
        if heads == 0 || width == 0 || width % heads != 0 || sizes.num_hidden_layers > 48 {
            return Err(unfit(&path, "its sizes do not fit each other".to_owned()));
        }
        let (path, tokenizer) = whole("tokenizer.json")?;
        let pieces = WordPieces::read(&tokenizer).map_err(|reason| unfit(&path, reason))?;
        if pieces.last() >= sizes.vocab_size {
            return Err(unfit(&path, "it has more words than config.json says".to_owned()));
        }
        let mut tensors = Tensors::open(folder.join("model.safetensors"))?;
        tensors.seen.extend([config, tokenizer].concat());
        let words = tensors.find("embeddings.word_embeddings.weight", &[sizes.vocab_size, width])?;
        let mut layers = Vec::new();
        for layer in 0..sizes.num_hidden_layers {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let size = sizes.intermediate_size;
            layers.push(Layer {
                query: tensors.dense(&name("attention.self.query"), [width, width])?,
                key: tensors.dense(&name("attention.self.key"), [width, width])?,
                value: tensors.dense(&name("attention.self.value"), [width, width])?,
                seen: tensors.dense(&name("attention.output.dense"), [width, width])?,
                after_seen: tensors.norm(&name("attention.output.LayerNorm"), width)?,
                inner: tensors.dense(&name("intermediate.dense"), [size, width])?,
                outer: tensors.dense(&name("output.dense"), [width, size])?,
                after_outer: tensors.norm(&name("output.LayerNorm"), width)?,
            });
        }
        let places = [sizes.max_position_embeddings, width];
        Ok(Self {
            pieces,
            places: tensors.matrix("embeddings.position_embeddings.weight", places)?,
            kind: tensors.matrix(
                "embeddings.token_type_embeddings.weight",
                [sizes.type_vocab_size, width],
            )?,
            first: tensors.norm("embeddings.LayerNorm", width)?,
            layers,
            heads,
            hash: sha256_hex(&tensors.seen),
            words,
            path: tensors.path,
            file: tensors.file,
        })
    }

    /// The hash of the model: vectors of another one mean something else. Of its files, what differs between any two.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The vectors of some texts, each of length 1.
    pub fn vectors(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        let some = texts.chunks(AT_ONCE).map(|texts| self.vectors_of(texts));
        let vectors = some.collect::<Result<Vec<_>, _>>()?.concat();
        if vectors.iter().flatten().all(|x| x.is_finite()) {
            return Ok(vectors);
        }
        Err(ModelError::Unfit {
            path: self.path.clone(),
            reason: "what it computes is not a number".to_owned(),
        })
    }

    fn vectors_of(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        let most = MOST.min(self.places.nrows());
        let texts: Vec<Vec<usize>> = texts.iter().map(|text| self.pieces.of(text, most)).collect();
        let mut ranges = Vec::new();
        let mut states = Array2::zeros((texts.iter().map(Vec::len).sum(), self.places.ncols()));
        for text in &texts {
            let begin = ranges.last().map_or(0, |last: &std::ops::Range<usize>| last.end);
            ranges.push(begin..begin + text.len());
            for (place, piece) in text.iter().enumerate() {
                let mut state = states.row_mut(begin + place);
                let size = state.len();
                let at = self.words + (piece * size * 4) as u64;
                let word = floats(&self.file, at, size);
                let word = word.map_err(|source| ModelError::Unreadable {
                    path: self.path.clone(),
                    source,
                })?;
                state.assign(&Array1::from(word));
                state += &self.places.row(place);
                state += &self.kind.row(0);
            }
        }
        self.first.apply(&mut states);
        for layer in &self.layers {
            let seen = self.attend(layer, &states, &ranges);
            states += &layer.seen.apply(&seen);
            layer.after_seen.apply(&mut states);
            let mut inner = layer.inner.apply(&states);
            inner.mapv_inplace(gelu);
            states += &layer.outer.apply(&inner);
            layer.after_outer.apply(&mut states);
        }
        let vector = |range: std::ops::Range<usize>| {
            let mean = states.slice_axis(Axis(0), range.into()).sum_axis(Axis(0));
            let length = mean.dot(&mean).sqrt().max(f32::MIN_POSITIVE);
            (mean / length).to_vec()
        };
        Ok(ranges.into_iter().map(vector).collect())
    }

    /// What the pieces of each text see of each other.
    fn attend(&self, layer: &Layer, states: &Array2<f32>, ranges: &[std::ops::Range<usize>]) -> Array2<f32> {
        let [query, key, value] = [&layer.query, &layer.key, &layer.value].map(|dense| dense.apply(states));
        let mut seen = Array2::zeros(states.raw_dim());
        let size = states.ncols() / self.heads;
        let scale = 1.0 / (size as f32).sqrt();
        for range in ranges {
            for head in 0..self.heads {
                let [rows, columns] = [range.clone(), head * size..(head + 1) * size].map(Slice::from);
                let [query, key, value] = [&query, &key, &value]
                    .map(|of| of.slice_axis(Axis(0), rows).slice_axis_move(Axis(1), columns));
                let mut shares = query.dot(&key.t());
                for mut row in shares.rows_mut() {
                    let most = row.fold(f32::MIN, |most, share| most.max(*share));
                    row.mapv_inplace(|share| ((share - most) * scale).exp());
                    row /= row.sum();
                }
                let mut seen = seen.slice_axis_mut(Axis(0), rows);
                seen.slice_axis_mut(Axis(1), columns).assign(&shares.dot(&value));
            }
        }
        seen
    }
}

impl Dense {
    fn apply(&self, input: &Array2<f32>) -> Array2<f32> {
        input.dot(&self.weight.t()) + &self.bias
    }
}

impl Norm {
    fn apply(&self, states: &mut Array2<f32>) {
        for mut state in states.rows_mut() {
            let mean = state.mean().unwrap_or_default();
            state -= mean;
            let scale = (state.dot(&state) / state.len() as f32 + 1e-12).sqrt().recip();
            Zip::from(&mut state)
                .and(&self.weight)
                .and(&self.bias)
                .for_each(|x, weight, bias| *x = *x * scale * weight + bias);
        }
    }
}

/// The tensors of model.safetensors: a length, a head in JSON, and the numbers.
struct Tensors {
    path: PathBuf,
    file: File,
    head: Map<String, Value>,
    begin: u64,
    /// What was read of what is small, for the hash.
    seen: Vec<u8>,
}

impl Tensors {
    fn open(path: PathBuf) -> Result<Self, ModelError> {
        let read = || {
            let file = crate::sys::open_regular(&path)?.ok_or(std::io::ErrorKind::NotFound)?;
            let mut size = [0; 8];
            file.read_exact_at(&mut size, 0)?;
            let size = u64::from_le_bytes(size).min(MOST_BYTES);
            let mut head = vec![0; usize::try_from(size).unwrap_or_default()];
            file.read_exact_at(&mut head, 8)?;
            Ok((file, head))
        };
        let (file, bytes) = match read() {
            Ok(read) => read,
            Err(source) => return Err(ModelError::Unreadable { path, source }),
        };
        let begin = 8 + bytes.len() as u64;
        match serde_json::from_slice(&bytes) {
            Ok(head) => Ok(Self {
                path,
                file,
                head,
                begin,
                seen: bytes,
            }),
            Err(error) => Err(ModelError::Unfit {
                path,
                reason: error.to_string(),
            }),
        }
    }

    /// The byte at which a tensor of this shape begins.
    fn find(&self, name: &str, shape: &[usize]) -> Result<u64, ModelError> {
        let about = self
            .head
            .get(name)
            .or_else(|| self.head.get(&format!("bert.{name}")));
        let at = about.filter(|about| about["dtype"] == "F32" && about["shape"] == Value::from(shape));
        let at = at.and_then(|about| about["data_offsets"][0].as_u64());
        at.map(|at| self.begin.saturating_add(at))
            .ok_or_else(|| ModelError::Unfit {
                path: self.path.clone(),
                reason: format!("no tensor `{name}` of {shape:?}"),
            })
    }

    fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let read = floats(&self.file, self.find(name, shape)?, shape.iter().product());
        read.map_err(|source| ModelError::Unreadable {
            path: self.path.clone(),
            source,
        })
    }

    fn matrix(&self, name: &str, shape: [usize; 2]) -> Result<Array2<f32>, ModelError> {
        let numbers = self.floats(name, &shape)?;
        Ok(Array2::from_shape_vec(shape, numbers).expect("because so many were read"))
    }

    fn vector(&mut self, name: &str, size: usize) -> Result<Array1<f32>, ModelError> {
        let numbers = self.floats(name, &[size])?;
        self.seen
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        Ok(numbers.into())
    }

    fn dense(&mut self, name: &str, shape: [usize; 2]) -> Result<Dense, ModelError> {
        Ok(Dense {
            weight: self.matrix(&format!("{name}.weight"), shape)?,
            bias: self.vector(&format!("{name}.bias"), shape[0])?,
        })
    }

    fn norm(&mut self, name: &str, size: usize) -> Result<Norm, ModelError> {
        Ok(Norm {
            weight: self.vector(&format!("{name}.weight"), size)?,
            bias: self.vector(&format!("{name}.bias"), size)?,
        })
    }
}

fn floats(file: &File, at: u64, count: usize) -> std::io::Result<Vec<f32>> {
    let mut bytes = vec![0; count * 4];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes
        .as_chunks()
        .0
        .iter()
        .map(|four| f32::from_le_bytes(*four))
        .collect())
}

/// By the error function of Abramowitz and Stegun (7.1.26), to 1.5e-7.
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = (1.0 + 0.327_591_1 * z).recip();
    let sum = [1.061_405_4, -1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6]
        .iter()
        .fold(0.0, |sum, part| sum * t + part);
    let erf = (1.0 - t * sum * (-z * z).exp()).copysign(x);
    0.5 * x * (1.0 + erf)
}
