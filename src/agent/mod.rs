//! Who can sit in a member's chair, and how their processes live and end.
pub mod guard;
pub mod process;
