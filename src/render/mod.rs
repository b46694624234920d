//! Prompt and index: bytes from values. Every text comes from templates/.
