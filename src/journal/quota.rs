//! Room and time of kept contents. What goes first is what was referred to longest ago.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::store::{Blobs, Store, StoreError};

/// Age of a content that may not be referred to yet.
const YOUNG: Duration = Duration::from_mins(10);

/// Bounds of the contents of all trees together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLimits {
    pub bytes: u64,
    pub age: Duration,
}

/// Removes what is beyond the limits, and returns the bytes that this freed.
pub fn clean(data: &Path, store: &Store, limits: JournalLimits) -> Result<u64, StoreError> {
    clean_at(data, store, limits, SystemTime::now())
}

fn clean_at(data: &Path, store: &Store, limits: JournalLimits, now: SystemTime) -> Result<u64, StoreError> {
    let blobs = Blobs::new(data);
    let sizes: std::collections::HashMap<String, u64> = blobs
        .list()
        .into_iter()
        .map(|blob| (blob.hash, blob.size))
        .collect();
    if sizes.is_empty() {
        return Ok(0);
    }
    let mut referred = store.journal_hashes()?;
    referred.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let oldest = now
        .checked_sub(limits.age)
        .and_then(|limit| limit.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |limit| limit.as_millis());
    let mut room = limits.bytes;
    let mut kept = HashSet::new();
    for (hash, time) in referred {
        let size = sizes.get(&hash).copied().unwrap_or(0);
        if u128::try_from(time).unwrap_or(0) < oldest || size > room {
            // What is older than the first that has no room goes as well.
            break;
        }
        room -= size;
        kept.insert(hash);
    }
    let young = now.checked_sub(YOUNG).unwrap_or(UNIX_EPOCH);
    Ok(blobs.clean(&kept, young))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::SessionId;
    use crate::files::ContentHash;
    use crate::store::{ChangeOrigin, FileImage, JournalFile, NewJournalChange, NewSession};

    fn enter(store: &Store, tree: &SessionId, blobs: &Blobs, bytes: &[u8]) -> String {
        let hash = ContentHash::of(bytes).as_str().to_owned();
        blobs.put(&hash, bytes).unwrap();
        let file = JournalFile {
            path: "/p/a".into(),
            before: FileImage::Absent,
            after: FileImage::File {
                hash: hash.clone(),
                mode: None,
            },
            parents: Vec::new(),
        };
        let change = NewJournalChange {
            tree,
            session: tree,
            origin: ChangeOrigin::Lathe,
            is_pending: false,
            files: &[file],
        };
        store.add_change(&change).unwrap();
        hash
    }

    #[test]
    fn what_is_beyond_the_quota_or_too_old_goes() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::in_memory().unwrap();
        let tree = SessionId::new();
        let session = NewSession {
            id: tree.clone(),
            parent: None,
            project: "/p".into(),
            directory: "/p".into(),
            agent: "build".into(),
            model: None,
            title: String::new(),
        };
        store.create(&session).unwrap();
        let blobs = Blobs::new(dir.path());
        let mut random = 1_u32;
        let mut content = || -> Vec<u8> {
            (0..10_000)
                .map(|_| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (random >> 24) as u8
                })
                .collect()
        };
        let first = enter(&store, &tree, &blobs, &content());
        // Times are in milliseconds.
        let begun = SystemTime::now();
        while begun.elapsed().unwrap() < Duration::from_millis(2) {
            std::thread::yield_now();
        }
        let second = enter(&store, &tree, &blobs, &content());
        let day = Duration::from_hours(24);
        let limits = |bytes, age| JournalLimits { bytes, age };
        let later = SystemTime::now() + Duration::from_hours(1);
        let clean = |limits| clean_at(dir.path(), &store, limits, later).unwrap();
        assert_eq!(clean(limits(1 << 20, day)), 0);
        assert!(clean(limits(15_000, day)) > 9_000);
        assert!(blobs.get(&first).unwrap().is_none() && blobs.get(&second).unwrap().is_some());
        assert_eq!(
            clean_at(dir.path(), &store, limits(0, day), SystemTime::now()).unwrap(),
            0
        );
        assert!(clean(limits(1 << 20, Duration::from_mins(1))) > 9_000);
        assert!(blobs.get(&second).unwrap().is_none());
    }
}
