//! The methods (`session-tree.md` §6), each a few lines over the session.

use std::borrow::Cow;
use std::io::Write;

use naite_core::codec::{CompactionDraft, CustomMessageDraft, Draft};
use naite_core::navigate::Plan;
use naite_core::outline::Outline;
use naite_core::text::json::{self, Object, ObjectWriter};
use naite_core::{EntryId, Ix};
use naite_store::{Left, LogName, Moved, Navigated};

use super::{RpcError, Server};

type Reply = Result<String, RpcError>;

impl<W: Write> Server<W> {
    pub(super) fn call(&mut self, method: &str, params: &Object<'_>) -> Reply {
        if let Some(reply) = self.look(method, params) {
            return reply;
        }
        match method {
            "newSession" => self.new_session(params),
            "setSessionFile" => self.set_session_file(params),
            "branch" => {
                self.session.branch(&text(params, "entryId")?)?;
                Ok(self.leaf_reply())
            }
            "resetLeaf" => {
                self.session.reset_leaf();
                Ok(self.leaf_reply())
            }
            "branchWithSummary" => self.branch_with_summary(params),
            "createBranchedSession" => {
                let leaf = self.session.find(&text(params, "leafId")?)?;
                self.session.create_branched_session(leaf)?;
                Ok(self.switched())
            }
            "fork" => self.fork(params),
            "branchSession" => self.branch_session(params),
            "navigateTree" => self.navigate_tree(params),
            // No summary is ever being made between two requests without a model.
            "abortBranchSummary" => Ok(ObjectWriter::new().display("aborted", false).end()),
            "undo" | "redo" => {
                let done = if method == "undo" { self.session.undo()? } else { self.session.redo()? };
                Ok(ObjectWriter::new()
                    .str("record", done.record.as_str())
                    .raw("leafId", &self.leaf_json())
                    .end())
            }
            "subscribe" => self.subscribe(params),
            _ => self.append(method, params),
        }
    }

    /// Methods that only look.
    fn look(&mut self, method: &str, params: &Object<'_>) -> Option<Reply> {
        Some(match method {
            "getHeader" => {
                let raw = self.session.header().map_or("null", |header| header.raw.as_str());
                Ok(ObjectWriter::new().raw("header", raw).end())
            }
            "getEntries" => {
                let all: Vec<Ix> = self.session.tree().entries().collect();
                self.entries(&all)
            }
            "getLeafId" => Ok(self.leaf_reply()),
            "getSessionName" => {
                Ok(ObjectWriter::new().str_or_null("name", self.session.session_name()).end())
            }
            "getEntry" => self.entry(params, "id").and_then(|ix| {
                let entry = self.session.text(ix)?;
                Ok(ObjectWriter::new().raw("entry", &entry).end())
            }),
            "getLabel" => self
                .entry(params, "id")
                .map(|ix| ObjectWriter::new().str_or_null("label", self.session.tree().label(ix)).end()),
            "getBranch" => self.leaf_param(params, "fromId").and_then(|from| {
                let path = self.session.tree().path(from);
                self.entries(&path)
            }),
            "getChildren" => match params.present("parentId") {
                None => {
                    let roots = self.session.tree().roots().to_vec();
                    self.entries(&roots)
                }
                Some(_) => self.entry(params, "parentId").and_then(|ix| {
                    let children: Vec<Ix> = self.session.tree().children(ix).collect();
                    self.entries(&children)
                }),
            },
            "getTree" => self.tree(),
            "buildSessionContext" => self
                .leaf_param(params, "leafId")
                .and_then(|leaf| Ok(self.session.build_session_context(leaf)?.to_json())),
            "listSessions" => self.list(params),
            _ => return None,
        })
    }

    fn append(&mut self, method: &str, params: &Object<'_>) -> Reply {
        let id = match method {
            "appendMessage" => {
                let message = params
                    .raw("message")
                    .filter(|raw| Object::parse(raw).is_some_and(|m| m.str("role").is_some()));
                self.session.append_message(
                    message.ok_or_else(|| RpcError::params("message must be an object with a role"))?,
                )?
            }
            "appendModelChange" => {
                let (provider, model_id) = (text(params, "provider")?, text(params, "modelId")?);
                self.session.append(&Draft::ModelChange { provider: &provider, model_id: &model_id })?
            }
            "appendThinkingLevelChange" => {
                self.session.append(&Draft::ThinkingLevel(&text(params, "level")?))?
            }
            "appendCompaction" => {
                let (summary, first_kept) = (text(params, "summary")?, text(params, "firstKeptEntryId")?);
                self.session.find(&first_kept)?;
                self.session.append(&Draft::Compaction(CompactionDraft {
                    summary: &summary,
                    first_kept: &first_kept,
                    tokens_before: params
                        .u64("tokensBefore")
                        .ok_or_else(|| RpcError::params("tokensBefore must be a number"))?,
                    details: params.present("details"),
                    from_extension: params.bool("fromExtension"),
                }))?
            }
            "appendCustomEntry" => {
                let custom_type = text(params, "customType")?;
                if custom_type == "naite.move" {
                    return Err(RpcError::params("customType naite.move is kept for moves of the leaf"));
                }
                self.session.append(&Draft::Custom { custom_type: &custom_type, data: params.raw("data") })?
            }
            "appendCustomMessageEntry" => {
                let custom_type = text(params, "customType")?;
                let content = params.raw("content").filter(|raw| raw.starts_with(['"', '[']));
                self.session.append(&Draft::CustomMessage(CustomMessageDraft {
                    custom_type: &custom_type,
                    content: content
                        .ok_or_else(|| RpcError::params("content must be text or a list of blocks"))?,
                    display: params.bool("display").unwrap_or(true),
                    details: params.present("details"),
                }))?
            }
            "appendLabelChange" => {
                let target = text(params, "targetId")?;
                maybe_text(params, "label")?;
                self.session.append_label_change(&target, params.str("label").as_deref())?
            }
            "appendSessionInfo" => self.session.append_session_info(&text(params, "name")?)?,
            _ => return Err(RpcError::method(method)),
        };
        Ok(self.appended(&id))
    }

    fn appended(&self, id: &EntryId) -> String {
        ObjectWriter::new().str("entryId", id.as_str()).raw("leafId", &self.leaf_json()).end()
    }

    fn leaf_json(&self) -> String {
        self.session.leaf_id().map_or_else(|| "null".into(), |id| json::quote(id.as_str()))
    }

    fn leaf_reply(&self) -> String {
        ObjectWriter::new().raw("leafId", &self.leaf_json()).end()
    }

    fn switched(&self) -> String {
        self.session_reply().raw("leafId", &self.leaf_json()).end()
    }

    fn session_reply(&self) -> ObjectWriter {
        let path = self.session.path().map(|path| path.to_string_lossy());
        ObjectWriter::new().str_or_null("path", path.as_deref()).str("sessionId", self.session.session_id())
    }

    fn entry(&self, params: &Object<'_>, key: &str) -> Result<Ix, RpcError> {
        Ok(self.session.find(&text(params, key)?)?)
    }

    /// A leaf that may be left out (the current one) or null (the state before the first entry).
    fn leaf_param(&self, params: &Object<'_>, key: &str) -> Result<Option<Ix>, RpcError> {
        match params.raw(key) {
            None => Ok(self.session.leaf()),
            Some("null") => Ok(None),
            Some(_) => self.entry(params, key).map(Some),
        }
    }

    fn entries(&mut self, entries: &[Ix]) -> Reply {
        let texts = self.session.texts(entries)?;
        Ok(ObjectWriter::new().raw("entries", &json::join(texts)).end())
    }

    fn tree(&mut self) -> Reply {
        let order: Vec<Ix> = {
            let tree = self.session.tree();
            Outline::new(tree, None, |_| true).rows().iter().map(|row| row.ix).collect()
        };
        let texts = self.session.texts(&order)?;
        let tree = self.session.tree();
        let ids =
            |entries: &mut dyn Iterator<Item = Ix>| json::join(entries.map(|ix| json::quote(tree.id(ix))));
        let nodes = order.iter().zip(texts).map(|(ix, entry)| {
            ObjectWriter::new()
                .str("id", tree.id(*ix))
                .str_or_null("parent", tree.parent(*ix).map(|parent| tree.id(parent)))
                .raw("children", &ids(&mut tree.children(*ix)))
                .maybe_str("label", tree.label(*ix))
                .raw("entry", &entry)
                .end()
        });
        let roots = ids(&mut tree.roots().iter().copied());
        Ok(ObjectWriter::new().raw("roots", &roots).raw("nodes", &json::join(nodes)).end())
    }

    fn new_session(&mut self, params: &Object<'_>) -> Reply {
        if !self.ask("session_before_switch", ObjectWriter::new().str("reason", "new").end())? {
            return Ok(ObjectWriter::new().display("cancelled", true).end());
        }
        maybe_text(params, "parentSession")?;
        let previous = self.file_json();
        self.session.new_session(params.str("parentSession").as_deref())?;
        self.session.create_at_once();
        self.told_switch("new", &previous)?;
        Ok(self.opened())
    }

    fn set_session_file(&mut self, params: &Object<'_>) -> Reply {
        let path = text(params, "path")?;
        if path.is_empty() {
            return Err(RpcError::params("path must not be empty"));
        }
        if !self.ask(
            "session_before_switch",
            ObjectWriter::new().str("reason", "resume").str("targetSessionFile", &path).end(),
        )? {
            return Ok(ObjectWriter::new().display("cancelled", true).end());
        }
        let previous = self.file_json();
        self.session.set_session_file(LogName::new(path.as_ref()))?;
        self.told_switch("resume", &previous)?;
        Ok(self.opened())
    }

    fn fork(&mut self, params: &Object<'_>) -> Reply {
        if !self.ask("session_before_switch", ObjectWriter::new().str("reason", "fork").end())? {
            return Ok(self
                .session_reply()
                .display("cancelled", true)
                .raw("leafId", &self.leaf_json())
                .end());
        }
        let previous = self.file_json();
        self.session.fork(params.str("cwd").as_deref())?;
        self.told_switch("fork", &previous)?;
        Ok(self.switched())
    }

    /// Tells that another session is open now.
    fn told_switch(&mut self, reason: &str, previous: &str) -> Result<(), RpcError> {
        let params = ObjectWriter::new().str("reason", reason).raw("previousSessionFile", previous).end();
        self.told("session_switch", params)?;
        self.told_start(reason, previous)
    }

    fn told_start(&mut self, reason: &str, previous: &str) -> Result<(), RpcError> {
        self.starting(reason, Some(previous)).map_err(|error| RpcError::params(error.to_string()))
    }

    fn opened(&self) -> String {
        let path = self.session.path().map(|path| path.to_string_lossy());
        ObjectWriter::new()
            .str("sessionId", self.session.session_id())
            .maybe_str("path", path.as_deref())
            .end()
    }

    fn file_json(&self) -> String {
        self.session.path().map_or_else(|| "null".into(), |path| json::quote(&path.to_string_lossy()))
    }

    fn branch_with_summary(&mut self, params: &Object<'_>) -> Reply {
        let from = match params.raw("branchFromId") {
            None | Some("null") => None,
            Some(_) => Some(text(params, "branchFromId")?),
        };
        let left = Left {
            summary: &text(params, "summary")?,
            details: params.present("details"),
            from_extension: params.bool("fromExtension"),
        };
        let id = self.session.branch_with_summary(from.as_deref(), &left)?;
        Ok(self.appended(&id))
    }

    fn branch_session(&mut self, params: &Object<'_>) -> Reply {
        let entry = text(params, "entryId")?;
        let ix = self.session.find(&entry)?;
        if !self.ask("session_before_branch", ObjectWriter::new().str("entryId", &entry).end())? {
            return Ok(self
                .session_reply()
                .display("cancelled", true)
                .raw("leafId", &self.leaf_json())
                .end());
        }
        let previous = self.file_json();
        let editor_text = self.session.branch_session(ix)?;
        self.session.create_at_once();
        self.told("session_branch", ObjectWriter::new().raw("previousSessionFile", &previous).end())?;
        self.told_start("fork", &previous)?;
        Ok(self
            .session_reply()
            .display("cancelled", false)
            .raw("leafId", &self.leaf_json())
            .str("editorText", &editor_text)
            .end())
    }

    fn navigate_tree(&mut self, params: &Object<'_>) -> Reply {
        let target = self.entry(params, "targetId")?;
        let summarize = params.bool("summarize") == Some(true);
        let Plan::Move(plan) = self.session.plan_navigation(target) else {
            return Ok(self.navigated(false, &Navigated::AlreadyThere));
        };
        if summarize {
            return Err(RpcError::no_model());
        }
        let preparation = {
            let tree = self.session.tree();
            let id = |ix: Option<Ix>| ix.map(|ix| tree.id(ix).to_owned());
            let (old, common) = (id(plan.old_leaf), id(plan.common_ancestor));
            ObjectWriter::new()
                .str("targetId", tree.id(target))
                .str_or_null("oldLeafId", old.as_deref())
                .str_or_null("commonAncestorId", common.as_deref())
                .display("userWantsSummary", summarize)
        };
        let abandoned = self.session.texts(&plan.abandoned)?;
        let preparation = preparation.raw("entriesToSummarize", &json::join(abandoned)).end();
        if !self.ask("session_before_tree", preparation)? {
            return Ok(self.navigated(true, &Navigated::AlreadyThere));
        }
        let navigated = self.session.navigate(target, None)?;
        if let Navigated::Moved(moved) = &navigated {
            let id = |id: &Option<EntryId>| id.as_ref().map(|id| id.as_str().to_owned());
            let (new, old) = (id(&moved.new_leaf), id(&moved.old_leaf));
            let told = ObjectWriter::new()
                .str_or_null("newLeafId", new.as_deref())
                .str_or_null("oldLeafId", old.as_deref());
            self.told("session_tree", told.end())?;
        }
        Ok(self.navigated(false, &navigated))
    }

    fn navigated(&self, cancelled: bool, navigated: &Navigated) -> String {
        let mut reply = ObjectWriter::new().display("cancelled", cancelled);
        match navigated {
            Navigated::AlreadyThere if !cancelled => reply = reply.display("alreadyThere", true),
            Navigated::AlreadyThere => {}
            Navigated::Moved(Moved { editor_text, editor_images, .. }) => {
                reply = reply.maybe_str("editorText", editor_text.as_deref());
                if !editor_images.is_empty() {
                    reply = reply.raw("editorImages", &json::join(editor_images));
                }
            }
        }
        reply.raw("leafId", &self.leaf_json()).end()
    }

    fn list(&mut self, params: &Object<'_>) -> Reply {
        let all = params.bool("all") == Some(true);
        let catalog = (self.list)(all);
        Ok(crate::rpc::catalog_json(&catalog))
    }

    fn ask(&mut self, event: &str, params: String) -> Result<bool, RpcError> {
        self.may(event, params).map_err(|error| RpcError::params(error.to_string()))
    }

    fn told(&mut self, event: &str, params: String) -> Result<(), RpcError> {
        self.tell(event, params).map_err(|error| RpcError::params(error.to_string()))
    }
}

fn text<'a>(params: &Object<'a>, key: &str) -> Result<Cow<'a, str>, RpcError> {
    params.str(key).ok_or_else(|| RpcError::params(format!("{key} must be a string")))
}

/// Refuses a value of another type where a string may be left out.
fn maybe_text(params: &Object<'_>, key: &str) -> Result<(), RpcError> {
    match params.present(key) {
        Some(raw) if json::string(raw).is_none() => Err(RpcError::params(format!("{key} must be a string"))),
        _ => Ok(()),
    }
}
