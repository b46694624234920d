//! The pages of `mdmem view`: what each screen shows, in a browser too, and what an export writes.

mod export;
mod screens;
