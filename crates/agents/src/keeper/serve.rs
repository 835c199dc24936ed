//! The keeper's own process: from the job to the report.
//!
//! Promises: waits for several things at once and never for one alone while the program runs, so that no stuck pipe keeps
//! it from seeing a deadline or forge's end; reports only when everything below it has ended, or cannot be ended.
//!
//! Never: prints anything but frames; keeps anything in a file.
//!
//! If the process dies here: the kernel kills the program, and forge, which finds no report, ends what that has started in
//! turn by its mark; where forge is gone as well, its next run does.

use super::watch::{Watch, Why};
use super::wire::{Frame, Kind, PIECE, job_of, report_frame};
use super::{Ended, How, KEEPER_ARGUMENT, Keeper, stage};
use rustix::process::{Pid, getpid};
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Command, ExitCode, Stdio};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::mpsc;

/// The argument that asks for the stage instead of the keeper.
pub(super) const STAGE_ARGUMENT: &str = "exec";

/// How many things that have happened may wait to be looked at.
const EVENTS: usize = 64;

/// Something that happened.
#[derive(Debug)]
pub(super) enum Event {
    /// A frame came from forge.
    Asked(Frame),
    /// Forge is gone, or wants nothing any more.
    Gone,
    /// The program printed.
    Printed(Vec<u8>),
    /// The program complained.
    Complained(Vec<u8>),
    /// One of its two outputs is closed.
    Closed,
    /// The stage is over: the program runs, or does not.
    Staged(Vec<Frame>),
    /// The program has taken that many bytes of its input.
    Taken(usize),
}

/// Is the keeper until everything has ended.
pub(super) fn serve() -> ExitCode {
    // Whoever started us may be told to stop by its terminal; we decide for ourselves when.
    let _ = rustix::process::setsid();
    let _ = std::env::set_current_dir("/");
    // So that a listing of processes says what this is; elsewhere there is no such file.
    if cfg!(target_os = "linux") {
        let _ = std::fs::write("/proc/self/comm", super::NAME);
    }
    adopt_orphans();
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    let done = runtime.block_on(keep());
    runtime.shutdown_background();
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(target_os = "linux")]
fn adopt_orphans() {
    let _ = rustix::process::set_child_subreaper(Some(getpid()));
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() {}

async fn keep() -> std::io::Result<()> {
    let mut from_forge = Receiver::from_owned_fd(std::io::stdin().as_fd().try_clone_to_owned()?)?;
    let mut to_forge = Sender::from_owned_fd(std::io::stdout().as_fd().try_clone_to_owned()?)?;
    // Before anything is started: from here on, a signal ends everything, not only us.
    let signals = super::watch::Signals::listen()?;
    let first = Frame::read(&mut from_forge).await?;
    let job = job_of(&first).ok_or_else(|| std::io::Error::other("that is no job"))?;
    let (sender, events) = mpsc::channel(EVENTS);
    let ended = match start(first, &sender) {
        Ok(started) => {
            tokio::spawn(listen(from_forge, sender.clone()));
            // Bounded by what the program may print: see `Limits::stdout_bytes`.
            let (frames, waiting) = mpsc::unbounded_channel();
            let told = tokio::spawn(tell(to_forge, waiting));
            let mut watch = Watch::new(&job, started, events, signals, frames.clone());
            let why = watch.until_over().await;
            let ended = watch.end(why).await;
            clean(&job);
            for piece in ended.stderr.chunks(PIECE) {
                let _ = frames.send(Frame::new(Kind::Complaints, piece));
            }
            let _ = frames.send(report_frame(&ended));
            drop(frames);
            watch.until_told(told).await;
            return Ok(());
        }
        Err(why) => Ended {
            how: How::NotStarted(why),
            stdout: Vec::new(),
            stderr: Vec::new(),
            sandbox: "none: nothing was started".to_owned(),
            left_behind: Vec::new(),
            leaked_pipe: false,
        },
    };
    clean(&job);
    report_frame(&ended).write(&mut to_forge).await
}

fn clean(job: &super::Job) {
    if let Some(scratch) = &job.scratch {
        super::scratch::remove(scratch);
    }
}

/// A program that was started, or is about to be.
pub(super) struct Started {
    /// Its number, and that of its group.
    pub(super) leader: Pid,
    /// What it is to read.
    pub(super) input: mpsc::UnboundedSender<Vec<u8>>,
}

fn start(job: Frame, events: &mpsc::Sender<Event>) -> Result<Started, String> {
    let (leader, pipes) = spawn().map_err(|error| format!("the keeper cannot start anything: {error}"))?;
    let (input, waiting) = mpsc::unbounded_channel();
    tokio::spawn(feed(pipes.input, waiting, events.clone()));
    tokio::spawn(drain(pipes.stdout, Event::Printed, events.clone()));
    tokio::spawn(drain(pipes.stderr, Event::Complained, events.clone()));
    tokio::spawn(await_stage(pipes.stage, job, events.clone()));
    Ok(Started { leader, input })
}

struct Pipes {
    input: Sender,
    stdout: Receiver,
    stderr: Receiver,
    stage: tokio::net::UnixStream,
}

fn spawn() -> std::io::Result<(Pid, Pipes)> {
    let (stage, its_end) = std::os::unix::net::UnixStream::pair()?;
    let (its_input, input) = std::io::pipe()?;
    let missing = || std::io::Error::other("a pipe is missing");
    // Everything is made ready first: once the stage runs, nothing may fail that would leave it behind.
    stage::hand_over(&stage, its_input.as_fd())?;
    stage.set_nonblocking(true)?;
    let stage = tokio::net::UnixStream::from_std(stage)?;
    let input = Sender::from_owned_fd(input.into())?;
    let (stdout, its_stdout) = std::io::pipe()?;
    let (stderr, its_stderr) = std::io::pipe()?;
    let stdout = Receiver::from_owned_fd(stdout.into())?;
    let stderr = Receiver::from_owned_fd(stderr.into())?;
    let child = Command::new(Keeper::this_program()?.program)
        .args([KEEPER_ARGUMENT, STAGE_ARGUMENT, &getpid().as_raw_nonzero().to_string()])
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(its_end)))
        .stdout(Stdio::from(its_stdout))
        .stderr(Stdio::from(its_stderr))
        .spawn()?;
    let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(missing)?;
    Ok((leader, Pipes { input, stdout, stderr, stage }))
}

/// Passes on what forge says, until it says nothing any more.
async fn listen(mut from_forge: Receiver, events: mpsc::Sender<Event>) {
    while let Ok(frame) = Frame::read(&mut from_forge).await {
        if events.send(Event::Asked(frame)).await.is_err() {
            return;
        }
    }
    let _ = events.send(Event::Gone).await;
}

/// Sends what there is to say. Where forge does not listen, its end is noticed elsewhere.
async fn tell(mut to_forge: Sender, mut waiting: mpsc::UnboundedReceiver<Frame>) {
    while let Some(frame) = waiting.recv().await {
        if frame.write(&mut to_forge).await.is_err() {
            return;
        }
    }
}

/// Gives the program what it is to read, and closes its input after that. One that does not want it is its own affair.
async fn feed(input: Sender, mut waiting: mpsc::UnboundedReceiver<Vec<u8>>, events: mpsc::Sender<Event>) {
    let mut input = Some(input);
    while let Some(piece) = waiting.recv().await {
        if let Some(open) = &mut input
            && open.write_all(&piece).await.is_err()
        {
            input = None;
        }
        if events.send(Event::Taken(piece.len())).await.is_err() {
            return;
        }
    }
}

async fn drain(mut output: Receiver, event: fn(Vec<u8>) -> Event, events: mpsc::Sender<Event>) {
    let mut piece = vec![0; PIECE];
    while let Ok(length @ 1..) = output.read(&mut piece).await {
        if events.send(event(piece[..length].to_vec())).await.is_err() {
            return;
        }
    }
    let _ = events.send(Event::Closed).await;
}

/// Sends the job to the stage and hears what it says, which ends when the program takes over.
async fn await_stage(mut stage: tokio::net::UnixStream, job: Frame, events: mpsc::Sender<Event>) {
    let mut said = Vec::new();
    let _ = job.write(&mut stage).await;
    while let Ok(frame) = Frame::read(&mut stage).await {
        said.push(frame);
    }
    let _ = events.send(Event::Staged(said)).await;
}

/// Whether the program was ended by us, and so how it ended is ours to say.
pub(super) fn ended_by_us(why: &Why) -> Option<How> {
    Some(match why {
        Why::Itself => return None,
        Why::NeverSpoke => How::NeverSpoke,
        Why::FellSilent => How::FellSilent,
        Why::OutOfTime => How::OutOfTime,
        Why::Flooded => How::Flooded,
        Why::NotStarted(why) => How::NotStarted(why.clone()),
        Why::Unread => How::Lost("it does not read what it is given".to_owned()),
        Why::Unwanted => How::Lost("forge does not want it any more".to_owned()),
        Why::Told => How::Lost("the keeper was told by a signal to end".to_owned()),
    })
}
