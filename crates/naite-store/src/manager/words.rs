//! Entries with the calls that they answer: what the rows of a navigator are worded from.

use std::collections::HashMap;

use naite_core::entry::Entry;
use naite_core::outline::{Caller, caller};
use naite_core::{Ix, Tree};

use super::SessionManager;
use super::read::entry;
use crate::error::Result;

impl SessionManager {
    /// Hands over each entry, a tool result together with its call, in the order of the file and in little memory.
    pub fn each_entry(
        &mut self,
        entries: &[Ix],
        mut each: impl FnMut(&Tree, Ix, &Entry<'_>, Option<&Caller>),
    ) -> Result<()> {
        let mut wanted: HashMap<Ix, Vec<Ix>> = HashMap::new();
        for ix in entries {
            if let Some(caller) = caller(&self.tree, *ix) {
                wanted.entry(caller).or_default().push(*ix);
            }
        }
        let asked: std::collections::HashSet<Ix> = entries.iter().copied().collect();
        let mut all = entries.to_vec();
        all.extend(wanted.keys().filter(|ix| !asked.contains(ix)));
        let mut calls: HashMap<Ix, Caller> = HashMap::new();
        // A result that stands before its call, as only damaged files have it.
        let mut early = Vec::new();
        self.each_text(all, |tree, ix, text| {
            let body = entry(tree, ix, text);
            for result in wanted.get(&ix).into_iter().flatten() {
                let call = tree.heads().calls(*result).next().unwrap_or_default();
                calls.extend(Caller::find(&body, call).map(|call| (*result, call)));
            }
            if !asked.contains(&ix) {
                return;
            }
            match (caller(tree, ix), calls.remove(&ix)) {
                (Some(_), None) => early.push(ix),
                (_, call) => each(tree, ix, &body, call.as_ref()),
            }
        })?;
        self.each_text(early, |tree, ix, text| {
            let call = calls.remove(&ix);
            each(tree, ix, &entry(tree, ix, text), call.as_ref());
        })
    }
}
