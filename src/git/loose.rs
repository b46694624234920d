//! Loose objects: one zlib stream in one file each.
//!
//! mdmem inflates them itself and never lets libgit2 read one: libgit2 asks zlib for more output for as long as the
//! stream has not ended, and so never comes back from a file that is cut off. It also waits for who writes into a fifo.

use std::io::{Read as _, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;
use git2::ObjectType;

use super::object::{hash_object, to_git2};
use super::work_file::read_regular;
use crate::sys::open_regular;

/// The size that is believed before the bytes have come.
const BELIEVED: usize = 1 << 20;
/// The bytes of a file that are read for its header.
const MOST_OF_HEADER: u64 = 4096;

/// An object of the history.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) kind: ObjectType,
    pub(super) bytes: Vec<u8>,
}

/// The object of this name in this file; `None` where there is no file. The error says in words what is wrong with it.
pub(super) fn read(path: &Path, name: git2::Oid) -> Result<Option<Object>, String> {
    let spoilt = |what: &str| format!("{} {what}", path.display());
    let file = match read_regular(path) {
        Ok(Some(file)) => file,
        Ok(None) => return Ok(None),
        // Its folder is a file: then there is no such object.
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(spoilt(&format!("cannot be read: {error}"))),
    };
    if file.is_empty() {
        return Err(spoilt("is empty"));
    }
    let object = inflate(&file).map_err(spoilt)?;
    if to_git2(hash_object(object.kind, &object.bytes)) != name {
        return Err(spoilt("holds another content than its name says"));
    }
    Ok(Some(object))
}

/// The size of the object in this file by its header, the first bytes of the file; `None` where it has none.
pub(super) fn size(path: &Path) -> Option<u64> {
    let mut first = Vec::new();
    let file = open_regular(path).ok()??;
    file.take(MOST_OF_HEADER).read_to_end(&mut first).ok()?;
    let mut header = Vec::new();
    // The stream is cut off after the header, on purpose.
    let _ = ZlibDecoder::new(first.as_slice())
        .take(64)
        .read_to_end(&mut header);
    let end = header.iter().position(|byte| *byte == 0)?;
    Some(parse_header(&header[..end])?.1 as u64)
}

fn inflate(file: &[u8]) -> Result<Object, &'static str> {
    let mut stream = ZlibDecoder::new(file);
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "is cut off",
        _ => "is no zlib stream",
    };
    let mut start = [0; 256];
    let mut filled = 0;
    let end = loop {
        match stream.read(&mut start[filled..]).map_err(failed)? {
            0 => return Err("has no header"),
            count => filled += count,
        }
        if let Some(end) = start[..filled].iter().position(|byte| *byte == 0) {
            break end;
        }
    };
    let (kind, size) = parse_header(&start[..end]).ok_or("has no header")?;
    let mut bytes = Vec::with_capacity(size.min(BELIEVED));
    bytes.extend_from_slice(&start[end + 1..filled]);
    // One byte more than the header says: a longer content must not come in whole.
    let limit = u64::try_from(size.saturating_sub(bytes.len())).unwrap_or(u64::MAX);
    let mut rest = (&mut stream).take(limit.saturating_add(1));
    rest.read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() != size {
        return Err("holds another number of bytes than its header says");
    }
    if stream.total_in() != file.len() as u64 {
        return Err("goes on after its end");
    }
    Ok(Object { kind, bytes })
}

fn parse_header(header: &[u8]) -> Option<(ObjectType, usize)> {
    let header = std::str::from_utf8(header).ok()?;
    let (kind, size) = header.split_once(' ')?;
    Some((ObjectType::from_str(kind)?, size.parse().ok()?))
}

/// The bytes of the file of an object.
pub(super) fn encode(kind: ObjectType, bytes: &[u8]) -> Vec<u8> {
    let mut stream = ZlibEncoder::new(Vec::new(), Compression::default());
    let header = format!("{} {}\0", kind.str(), bytes.len());
    [header.as_bytes(), bytes]
        .into_iter()
        .try_for_each(|part| stream.write_all(part))
        .and_then(|()| stream.finish())
        .expect("because a vector takes every byte")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_a_file(bytes: &[u8], name: git2::Oid) -> Result<Option<Object>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("object");
        super::super::durable::replace(&path, bytes).unwrap();
        read(&path, name)
    }

    fn text() -> Vec<u8> {
        (0..4000_u32)
            .flat_map(|n| format!("{}\n", n.wrapping_mul(2_654_435_761)).into_bytes())
            .collect()
    }

    #[test]
    fn reads_what_it_encodes() {
        for bytes in [Vec::new(), b"one\n".to_vec(), text()] {
            let name = git2::Oid::hash_object(ObjectType::Blob, &bytes).unwrap();
            let read = in_a_file(&encode(ObjectType::Blob, &bytes), name)
                .unwrap()
                .unwrap();
            assert_eq!((read.kind, read.bytes), (ObjectType::Blob, bytes));
        }
    }

    #[test]
    fn each_length_but_the_whole_is_an_error() {
        let bytes = b"Use the npm cache.\n".repeat(3);
        let name = git2::Oid::hash_object(ObjectType::Blob, &bytes).unwrap();
        let whole = encode(ObjectType::Blob, &bytes);
        for length in 0..whole.len() {
            in_a_file(&whole[..length], name).unwrap_err();
        }
        let long = [&whole[..], b"x"].concat();
        assert!(in_a_file(&long, name).unwrap_err().contains("goes on"));
    }

    #[test]
    fn says_what_is_wrong() {
        let name = git2::Oid::hash_object(ObjectType::Blob, b"one\n").unwrap();
        let said = |bytes: &[u8]| in_a_file(bytes, name).unwrap_err();
        assert!(said(b"").contains("is empty"));
        assert!(said(b"????????").contains("is no zlib stream"));
        assert!(said(&encode(ObjectType::Blob, b"two\n")).contains("another content"));
        let zlib = |bytes: &[u8]| {
            let mut stream = ZlibEncoder::new(Vec::new(), Compression::default());
            stream.write_all(bytes).unwrap();
            stream.finish().unwrap()
        };
        assert!(said(&zlib(b"blob 5\0one\n")).contains("another number"));
        assert!(said(&zlib(b"blob 3\0one\n")).contains("another number"));
        assert!(said(&zlib(b"blob 99999999999999999\0one\n")).contains("another number"));
        assert!(said(&zlib(b"one\n")).contains("has no header"));
        assert!(said(&zlib(&[b'x'; 1000])).contains("has no header"));
    }

    #[test]
    fn waits_for_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("object");
        let name = git2::Oid::hash_object(ObjectType::Blob, b"").unwrap();
        assert!(read(&path, name).unwrap().is_none());
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        assert!(read(&path, name).unwrap_err().contains("it is no file"));
        assert!(read(dir.path(), name).unwrap_err().contains("it is no file"));
        assert!(read(&path.join("below"), name).unwrap().is_none());
    }
}
