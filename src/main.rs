//! Parse, run, exit code: everything else is library code that a test can call.

fn main() -> std::process::ExitCode {
    mdmem::host::main()
}
