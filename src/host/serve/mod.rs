//! JSON lines over stdio, for the OpenCode plugin.
