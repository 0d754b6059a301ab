//! The tokio rim around the pure core: the single writer, handles to it, and what does its effects.
pub mod audit;
pub mod clock;
mod dispatch;
mod engine;
pub mod feed;
pub mod handle;
pub mod launch;
mod output;
pub mod owner;
pub mod remote;
pub mod render;
mod stored;
pub mod wire;

pub use audit::{AuditError, Looked, look_over};
pub use clock::Clock;
pub use feed::Facts;
pub use handle::{Attendance, Feed, Gone, Handle, Local};
pub use owner::{Begin, Owned, OwnerError};
pub use remote::{ConnectError, Remote};
pub use stored::{mend_unowned, read_facts, read_or_restore, read_run, restore_unowned};
