//! PURE: THE command table, and what is made from it: the parser of lines and scripts, the printer of canonical lines,
//! completion, help and the ranking of a palette.
//!
//! A command is one row of [`TABLE`] and one conversion, the function its row names. What a line asks for is an
//! [`Act`]; whether it may be asked, and what comes of it, is decided elsewhere.
pub mod act;
mod anchor;
mod complete;
mod error;
pub mod help;
mod key;
mod lex;
mod member;
mod parse;
mod print;
mod rank;
mod read;
mod reader;
mod replan;
mod table;
mod value;
mod verb;

pub use act::{Act, Check, Cmp, Goal, MemberAct, Parsed, Read, Wait, WaitOn};
pub use anchor::anchored;
pub use complete::{Candidate, Named, Names, complete, needs};
pub use error::ParseError;
pub use key::TEAM;
pub use lex::Span;
pub use parse::{ScriptLine, parse_line, parse_script, parse_words};
pub use print::print;
pub use rank::{Ranked, palette_text, rank};
pub use table::{TABLE, find};
pub use verb::{Form, Group, Key, Kind, May, Slot, Verb, Who};
