//! Values that leave memory while nobody reads them.
//!
//! A long session holds far more than what is looked at: tens of megabytes of output, of which the model is sent the
//! newest and the screen shows a page. A [`Swappable`] is a value that every holder shares. Those that were read last stay
//! in memory, up to a budget for the whole process; the others are written to a file, once, and are read back when
//! somebody asks for them. Reading one back takes a few microseconds for each kilobyte.
//!
//! The file has no name, so that it is gone with the process, however that ends. A thread of its own writes to it: who
//! makes a value, or reads one, never waits for a write. Where nothing can be written (no directory, a full disk), values
//! stay in memory.

mod pool;
mod scratch;

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use pool::set_directory;
use pool::{POOL, Pool, Resident};
use scratch::Place;

/// Bytes from which on a value is worth a place in the file.
const SMALLEST: usize = 1024;

/// The form of a value outside of memory.
pub trait Swap: Clone + Send + Sync + 'static {
    /// Estimates the bytes that it takes in memory.
    fn weight(&self) -> usize;

    fn to_bytes(&self) -> io::Result<Vec<u8>>;

    /// Reads what [`Swap::to_bytes`] made.
    fn from_bytes(bytes: &[u8]) -> io::Result<Self>;

    /// Makes the value that stands for one that cannot be read back.
    fn unreadable(error: &io::Error) -> Self;
}

/// A value that clones share and that may be in a file.
pub struct Swappable<T: Swap> {
    inner: Arc<Inner<T>>,
}

struct Inner<T: Swap> {
    /// `None` while it is only in the file.
    held: Mutex<Option<Arc<T>>>,
    /// Its place in the file, once it was written.
    place: OnceLock<Place>,
    weight: usize,
    /// True if it was read since the pool looked at it last.
    is_used: AtomicBool,
    /// Its number in the pool while it is there.
    admitted: pool::Admission,
    pool: &'static Pool,
}

impl<T: Swap> Swappable<T> {
    pub fn new(value: T) -> Self {
        Self::in_pool(value, &POOL)
    }

    /// Makes one of what [`Swap::to_bytes`] made, which goes to the file as it is and is read when somebody asks for it.
    /// `None` where it is too small for that, or cannot be written.
    pub fn unread(bytes: &[u8]) -> Option<Self> {
        Self::unread_in_pool(bytes, &POOL)
    }

    fn in_pool(value: T, pool: &'static Pool) -> Self {
        let weight = value.weight();
        let this = Self::of(Some(value), OnceLock::new(), weight, pool);
        if weight >= SMALLEST {
            pool.admit(&this.inner);
        }
        this
    }

    fn unread_in_pool(bytes: &[u8], pool: &'static Pool) -> Option<Self> {
        let place = (bytes.len() >= SMALLEST).then(|| pool.write(bytes))??;
        Some(Self::of(None, OnceLock::from(place), bytes.len(), pool))
    }

    fn of(value: Option<T>, place: OnceLock<Place>, weight: usize, pool: &'static Pool) -> Self {
        let inner = Inner {
            held: Mutex::new(value.map(Arc::new)),
            place,
            weight,
            is_used: AtomicBool::new(true),
            admitted: pool::Admission::default(),
            pool,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Returns the value, which is read from the file where it is not in memory.
    pub fn get(&self) -> Arc<T> {
        self.inner.is_used.store(true, Ordering::Relaxed);
        let mut held = self.inner.held();
        if let Some(value) = &*held {
            return Arc::clone(value);
        }
        let read = match self.inner.place.get() {
            Some(place) => place.read().and_then(|bytes| T::from_bytes(&bytes)),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        let value = match read {
            Ok(value) => Arc::new(value),
            // Nothing is kept of it: the next reader may have more luck.
            Err(error) => return Arc::new(T::unreadable(&error)),
        };
        // Who reads thousands of them in a row has each for as long as it takes.
        if self.inner.pool.has_room() {
            *held = Some(Arc::clone(&value));
            drop(held);
            self.inner.pool.admit(&self.inner);
        }
        value
    }

    /// Replaces it by a changed copy, in this place alone.
    pub fn change(&mut self, change: impl FnOnce(&mut T)) {
        let mut value = T::clone(&self.get());
        change(&mut value);
        *self = Self::in_pool(value, self.inner.pool);
    }

    /// Returns true if both are the same value, not only equal ones.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl<T: Swap> Inner<T> {
    fn held(&self) -> MutexGuard<'_, Option<Arc<T>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Swap> Resident for Inner<T> {
    fn admission(&self) -> &pool::Admission {
        &self.admitted
    }

    fn weight(&self) -> usize {
        self.weight
    }

    fn take_use(&self) -> bool {
        self.is_used.swap(false, Ordering::Relaxed)
    }

    fn leave_memory(&self, file: &scratch::ScratchFile) -> io::Result<()> {
        let mut held = self.held();
        let Some(value) = &*held else { return Ok(()) };
        if self.place.get().is_none() {
            let place = file.write(&value.to_bytes()?)?;
            // Nobody else writes it while `held` is locked.
            self.place.get_or_init(|| place);
        }
        *held = None;
        Ok(())
    }
}

impl<T: Swap> Drop for Inner<T> {
    fn drop(&mut self) {
        self.pool.forget(&self.admitted, self.weight, self.place.take());
    }
}

impl<T: Swap> Clone for Swappable<T> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<T: Swap> From<T> for Swappable<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Swap + PartialEq> PartialEq for Swappable<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.get() == other.get()
    }
}

impl<T: Swap + fmt::Debug> fmt::Debug for Swappable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl<T: Swap + Serialize> Serialize for Swappable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl<'de, T: Swap + Deserialize<'de>> Deserialize<'de> for Swappable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests;
