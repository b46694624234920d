//! `mdmem mcp` as its clients see it: through the official client and the official inspector, and line by line where
//! a client does what the official ones do not.
//!
//! `npm ci --prefix tests/mcp` installs the clients.

mod clients;
mod driver;
mod ends;
mod hostile;
mod http;
pub(crate) mod raw;
mod workspaces;
