//! The conversions: from what follows a verb to what is asked, one function for each row of the table.
pub(super) mod check;
pub(super) mod plan;
pub(super) mod scripted;
pub(super) mod talk;
pub(super) mod team;
pub(super) mod work;
