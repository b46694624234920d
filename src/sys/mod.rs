//! What the machine gives: the clock, ids, the environment, files, locks, the scan of a folder.
//! Each has a real form and, where a test needs one, a fixed form.
