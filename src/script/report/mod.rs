//! What a run that ended is told as: text, JUnit, GitHub. All of them, NDJSON and the exit code are views of one
//! [`RunView`](crate::domain::view::RunView).
pub mod github;
pub mod junit;
pub mod text;
