//! The owner's sockets: the same commands, from other processes of the same user.
//!
//! Two sockets: one for clients, who speak as the person; one for members, who must show the token of their attempt.
mod listen;
mod place;
mod serve;

pub use listen::{Attached, Listening, listen};
pub use place::{Sockets, sockets};
pub use serve::{Served, serve};
