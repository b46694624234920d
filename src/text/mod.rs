//! Canonical text, tokens, slugs and hashing: what a string means, whoever typed it.
