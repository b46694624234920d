//! The golden cases: measured on an independent implementation of the same rules.

mod memory;
