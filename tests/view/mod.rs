//! The pages of `mdmem view`: what each screen shows, in a browser too, what an export writes, and what the server does.

mod changes;
mod export;
pub(crate) mod screens;
mod server;
