//! The parts of the screen. Each draws into the place that the layout gave it.
pub mod attention;
pub mod column;
pub mod dialog;
pub mod foot;
pub mod help;
pub mod hints;
pub mod log;
pub mod palette;
pub mod rail;
pub mod recovery;
pub mod ruler;
pub mod start;
pub mod status;
pub mod tabs;
