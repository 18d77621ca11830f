use std::io;
use std::thread;

use super::pool::Pool;
use super::{Swap, Swappable};

const BUDGET: usize = 10_000;

impl Swap for String {
    fn weight(&self) -> usize {
        self.len()
    }

    fn to_bytes(&self) -> io::Result<Vec<u8>> {
        Ok(self.clone().into_bytes())
    }

    fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        String::from_utf8(bytes.to_vec()).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    fn unreadable(error: &io::Error) -> Self {
        format!("unreadable: {error}")
    }
}

fn pool() -> &'static Pool {
    Box::leak(Box::new(Pool::new(BUDGET)))
}

fn pool_in(directory: &tempfile::TempDir) -> &'static Pool {
    let pool = pool();
    pool.set_own_directory(directory.path());
    pool
}

fn text(number: usize) -> String {
    format!("{number:04}").repeat(500)
}

fn values(pool: &'static Pool, count: usize) -> Vec<Swappable<String>> {
    (0..count)
        .map(|number| Swappable::in_pool(text(number), pool))
        .collect()
}

#[test]
fn what_is_too_much_leaves_memory_and_comes_back_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let pool = pool_in(&directory);
    let values = values(pool, 100);
    assert_eq!(pool.bytes(), 200_000);
    for _ in 0..3 {
        pool.trim();
        assert!(pool.bytes() <= BUDGET, "{}", pool.bytes());
        for (number, value) in values.iter().enumerate() {
            assert_eq!(*value.get(), text(number));
        }
    }
    // Reading them all brought no more into memory than there is room for.
    assert!(pool.bytes() <= BUDGET + BUDGET / 8 + 2_000, "{}", pool.bytes());
    // The file has no name.
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
    let clone = values[0].clone();
    drop(values);
    pool.trim();
    assert_eq!(*clone.get(), text(0));
    drop(clone);
    assert_eq!(pool.bytes(), 0);
}

#[test]
fn what_was_stored_already_goes_to_the_file_unread() {
    let directory = tempfile::tempdir().unwrap();
    let pool = pool_in(&directory);
    let unread = |text: &str| Swappable::<String>::unread_in_pool(text.as_bytes(), pool);
    let value = unread(&text(3)).unwrap();
    assert_eq!(pool.bytes(), 0);
    assert_eq!(*value.get(), text(3));
    assert_eq!(pool.bytes(), 2_000);
    assert!(unread("small").is_none());
    let broken = Swappable::<String>::unread_in_pool(&[0xff; 2_000], pool).unwrap();
    assert!(broken.get().starts_with("unreadable: "));
}

#[test]
fn what_was_read_last_stays() {
    let directory = tempfile::tempdir().unwrap();
    let pool = pool_in(&directory);
    let values = values(pool, 20);
    pool.trim();
    let held = |value: &Swappable<String>| value.inner.held().is_some();
    assert_eq!(values.iter().filter(|value| held(value)).count(), 5);
    values[3].get();
    pool.trim();
    let more = Swappable::in_pool(text(1), pool);
    pool.trim();
    assert!(held(&values[3]) && held(&more));
}

#[test]
#[cfg(target_os = "linux")]
fn the_file_gives_back_what_nobody_needs() {
    let directory = tempfile::tempdir().unwrap();
    let pool = pool_in(&directory);
    for _ in 0..5 {
        let values = values(pool, 500);
        pool.trim();
        assert!(pool.file_blocks() > 0);
        drop(values);
    }
    pool.trim();
    assert_eq!(pool.file_blocks(), 0);
}

#[test]
fn without_a_directory_all_stays_in_memory() {
    let pool = pool();
    let values = values(pool, 100);
    pool.trim();
    assert_eq!(pool.bytes(), 200_000);
    pool.set_own_directory("/nowhere/at/all".as_ref());
    pool.trim();
    assert_eq!(pool.bytes(), 200_000);
    assert_eq!(*values[7].get(), text(7));
}

#[test]
fn values_are_shared_by_threads_that_make_read_and_drop_them() {
    let directory = tempfile::tempdir().unwrap();
    let pool = pool_in(&directory);
    let kept = values(pool, 50);
    thread::scope(|scope| {
        for thread in 0..4 {
            let kept = &kept;
            scope.spawn(move || {
                for round in 0..300 {
                    let number = (round * 7 + thread) % kept.len();
                    assert_eq!(*kept[number].get(), text(number));
                    let own = Swappable::in_pool(text(round), pool);
                    let clone = own.clone();
                    drop(own);
                    assert_eq!(*clone.get(), text(round));
                }
            });
        }
        scope.spawn(|| (0..300).for_each(|_| pool.trim()));
    });
    pool.trim();
    assert!(pool.bytes() <= BUDGET);
    drop(kept);
    assert_eq!(pool.bytes(), 0);
}
