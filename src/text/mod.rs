//! Text, and how it becomes harmless: untrusted text, its sanitising, display width, cutting, wrapping, log rows,
//! quantities as they are printed and typed.
//!
//! Invariant: what comes from a model, a process, a file name or a message is [`Untrusted`] until one of its
//! methods renders it, and nothing rendered holds a control character other than the newlines it was asked to keep.
//!
//! This room knows no file, clock or terminal. What bytes are drawn or written with is left to others.

mod cells;
pub mod ci;
mod cut;
mod decode;
mod escape;
mod fold;
pub mod quantity;
mod quote;
mod redact;
mod row;
pub mod sanitise;
mod shell;
mod style;
mod untrusted;
mod width;
mod wrap;

pub use cells::MAX_ROW_BYTES;
pub use cut::{cut, cut_words, pad_left, pad_right};
pub use decode::Decoder;
pub use fold::{fold, nearest, same_name};
pub use quote::{Provenance, quote};
pub use redact::{MIN_SECRET_BYTES, Redactor};
pub use row::{Row, Rows, Span};
pub use shell::{ShellError, shell_word};
pub use style::{Colour, Style};
pub use untrusted::Untrusted;
pub use width::{TAB_STOP, width};
pub use wrap::wrap;
