//! Bodies: fetched in few reads, in file order, only those that somebody asked for.

use std::path::Path;

use base64::Engine;
use naite_core::codec::current_text;
use naite_core::context::{self, Context, ContextMessage, Late, ModelMessage, Plan};
use naite_core::entry::{Entry, Kind};
use naite_core::text::json::ObjectWriter;
use naite_core::{Ix, Tree};

use super::SessionManager;
use crate::error::Result;

/// Two records no further apart than this are fetched with one read.
const GAP: u64 = 64 * 1024;
/// One read fetches no more than this, unless one record is longer.
const READ: u64 = 1024 * 1024;

impl SessionManager {
    /// The text of one entry, brought to version 3.
    pub fn text(&mut self, ix: Ix) -> Result<String> {
        let mut text = String::new();
        self.each_text(vec![ix], |_, _, body| text = body.into())?;
        Ok(text)
    }

    /// The texts of entries, in the order asked for.
    pub fn texts(&mut self, entries: &[Ix]) -> Result<Vec<String>> {
        let mut texts = vec![String::new(); entries.len()];
        let mut order: Vec<(Ix, usize)> = entries.iter().copied().zip(0..).collect();
        order.sort_unstable_by_key(|(ix, _)| self.tree.head(*ix).span.offset);
        let mut places = order.iter();
        self.each_text(order.iter().map(|(ix, _)| *ix).collect(), |_, _, body| {
            if let Some((_, place)) = places.next() {
                texts[*place] = body.into();
            }
        })?;
        Ok(texts)
    }

    /// Hands over the text of each entry in the order of the file: the way to go through a whole session in
    /// little memory.
    pub fn each_text(&mut self, mut entries: Vec<Ix>, mut each: impl FnMut(&Tree, Ix, &str)) -> Result<()> {
        entries.sort_by_key(|ix| self.tree.head(*ix).span.offset);
        if self.foreign().is_some() {
            return self.each_foreign_text(&entries, each);
        }
        let mut window = Vec::new();
        let mut rest = entries.as_slice();
        while let Some(first) = rest.first() {
            let start = self.tree.head(*first).span.offset;
            let mut end = self.tree.head(*first).span.end();
            let mut count = 1;
            for ix in &rest[1..] {
                let span = self.tree.head(*ix).span;
                if span.offset > end + GAP
                    || span.end() - start > READ
                    || (span.offset < self.base) != (start < self.base)
                {
                    break;
                }
                end = end.max(span.end());
                count += 1;
            }
            self.fetch(start, end, &mut window)?;
            for ix in &rest[..count] {
                let head = self.tree.head(*ix);
                let at = (head.span.offset - start) as usize;
                let bytes = window.get(at..at + head.span.len as usize).unwrap_or_default();
                if head.kind == Kind::Placeholder {
                    each(&self.tree, *ix, &placeholder(&self.tree, *ix));
                    continue;
                }
                let made = self.tree.heads().made(*ix, self.tree.parent(*ix));
                each(&self.tree, *ix, &current_text(bytes, made.as_ref()));
            }
            rest = &rest[count..];
        }
        Ok(())
    }

    /// Reads bytes of the log, of the durable part or of what still waits.
    pub(super) fn fetch(&mut self, start: u64, end: u64, window: &mut Vec<u8>) -> Result<()> {
        window.clear();
        window.resize((end - start) as usize, 0);
        if start >= self.base {
            let at = (start - self.base) as usize;
            let waiting = self.pending.get(at..).unwrap_or_default();
            let len = window.len().min(waiting.len());
            window[..len].copy_from_slice(&waiting[..len]);
            return Ok(());
        }
        let read = self.setup.store.read(&self.log, start, window)?;
        window.truncate(read);
        Ok(())
    }

    /// The context at a leaf: reads nothing but what it emits.
    pub fn build_session_context(&mut self, leaf: Option<Ix>) -> Result<Context> {
        let plan = context::plan(&self.tree, leaf);
        self.emit(&plan)
    }

    fn emit(&mut self, plan: &Plan) -> Result<Context> {
        let bodies = self.texts(&plan.reads().collect::<Vec<_>>())?;
        Ok(context::emit(&self.tree, plan, &bodies))
    }

    /// The messages that a model gets at a leaf, every tool call with its result.
    pub fn model_messages(&mut self, leaf: Option<Ix>) -> Result<Vec<ModelMessage>> {
        let plan = context::plan(&self.tree, leaf);
        let context = self.emit(&plan)?;
        let late = context::late_results(&self.tree, &plan);
        let bodies = self.texts(&late.iter().map(|late| late.result).collect::<Vec<_>>())?;
        let stored = |(late, body): (Late, String)| {
            let fields = naite_core::text::json::Object::parse(&body)?;
            let json = fields.raw("message")?.to_owned();
            Some((late.clone(), ContextMessage { entry: late.result, json }))
        };
        let late = late.into_iter().zip(bodies).filter_map(stored).collect();
        let folder = self.blobs.clone();
        Ok(context::to_model(&context, late, &|hash| blob(folder.as_deref()?, hash)))
    }

    /// Reads an entry and hands it over.
    pub fn with_entry<T>(&mut self, ix: Ix, read: impl FnOnce(&Entry<'_>) -> T) -> Result<T> {
        let text = self.text(ix)?;
        Ok(read(&entry(&self.tree, ix, &text)))
    }
}

/// Reads an image that lies beside the sessions of oh-my-pi, as base64.
fn blob(folder: &Path, hash: &str) -> Option<String> {
    std::fs::read(folder.join(hash)).ok().map(|bytes| base64::engine::general_purpose::STANDARD.encode(bytes))
}

/// An entry over its text.
pub(crate) fn entry<'a>(tree: &Tree, ix: Ix, text: &'a str) -> Entry<'a> {
    let heads = tree.heads();
    let parent = tree.parent(ix).map(|parent| heads.entry_id(parent));
    let head = tree.head(ix);
    naite_core::codec::entry(text, heads.entry_id(ix), parent, (head.kind, head.role, head.at))
}

/// What stands for a line that could not be read but has children.
fn placeholder(tree: &Tree, ix: Ix) -> String {
    ObjectWriter::new()
        .str("type", "placeholder")
        .str("id", tree.id(ix))
        .str_or_null("parentId", tree.parent(ix).map(|parent| tree.id(parent)))
        .end()
}
