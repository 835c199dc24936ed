//! Forge's side of a keeper: starts one, gives it the job and the input, and hears what became of it.
//!
//! Promises: whatever is dropped here closes the keeper's input, upon which it ends everything; the keeper is never killed,
//! since only it can sweep, but for one that does not answer any more; every keeper is waited for, by a thread of its own
//! that no runtime can take down, and that ends by their mark the processes of a keeper that could not end them.
//!
//! If the process dies here: see the module above.

use super::watch::INPUT_LIMIT;
use super::wire::{Frame, Kind, PIECE, job_frame, report_of};
use super::{Ended, How, Job, KEEPER_ARGUMENT, Keeper, mark, stray};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How many keepers of this process have not ended.
static ALIVE: AtomicUsize = AtomicUsize::new(0);

/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_millis(5);

/// How much longer than its job's own limits a keeper may take to report, before it counts as lost.
const MARGIN: Duration = Duration::from_secs(60);

/// How long a keeper may take to end after its report, and what it could not end to be ended.
const LEAVING: Duration = Duration::from_secs(5);

/// Waits until no keeper of this process is left, for `limit` at the most, and says whether that is so. What is dropped
/// ends on its own; this is for a process that is about to end and wants nothing to run afterwards.
pub async fn all_ended(limit: Duration) -> bool {
    let waiting = async {
        while ALIVE.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(LOOK).await;
        }
    };
    timeout(limit, waiting).await.is_ok()
}

/// A keeper that runs.
struct Line {
    /// The job, which it has not been given yet.
    first: Frame,
    to: Sender,
    from: Receiver,
    leaving: Leaving,
}

/// How it is known that a keeper has gone.
struct Leaving {
    /// Comes when it has, with the names of what was left for us to end.
    left: oneshot::Receiver<Vec<String>>,
    /// Holds its number, where the kernel can do that.
    held: Option<OwnedFd>,
}

impl Keeper {
    /// Runs a program to its end: gives it `input` to read, then closes that. Dropped, it ends the program and everything
    /// that it has started.
    pub async fn run(&self, job: &Job, input: &[u8]) -> Ended {
        if input.len() > INPUT_LIMIT {
            clean(job);
            return without(How::NotStarted(format!("what it is to read is longer than {INPUT_LIMIT} bytes")));
        }
        let Line { first, mut to, mut from, leaving } = match self.open(job) {
            Ok(line) => line,
            Err(why) => {
                clean(job);
                return without(How::NotStarted(why));
            }
        };
        let telling = async {
            // Where the keeper does not listen it is lost, which hearing finds out; where it does, its input stays open.
            let _ = tell(&mut to, &first, input).await;
            std::future::pending::<()>().await;
        };
        let hearing = async {
            let mut stdout = Vec::new();
            hear(&mut from, Heard::Kept(&mut stdout)).await.map(|ended| Ended { stdout, ..ended })
        };
        let ended = tokio::select! {
            ended = hearing => ended,
            () = telling => None,
            () = tokio::time::sleep(patience(job)) => None,
        };
        drop(to);
        close(job, ended, leaving).await
    }

    /// Starts a program that is talked with. Its output counts against [`super::Limits::stdout_bytes`] all the same, and it
    /// may be silent for [`super::Limits::idle`] after what it was last given.
    pub fn converse(&self, job: &Job) -> Result<Conversation, String> {
        let opened = self.open(job);
        if opened.is_err() {
            clean(job);
        }
        let Line { first, to, mut from, leaving } = opened?;
        let (input, given) = duplex(PIECE);
        let (printed, output) = duplex(PIECE);
        let (finish, asked) = oneshot::channel();
        let giving = tokio::spawn(give(to, first, given, asked));
        let enough = Arc::new(Notify::new());
        let over = Arc::clone(&enough);
        let hearing =
            tokio::spawn(async move { hear(&mut from, Heard::PassedOn { to: Some(printed), until: over }).await });
        let ending = Ending { finish: Some(finish), enough, giving, hearing, leaving: Some(leaving), job: job.clone() };
        Ok(Conversation { input: Box::new(input), output: Box::new(output), ending })
    }

    fn open(&self, job: &Job) -> Result<Line, String> {
        let unable = |error: std::io::Error| format!("its keeper cannot be started: {error}");
        if !job.program.is_absolute() {
            return Err(format!("{} is not an absolute path", job.program.display()));
        }
        let mark = mark::of_another_call();
        let first = job_frame(&marked(job, mark.as_deref()))?;
        // It carries no mark itself: what ends a seat by its mark leaves the keepers of a forge in that seat to their work.
        let mut child = Command::new(&self.program)
            .arg0("forge")
            .arg(KEEPER_ARGUMENT)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(unable)?;
        ALIVE.fetch_add(1, Ordering::SeqCst);
        let pipes = (child.stdin.take().map(OwnedFd::from), child.stdout.take().map(OwnedFd::from));
        let held = held(child.id());
        let (gone, left) = oneshot::channel();
        let scratch = job.scratch.clone();
        let waiting = std::thread::Builder::new().name("keeper".to_owned()).spawn(move || {
            let has_swept = child.wait().is_ok_and(|status| status.success());
            let strays = mark.filter(|_| !has_swept).map(|mark| stray::end_call(&mark));
            // It may have been killed, or not even have heard of its job.
            scratch.filter(|_| !has_swept).into_iter().for_each(|folder| super::scratch::remove(&folder));
            ALIVE.fetch_sub(1, Ordering::SeqCst);
            let _ = gone.send(strays.unwrap_or_default());
        });
        if let Err(error) = waiting {
            // Nobody waits for it now; it ends by its closed input all the same.
            ALIVE.fetch_sub(1, Ordering::SeqCst);
            return Err(unable(error));
        }
        let (Some(to), Some(from)) = pipes else { return Err("its keeper has no pipes".to_owned()) };
        let to = Sender::from_owned_fd(to).map_err(unable)?;
        let from = Receiver::from_owned_fd(from).map_err(unable)?;
        Ok(Line { first, to, from, leaving: Leaving { left, held } })
    }
}

/// The job with this mark, whatever else its environment has under that name.
fn marked(job: &Job, mark: Option<&str>) -> Job {
    let mut job = job.clone();
    if let Some(mark) = mark {
        job.environment.retain(|(name, _)| name != OsStr::new(mark::VARIABLE));
        job.environment.push((mark::VARIABLE.into(), mark.into()));
    }
    job
}

/// Holds a child's number. It was not waited for yet.
#[cfg(target_os = "linux")]
fn held(child: u32) -> Option<OwnedFd> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    pidfd_open(Pid::from_raw(i32::try_from(child).ok()?)?, PidfdFlags::empty()).ok()
}

/// Elsewhere nothing is found by its mark, and so no keeper is killed.
#[cfg(not(target_os = "linux"))]
fn held(_child: u32) -> Option<OwnedFd> {
    None
}

#[cfg(target_os = "linux")]
fn kill(held: &OwnedFd) {
    let _ = rustix::process::pidfd_send_signal(held, rustix::process::Signal::KILL);
}

#[cfg(not(target_os = "linux"))]
fn kill(_held: &OwnedFd) {}

async fn tell(to: &mut Sender, first: &Frame, input: &[u8]) -> std::io::Result<()> {
    first.write(to).await?;
    for piece in input.chunks(PIECE) {
        Frame::new(Kind::Input, piece).write(to).await?;
    }
    Frame::new(Kind::CloseInput, []).write(to).await
}

/// What becomes of what a program prints.
enum Heard<'a> {
    Kept(&'a mut Vec<u8>),
    /// To whoever reads, for as long as somebody does, and until it is enough.
    PassedOn {
        to: Option<DuplexStream>,
        until: Arc<Notify>,
    },
}

/// Hears the keeper until its report.
async fn hear(from: &mut Receiver, mut stdout: Heard<'_>) -> Option<Ended> {
    let mut stderr = Vec::new();
    loop {
        let frame = Frame::read(from).await.ok()?;
        match (frame.kind, &mut stdout) {
            (Kind::Output, Heard::Kept(kept)) => kept.extend_from_slice(&frame.payload),
            (Kind::Output, Heard::PassedOn { to, until }) => {
                let Some(open) = to else { continue };
                let written = tokio::select! {
                    written = open.write_all(&frame.payload) => written.is_ok(),
                    () = until.notified() => false,
                };
                if !written {
                    *to = None;
                }
            }
            (Kind::Complaints, _) => stderr.extend_from_slice(&frame.payload),
            (Kind::Report, _) => return report_of(&frame, Vec::new(), stderr),
            _ => return None,
        }
    }
}

/// How long a keeper has at the most.
fn patience(job: &Job) -> Duration {
    job.limits.total.saturating_add(job.limits.grace.saturating_mul(2)).saturating_add(MARGIN)
}

async fn close(job: &Job, ended: Option<Ended>, leaving: Leaving) -> Ended {
    let Leaving { mut left, held } = leaving;
    let mut gone = timeout(LEAVING, &mut left).await.ok();
    let has_left = gone.is_some();
    if let (None, None, Some(held)) = (&gone, &ended, held) {
        // It is stuck, or stopped, and ends nothing any more; without it, what is below it is found by its mark.
        kill(&held);
        gone = timeout(LEAVING, left).await.ok();
    }
    let strays = gone.and_then(Result::ok).unwrap_or_default();
    let mut ended = ended.unwrap_or_else(|| {
        // It has not removed it, then. What may still run under it would only write into the void.
        clean(job);
        let why = if has_left { "the keeper ended without a report" } else { "the keeper does not answer" };
        without(How::Lost(why.to_owned()))
    });
    ended.left_behind.extend(strays);
    ended
}

fn clean(job: &Job) {
    if let Some(scratch) = &job.scratch {
        super::scratch::remove(scratch);
    }
}

fn without(how: How) -> Ended {
    Ended {
        how,
        stdout: Vec::new(),
        stderr: Vec::new(),
        sandbox: "none: nothing is known to have run".to_owned(),
        left_behind: Vec::new(),
        leaked_pipe: false,
    }
}

/// A program that is talked with while it runs. Dropped, or its `ending` dropped, it ends the program and everything that
/// it has started.
pub struct Conversation {
    /// What it reads. Closed by being shut down or dropped.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    /// What it prints.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// The way to end it; kept apart so that the other two can be given away.
    pub ending: Ending,
}

impl Conversation {
    /// Ends it: see [`Ending::end`].
    pub async fn end(self) -> Ended {
        let Self { input, output, ending } = self;
        drop((input, output));
        ending.end().await
    }
}

/// The way to end a [`Conversation`].
pub struct Ending {
    finish: Option<oneshot::Sender<()>>,
    /// Says that nobody needs to have read what was printed.
    enough: Arc<Notify>,
    giving: JoinHandle<()>,
    hearing: JoinHandle<Option<Ended>>,
    leaving: Option<Leaving>,
    job: Job,
}

impl Ending {
    /// Closes what the program reads, gives it the grace to end by itself, ends it if it does not (then it is
    /// [`How::OutOfTime`]), and says what became of it. What it still prints and nobody is reading is lost.
    pub async fn end(mut self) -> Ended {
        if let Some(finish) = self.finish.take() {
            let _ = finish.send(());
            self.enough.notify_one();
        }
        let grace = self.job.limits.grace.saturating_mul(2).saturating_add(MARGIN);
        let ended = timeout(grace, &mut self.hearing).await.ok().and_then(Result::ok).flatten();
        self.giving.abort();
        match self.leaving.take() {
            Some(leaving) => close(&self.job, ended, leaving).await,
            None => without(How::Lost("it was ended before".to_owned())),
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        // With them go both ends of the pipes.
        self.giving.abort();
        self.hearing.abort();
    }
}

/// Gives the keeper the job and what the program is to read, and then holds its input open until the conversation ends.
async fn give(mut to: Sender, first: Frame, mut given: DuplexStream, mut asked: oneshot::Receiver<()>) {
    if first.write(&mut to).await.is_err() {
        return;
    }
    let mut piece = vec![0; PIECE];
    let closed = loop {
        tokio::select! {
            biased;
            read = given.read(&mut piece) => match read {
                Ok(length @ 1..) => {
                    if Frame::new(Kind::Input, &piece[..length]).write(&mut to).await.is_err() {
                        return;
                    }
                }
                Ok(0) | Err(_) => break Kind::CloseInput,
            },
            _ = &mut asked => break Kind::Finish,
        }
    };
    if Frame::new(closed, []).write(&mut to).await.is_err() {
        return;
    }
    if closed == Kind::CloseInput && asked.await.is_ok() {
        let _ = Frame::new(Kind::Finish, []).write(&mut to).await;
    }
    std::future::pending::<()>().await;
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::{Hidden, Limits, Sandbox};
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[tokio::test]
    async fn a_keeper_that_does_not_answer_is_ended() -> std::io::Result<()> {
        let place = tempfile::tempdir()?;
        let program = place.path().join("stuck");
        std::fs::write(&program, "#!/bin/sh\necho $$ > \"${0%/*}/pid\"\nexec sleep 600\n")?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
        let limit = Duration::from_secs(1);
        let limits =
            Limits { first_byte: limit, idle: limit, total: limit, grace: limit, stdout_bytes: 1, stderr_bytes: 1 };
        let job = Job {
            program: "/bin/true".into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: place.path().to_owned(),
            writable: Vec::new(),
            hidden: Hidden::default(),
            sandbox: Sandbox::Off,
            scratch: None,
            limits,
        };
        let line = Keeper { program }.open(&job).map_err(std::io::Error::other)?;
        while std::fs::read_to_string(place.path().join("pid")).unwrap_or_default().trim().is_empty() {
            tokio::time::sleep(LOOK).await;
        }
        let pid = std::fs::read_to_string(place.path().join("pid"))?;
        let ended = close(&job, None, line.leaving).await;
        assert_eq!(ended.how, How::Lost("the keeper does not answer".to_owned()));
        assert!(!std::path::Path::new("/proc").join(pid.trim()).exists());
        Ok(())
    }
}
