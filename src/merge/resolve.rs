//! One file of the merged tree, from its versions.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::path::Path;

use super::companions::merge_companion;
use super::files::{Blob, Contents, Place, Reader, Side, memory_path};
use super::keys::ENGINES;
use super::memory::{Version, later, merge_memory};
use super::siblings::{is_named_sibling, is_sibling};
use super::store::Content;
use super::units::{Unit, says_the_same};
use crate::document::{Key, changes_text, sections};
use crate::model::Memory;
use crate::text::sha256_hex;

/// A file of the merged tree.
#[derive(Debug)]
pub(super) struct Claim<'a> {
    pub(super) unit: Unit<'a>,
    /// The path that it has, unless another file has it too.
    pub(super) path: Cow<'a, Path>,
    pub(super) content: Content,
    /// The version whose lines did not stay.
    pub(super) aside: Option<Vec<u8>>,
    /// No memory, and both sides changed the same lines.
    pub(super) is_overruled: bool,
}

impl Claim<'_> {
    /// Gives it other bytes, and leaves its mode.
    pub(super) fn set(&mut self, bytes: Vec<u8>) {
        let (Content::Bytes { mode, .. } | Content::Blob(Blob { mode, .. })) = self.content;
        self.content = Content::Bytes { bytes, mode };
    }
}

/// Merges the versions of a file; `None` where it is deleted.
pub(super) fn resolve<'a, C: Contents>(
    unit: Unit<'a>,
    reader: &Reader<'_, C>,
) -> Result<Option<Claim<'a>>, C::Error> {
    let whole = |place: Place<'a>| Claim {
        unit,
        path: Cow::Borrowed(place.path),
        content: Content::Blob(place.blob),
        aside: None,
        is_overruled: false,
    };
    match (unit.base, unit.on(Side::Ours), unit.on(Side::Theirs)) {
        (_, None, None) => Ok(None),
        (None, Some(place), None) | (None, None, Some(place)) => Ok(Some(whole(place))),
        (Some(base), Some(place), None) | (Some(base), None, Some(place)) => {
            let stays = place != base && outlives_deletion(base, place, reader)?;
            Ok(stays.then(|| whole(place)))
        }
        (base, Some(ours), Some(theirs)) => Ok(Some(
            Both {
                unit,
                base,
                ours,
                theirs,
            }
            .claim(reader)?,
        )),
    }
}

/// Says whether a change is somebody's, and not the engine's alone. A sibling that is deleted is settled, unless somebody
/// wrote into it meanwhile.
fn outlives_deletion<C: Contents>(
    base: Place<'_>,
    now: Place<'_>,
    reader: &Reader<'_, C>,
) -> Result<bool, C::Error> {
    let texts = || -> Result<_, C::Error> { Ok((reader.bytes(base.blob.oid)?, reader.bytes(now.blob.oid)?)) };
    if is_named_sibling(now.path) || is_sibling(reader.memory(now)?.as_deref()) {
        let (before, after) = texts()?;
        return Ok(changes_text(&before, &after));
    }
    if memory_path(now.path).is_none() || base.path != now.path || base.blob.mode != now.blob.mode {
        return Ok(true);
    }
    let (before, after) = texts()?;
    Ok(!is_engines_alone(&before, &after))
}

fn is_engines_alone(before: &[u8], after: &[u8]) -> bool {
    let both = [before, after].map(|bytes| std::str::from_utf8(bytes).ok().and_then(sections));
    let [Some(before_keys), Some(after_keys)] = &both else {
        return false;
    };
    let is_same = |name: &str| {
        let [one, other] = [before_keys, after_keys].map(|file| {
            let key = file.keys.iter().find(|key| key.name == name);
            key.map(|key| key.lines.trim())
        });
        one == other
    };
    let is_engines = |name: &str| Key::parse(name).is_some_and(|key| ENGINES.contains(&key));
    let mut names = before_keys
        .keys
        .iter()
        .chain(&after_keys.keys)
        .map(|key| key.name.as_str());
    names.all(|name| is_engines(name) || is_same(name)) && !changes_text(before, after)
}

/// A file that both sides have.
struct Both<'a> {
    unit: Unit<'a>,
    base: Option<Place<'a>>,
    ours: Place<'a>,
    theirs: Place<'a>,
}

impl<'a> Both<'a> {
    fn claim<C: Contents>(self, reader: &Reader<'_, C>) -> Result<Claim<'a>, C::Error> {
        let mut claim = Claim {
            unit: self.unit,
            path: Cow::Borrowed(self.path(reader)?),
            content: Content::Blob(self.ours.blob),
            aside: None,
            is_overruled: false,
        };
        let base = self.base.map(|base| base.blob);
        let mode = match base {
            Some(base) if base.mode == self.ours.blob.mode => self.theirs.blob.mode,
            Some(_) => self.ours.blob.mode,
            None => self.ours.blob.mode.min(self.theirs.blob.mode),
        };
        let [ours, theirs] = [self.ours, self.theirs].map(|place| place.blob.oid);
        let base = base.map(|blob| blob.oid);
        let one = if ours == theirs || base == Some(theirs) {
            Some(ours)
        } else {
            (base == Some(ours)).then_some(theirs)
        };
        if let Some(oid) = one {
            claim.content = Content::Blob(Blob { oid, mode });
            return Ok(claim);
        }
        let bytes = self.merged(&mut claim, reader)?;
        let known =
            [self.ours, self.theirs]
                .into_iter()
                .find_map(|place| match reader.bytes(place.blob.oid) {
                    Ok(known) if *known == *bytes => Some(place.blob.oid),
                    _ => None,
                });
        claim.content = match known {
            Some(oid) => Content::Blob(Blob { oid, mode }),
            None => Content::Bytes { bytes, mode },
        };
        Ok(claim)
    }

    /// The path is one more key. Of two files that were added, the lesser id has it, then the lesser path.
    fn path<C: Contents>(&self, reader: &Reader<'_, C>) -> Result<&'a Path, C::Error> {
        let (ours, theirs) = (self.ours.path, self.theirs.path);
        let Some(base) = self.base else {
            let id = |place| -> Result<_, C::Error> {
                let id = reader.id(place)?;
                Ok((id.is_none(), id))
            };
            let (our_id, their_id) = (id(self.ours)?, id(self.theirs)?);
            return Ok((our_id, ours).min((their_id, theirs)).1);
        };
        if ours == theirs || theirs == base.path {
            return Ok(ours);
        }
        if ours == base.path {
            return Ok(theirs);
        }
        let hash = |path: &Path| sha256_hex(path.as_os_str().as_encoded_bytes());
        let at = |side, path: &'a Path| (reader.contents.changed_at(side, path), hash(path), path);
        Ok(at(Side::Ours, ours).max(at(Side::Theirs, theirs)).2)
    }

    /// The bytes that two changed versions become.
    fn merged<C: Contents>(
        &self,
        claim: &mut Claim<'a>,
        reader: &Reader<'_, C>,
    ) -> Result<Vec<u8>, C::Error> {
        let (ours, theirs) = (
            reader.bytes(self.ours.blob.oid)?,
            reader.bytes(self.theirs.blob.oid)?,
        );
        let base = match self.base {
            Some(base) => reader.bytes(base.blob.oid)?,
            None => [].into(),
        };
        let our = Version {
            bytes: &ours,
            at: reader.contents.changed_at(Side::Ours, self.ours.path),
        };
        let their = Version {
            bytes: &theirs,
            at: reader.contents.changed_at(Side::Theirs, self.theirs.path),
        };
        let (winner, loser) = match later(our, their) {
            Ordering::Less => (&theirs, &ours),
            Ordering::Equal | Ordering::Greater => (&ours, &theirs),
        };
        let (Some(our_memory), Some(their_memory)) = (reader.memory(self.ours)?, reader.memory(self.theirs)?)
        else {
            let merged = merge_companion(&claim.path, &base, winner, loser);
            claim.is_overruled = merged.is_overruled;
            return Ok(merged.bytes);
        };
        let is_aside = |place: Place<'_>, memory| is_named_sibling(place.path) || is_sibling(Some(memory));
        if is_aside(self.ours, &our_memory) || is_aside(self.theirs, &their_memory) {
            claim.aside = changes_text(winner, loser).then(|| loser.to_vec());
            return Ok(winner.to_vec());
        }
        let base = if self.base.is_none() && says_the_same(&our_memory, &their_memory) {
            poorer_text(&our_memory, &ours, &their_memory, &theirs).into()
        } else {
            base
        };
        let merged = merge_memory(&base, our, their);
        claim.aside = merged.conflict.map(|conflict| conflict.aside);
        Ok(merged.bytes)
    }
}

/// Of two memories with the same words, the text that has no reason, or the lesser hash. As the base of the two it lets
/// the other one stay.
fn poorer_text<'b>(our: &Memory, ours: &'b [u8], their: &Memory, theirs: &'b [u8]) -> &'b [u8] {
    let text = |bytes: &'b [u8]| {
        let file = std::str::from_utf8(bytes).ok().and_then(sections);
        file.map_or(bytes, |file| file.body.as_bytes())
    };
    let worth = |memory: &Memory, bytes| {
        let has_reason = memory.content.rationale().is_some();
        (has_reason, sha256_hex(text(bytes)))
    };
    if worth(our, ours) < worth(their, theirs) {
        text(ours)
    } else {
        text(theirs)
    }
}
