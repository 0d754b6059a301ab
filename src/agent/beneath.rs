//! Files beneath a folder.
