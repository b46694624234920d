//! File system events in, Changed(paths) or Rescan out; nothing else leaves this module.
