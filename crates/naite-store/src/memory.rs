//! Logs in memory: sessions that leave no file, and the model against which the file store is tested.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{Owner, Result, StoreError};
use crate::log::{Durable, Guard, LogName, NewLog, Stat, Store, Wait};

/// Logs in memory; clones share them, as processes share a folder.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    logs: HashMap<LogName, (Stat, Vec<u8>)>,
    held: Vec<LogName>,
    writes: i128,
}

#[derive(Debug)]
struct MemoryGuard {
    log: LogName,
    shared: Arc<Shared>,
}

impl Guard for MemoryGuard {}

impl Drop for MemoryGuard {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.held.retain(|held| *held != self.log);
        self.shared.freed.notify_all();
    }
}

impl MemoryStore {
    /// No logs.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn touch(&mut self) -> i128 {
        self.writes += 1;
        self.writes
    }

    fn expect(&mut self, log: &LogName, expected: Stat) -> Result<&mut (Stat, Vec<u8>)> {
        let now = self.logs.get(log).map(|(stat, _)| *stat);
        match self.logs.get_mut(log) {
            Some(found) if found.0.len == expected.len && found.0.identity == expected.identity => Ok(found),
            _ => Err(StoreError::Moved { path: log.path().into(), now }),
        }
    }
}

/// A log that is being written.
struct Whole {
    log: LogName,
    replaces: Option<Stat>,
    bytes: Vec<u8>,
    shared: Arc<Shared>,
}

impl io::Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl NewLog for Whole {
    fn commit(self: Box<Self>) -> Result<Stat> {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.replaces {
            Some(expected) => {
                state.expect(&self.log, expected)?;
            }
            None if state.logs.get(&self.log).is_some_and(|(stat, _)| stat.len > 0) => {
                return Err(StoreError::Exists { path: self.log.path().into() });
            }
            None => {}
        }
        let stamp = state.touch();
        let stat = Stat { len: self.bytes.len() as u64, identity: (0, stamp as u64), stamp };
        state.logs.insert(self.log, (stat, self.bytes));
        Ok(stat)
    }
}

impl Store for MemoryStore {
    fn stat(&mut self, log: &LogName) -> Result<Option<Stat>> {
        Ok(self.state().logs.get(log).map(|(stat, _)| *stat))
    }

    fn read(&mut self, log: &LogName, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let state = self.state();
        let (_, bytes) =
            state.logs.get(log).ok_or_else(|| StoreError::NotFound { path: log.path().into() })?;
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }

    fn begin(&mut self, log: &LogName, replaces: Option<Stat>) -> Result<Box<dyn NewLog>> {
        Ok(Box::new(Whole { log: log.clone(), replaces, bytes: Vec::new(), shared: Arc::clone(&self.0) }))
    }

    fn append(&mut self, log: &LogName, expected: Stat, bytes: &[u8], _durable: Durable) -> Result<Stat> {
        let mut state = self.state();
        let stamp = state.touch();
        let (stat, content) = state.expect(log, expected)?;
        content.extend_from_slice(bytes);
        *stat = Stat { len: content.len() as u64, stamp, ..*stat };
        Ok(*stat)
    }

    fn patch(&mut self, log: &LogName, expected: Stat, offset: u64, bytes: &[u8]) -> Result<Stat> {
        let mut state = self.state();
        let stamp = state.touch();
        let (stat, content) = state.expect(log, expected)?;
        let start = offset as usize;
        if let Some(place) = content.get_mut(start..start + bytes.len()) {
            place.copy_from_slice(bytes);
        }
        stat.stamp = stamp;
        Ok(*stat)
    }

    fn lock(&mut self, log: &LogName, wait: Wait) -> Result<Box<dyn Guard>> {
        let held = |state: &mut State| state.held.contains(log);
        let state = self.state();
        let mut state = match wait {
            Wait::No => state,
            Wait::Forever => self.0.freed.wait_while(state, held).unwrap_or_else(PoisonError::into_inner),
            Wait::AtMost(time) => {
                let waited = self.0.freed.wait_timeout_while(state, time, held);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        if held(&mut state) {
            return Err(StoreError::Held { path: log.path().into(), owner: Owner::default() });
        }
        state.held.push(log.clone());
        Ok(Box::new(MemoryGuard { log: log.clone(), shared: Arc::clone(&self.0) }))
    }
}
