//! A small facade over git2; the git program in one file (process.rs).
