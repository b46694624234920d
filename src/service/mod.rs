//! One function per use case, with its request and its response; every host calls these.
