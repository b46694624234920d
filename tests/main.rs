//! The one test binary.

mod golden;
