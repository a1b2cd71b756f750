//! Bytes to records and back: decoding never fails, encoding never rewrites what it was not asked to.

mod decode;
mod defect;
mod encode;
mod fast;
mod migrate;
mod odd;
mod skim;
mod slot;

pub use decode::{Decoded, Facts, MoveOp, Record, answered_call, current_text, decode, entry, read_record};
pub use defect::{Defect, DefectKind};
pub use encode::{
    CompactionDraft, CustomMessageDraft, Draft, MoveDraft, SummaryDraft, header, line, line_in, set_cwd,
    set_parent, set_timestamp, set_title,
};
pub use migrate::{Made, generated_id, migrate};
pub(crate) use odd::records_of_damaged_line;
pub use odd::{Found, Odd};
pub use slot::TitleSlot;
