//! The values in memory, in the order in which they came, and the thread that writes the oldest of them to the file.

use std::collections::BTreeMap;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::thread;

use super::scratch::{Place, ScratchFile};

/// Bytes of values that stay in memory. A window of 200,000 tokens takes less than one megabyte.
const BUDGET: usize = 4 << 20;
/// Most values that are taken out of the pool at once, so that who makes one does not wait long.
const BATCH: usize = 64;

/// The pool of the process.
pub(super) static POOL: Pool = Pool::new(BUDGET);

/// Sets the directory of the file. One that is set after the file was made changes nothing.
pub fn set_directory(directory: &Path) {
    static WRITER: Once = Once::new();
    POOL.state().directory = Some(directory.to_owned());
    WRITER.call_once(|| {
        let name = "swap".to_owned();
        // Without the thread values stay in memory.
        thread::Builder::new()
            .name(name)
            .spawn(|| POOL.keep_to_budget())
            .ok();
    });
}

/// A value of any type.
pub(super) trait Resident: Send + Sync {
    fn admission(&self) -> &Admission;
    fn weight(&self) -> usize;
    /// Returns true if it was read since the last call.
    fn take_use(&self) -> bool;
    /// Writes it where that was not done, and frees its memory.
    fn leave_memory(&self, file: &ScratchFile) -> io::Result<()>;
}

/// The number of a value in the pool; 0 while it is not there. It changes while the pool is locked.
#[derive(Default)]
pub(super) struct Admission(AtomicU64);

pub(super) struct Pool {
    budget: usize,
    state: Mutex<State>,
    is_over: Condvar,
}

struct State {
    /// By their numbers, the oldest first.
    residents: BTreeMap<u64, Weak<dyn Resident>>,
    last: u64,
    /// Weight of all residents.
    bytes: usize,
    directory: Option<PathBuf>,
    file: Option<ScratchFile>,
    /// Places of values that are gone.
    freed: Vec<Place>,
}

/// Values that a look at the pool took out of it.
#[derive(Default)]
struct Taken {
    leaving: Vec<Arc<dyn Resident>>,
    /// They stay, and may be dropped by now everywhere else: not while the pool is locked.
    staying: Vec<Arc<dyn Resident>>,
}

impl Pool {
    pub(super) const fn new(budget: usize) -> Self {
        Self {
            budget,
            state: Mutex::new(State {
                residents: BTreeMap::new(),
                last: 0,
                bytes: 0,
                directory: None,
                file: None,
                freed: Vec::new(),
            }),
            is_over: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a value that came into memory.
    pub(super) fn admit<R: Resident + 'static>(&self, resident: &Arc<R>) {
        let weak: Weak<R> = Arc::downgrade(resident);
        let mut state = self.state();
        state.admit(weak, resident.admission(), resident.weight());
        if state.bytes > self.budget {
            self.is_over.notify_one();
        }
    }

    /// Returns true if one more value may come into memory; if not, the next ones may before long.
    pub(super) fn has_room(&self) -> bool {
        let is_within = self.state().bytes <= self.budget + self.budget / 8;
        if !is_within {
            self.is_over.notify_one();
        }
        is_within
    }

    /// Takes out a value that is gone.
    pub(super) fn forget(&self, admission: &Admission, weight: usize, place: Option<Place>) {
        if admission.0.load(Ordering::Relaxed) == 0 && place.is_none() {
            return;
        }
        let mut state = self.state();
        state.remove(admission, weight);
        state.freed.extend(place);
    }

    /// Writes out what is too much, whenever something is.
    fn keep_to_budget(&self) {
        let mut state = self.state();
        loop {
            state = self.is_over.wait(state).unwrap_or_else(PoisonError::into_inner);
            drop(state);
            self.trim();
            state = self.state();
        }
    }

    /// Writes out values until the budget holds, or nothing more can be written.
    pub(super) fn trim(&self) {
        let (freed, file, residents) = {
            let mut state = self.state();
            (mem::take(&mut state.freed), state.file(), state.residents.len())
        };
        freed.iter().for_each(Place::free);
        let Some(file) = file else { return };
        // Each value may stay once because it was read, and leaves at the second look.
        let mut looks = 2 * residents;
        while looks > 0 {
            let Taken { leaving, staying } = self.state().oldest(self.budget, &mut looks);
            drop(staying);
            if leaving.is_empty() {
                return;
            }
            for (nth, resident) in leaving.iter().enumerate() {
                if resident.leave_memory(&file).is_err() {
                    self.readmit(&leaving[nth..]);
                    return;
                }
            }
        }
    }

    /// Writes a value that is not in memory.
    pub(super) fn write(&self, bytes: &[u8]) -> Option<Place> {
        let file = self.state().file()?;
        file.write(bytes).ok()
    }

    /// Takes back values that could not be written.
    fn readmit(&self, residents: &[Arc<dyn Resident>]) {
        let mut state = self.state();
        for resident in residents {
            state.admit(Arc::downgrade(resident), resident.admission(), resident.weight());
        }
    }

    #[cfg(test)]
    pub(super) fn set_own_directory(&self, directory: &Path) {
        self.state().directory = Some(directory.to_owned());
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.state().bytes
    }

    #[cfg(test)]
    pub(super) fn file_blocks(&self) -> u64 {
        self.state().file.as_ref().map_or(0, ScratchFile::blocks)
    }
}

impl State {
    fn admit(&mut self, resident: Weak<dyn Resident>, admission: &Admission, weight: usize) {
        // It came into memory twice between two looks of the pool.
        self.remove(admission, weight);
        self.last += 1;
        self.bytes += weight;
        admission.0.store(self.last, Ordering::Relaxed);
        self.residents.insert(self.last, resident);
    }

    fn remove(&mut self, admission: &Admission, weight: usize) {
        if self
            .residents
            .remove(&admission.0.swap(0, Ordering::Relaxed))
            .is_some()
        {
            self.bytes -= weight;
        }
    }

    /// Takes out the oldest values that were not read lately, as many as are too much, and no more than a batch.
    fn oldest(&mut self, budget: usize, looks: &mut usize) -> Taken {
        let mut taken = Taken::default();
        while self.bytes > budget && taken.leaving.len() < BATCH && *looks > 0 {
            *looks -= 1;
            let Some((number, weak)) = self.residents.pop_first() else {
                break;
            };
            let Some(resident) = weak.upgrade() else {
                // It is being dropped, and takes its weight out itself.
                self.residents.insert(number, weak);
                break;
            };
            self.bytes -= resident.weight();
            if resident.take_use() {
                self.last += 1;
                self.bytes += resident.weight();
                resident.admission().0.store(self.last, Ordering::Relaxed);
                self.residents.insert(self.last, weak);
                taken.staying.push(resident);
                continue;
            }
            resident.admission().0.store(0, Ordering::Relaxed);
            taken.leaving.push(resident);
        }
        taken
    }

    /// Returns the file, which is made where there is a directory for it.
    fn file(&mut self) -> Option<ScratchFile> {
        if self.file.is_none() {
            self.file = ScratchFile::in_directory(self.directory.as_deref()?).ok();
        }
        self.file.clone()
    }
}
