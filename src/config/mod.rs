//! Settings: default < user < store < environment < flags; each value knows where it came from.
