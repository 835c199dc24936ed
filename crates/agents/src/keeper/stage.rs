//! The stage between the keeper and the program: the process that the keeper starts, and that becomes the program.
//!
//! It does to itself what may only be done between fork and exec: dies with the keeper, leads a session and a group of
//! its own, enters the sandbox, gives up every other descriptor. Its standard input is a socket to the keeper, on which come the program's real standard
//! input and the job, so that no argument list ever holds it; what it says back is closed by a successful exec, which is
//! how the keeper tells a program that failed from one that was never started.
//!
//! If the process dies here: no program was started, and the keeper is told by the closed socket.

use super::wire::{Frame, Kind, job_of};
use super::{Job, sandbox};
use rustix::io::{Errno, FdFlags};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use std::ffi::OsString;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode, Stdio};

/// The first descriptor that is not one of the three that a program expects.
const FIRST_OF_OTHERS: i32 = 3;

/// Hands the program's standard input to the stage, before the job.
pub(super) fn hand_over(socket: &UnixStream, input: BorrowedFd<'_>) -> std::io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut attached = SendAncillaryBuffer::new(&mut space);
    let handed = [input];
    attached.push(SendAncillaryMessage::ScmRights(&handed));
    rustix::net::sendmsg(socket, &[IoSlice::new(b"0")], &mut attached, SendFlags::empty())?;
    Ok(())
}

fn take_over(socket: &UnixStream) -> std::io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut attached = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    rustix::net::recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut attached, RecvFlags::empty())?;
    let handed = attached.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut handed) => handed.next(),
        _ => None,
    });
    let input = handed.ok_or_else(|| std::io::Error::other("no input was handed over"))?;
    rustix::io::fcntl_setfd(&input, FdFlags::CLOEXEC)?;
    Ok(input)
}

/// Becomes the program, or says why not. `keeper` is the keeper's number.
pub(super) fn become_program(keeper: Option<OsString>) -> ExitCode {
    if !dies_with(keeper) {
        return ExitCode::FAILURE;
    }
    // A copy of it is closed when the program takes this process over; the original makes room for the real input.
    let Ok(socket) = std::io::stdin().as_fd().try_clone_to_owned() else { return ExitCode::FAILURE };
    let mut socket = UnixStream::from(socket);
    let why = match start(&mut socket) {
        Ok(never) => match never {},
        Err(why) => why,
    };
    // Where nobody listens any more, nobody needs to be told.
    let _ = Frame::new(Kind::NotStarted, why).write_now(&mut socket);
    ExitCode::FAILURE
}

/// Has the kernel kill this process, and later the program, when the keeper dies. The keeper may be gone already; then
/// somebody else is the parent by now.
#[cfg(target_os = "linux")]
fn dies_with(keeper: Option<OsString>) -> bool {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    let asked = set_parent_process_death_signal(Some(Signal::KILL)).is_ok();
    let parent = getppid().map(|parent| parent.as_raw_nonzero().to_string());
    asked && parent.is_some() && parent.map(OsString::from) == keeper
}

#[cfg(not(target_os = "linux"))]
fn dies_with(_keeper: Option<OsString>) -> bool {
    true
}

/// What a start ends with if it does not fail: nothing, since the program has taken over.
enum Never {}

fn start(socket: &mut UnixStream) -> Result<Never, String> {
    let broken = |error: std::io::Error| format!("the keeper cannot be heard: {error}");
    let input = take_over(socket).map_err(broken)?;
    let job = Frame::read_now(socket).map_err(broken)?;
    let job = job_of(&job).ok_or("the keeper cannot be understood")?;
    if !job.folder.is_dir() {
        return Err(format!("there is no folder {} to run it in", job.folder.display()));
    }
    rustix::process::setsid().map_err(|error| format!("it cannot have a session of its own: {error}"))?;
    let words = sandbox::enter(&job);
    Frame::new(Kind::Sandboxed, words).write_now(socket).map_err(broken)?;
    // Whoever started forge may have left it descriptors, and so us; they are none of the program's business.
    close_fds::set_fds_cloexec(FIRST_OF_OTHERS, &[]);
    let error = Command::new(&job.program)
        .args(&job.arguments)
        .env_clear()
        .envs(job.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&job.folder)
        .stdin(Stdio::from(input))
        .exec();
    Err(why_not(&job, &error))
}

fn why_not(job: &Job, error: &std::io::Error) -> String {
    let program = job.program.display();
    match Errno::from_io_error(error) {
        Some(Errno::NOENT) if job.program.exists() => {
            format!("{program} cannot be started: what its first line names to run it with is missing")
        }
        Some(Errno::NOENT | Errno::NOTDIR) => format!("there is no program {program}"),
        Some(Errno::ACCESS | Errno::PERM) => format!("{program} may not be executed"),
        Some(Errno::NOEXEC) => format!("{program} is not a program that this system can run"),
        Some(Errno::TOOBIG) => format!("the arguments and environment of {program} are too long for this system"),
        _ => format!("{program} cannot be started: {error}"),
    }
}
