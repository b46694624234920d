//! The command line: arguments in, tables or JSON out.

/// Runs the program and returns its exit code: 0, 1 (failed) or 2 (usage).
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(2)
}
