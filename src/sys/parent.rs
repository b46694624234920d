//! The process that started this one, and its user.

/// The id of the parent process; another one takes its place when it is gone. `None` where it is in another container.
pub fn parent_process() -> Option<i32> {
    rustix::process::getppid().map(rustix::process::Pid::as_raw_pid)
}

/// The number of the user that this process works for.
pub fn user_id() -> u32 {
    rustix::process::getuid().as_raw()
}
