//! The folder: load, put, edit, move, remove; one writer; the registry of workspaces.
