//! The pages of `mdmem view`: what an export writes and keeps back.

mod export;
