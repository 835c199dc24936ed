//! Watching one program: what it prints, which deadline is next, when it is over, and how it is ended.
//!
//! Promises: every wait has an end; what is kept of either output has a limit; the program's number is not given free
//! before its group has been killed.

use super::serve::{Event, Started, ended_by_us};
use super::sweep::{self, Left};
use super::wire::{Frame, Kind};
use super::{Ended, How, Job, Limits};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use std::time::Duration;
use tokio::signal::unix::{Signal as Listener, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// The most bytes that may wait for the program to read them.
pub(super) const INPUT_LIMIT: usize = 64 << 20;

/// How long what a program has started may take to end after it, before it counts as left behind.
const SETTLE: Duration = Duration::from_millis(500);

/// How long what was killed may take to be gone, and its outputs to be closed.
const KILLED: Duration = Duration::from_secs(5);

/// How often it is looked whether something is gone.
const LOOK: Duration = Duration::from_millis(10);

/// How often ended orphans are taken out of the table while the program runs.
const REAP: Duration = Duration::from_secs(5);

/// The longest that a deadline can be away.
const FAR: Duration = Duration::from_secs(10 * 365 * 86_400);

/// The most names of what was left behind that are told.
const NAMES: usize = 32;

/// The signals that a keeper listens to.
pub(super) struct Signals {
    child: Listener,
    terminate: Listener,
    interrupt: Listener,
    hangup: Listener,
}

impl Signals {
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            child: signal(SignalKind::child())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }
}

/// Why it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Why {
    /// The program ended by itself.
    Itself,
    /// It never printed anything.
    NeverSpoke,
    /// It printed nothing for too long.
    FellSilent,
    /// It took too long in all, or to end when it was asked to.
    OutOfTime,
    /// It printed too much.
    Flooded,
    /// It was never started.
    NotStarted(String),
    /// It leaves too much unread.
    Unread,
    /// Forge is gone, or has dropped it.
    Unwanted,
    /// The keeper was told to end.
    Told,
}

/// How the program itself ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Exited(i32),
    Signalled(i32),
    /// It cannot be told: somebody else has waited for it.
    Unknown,
}

/// All that is known of a program.
pub(super) struct Watch {
    leader: Pid,
    limits: Limits,
    events: mpsc::Receiver<Event>,
    signals: Signals,
    frames: mpsc::UnboundedSender<Frame>,
    input: Option<mpsc::UnboundedSender<Vec<u8>>>,
    unread: usize,
    printed: usize,
    complaints: Vec<u8>,
    outputs_open: usize,
    spoke: bool,
    began: Instant,
    last_sign: Instant,
    finish_by: Option<Instant>,
    reap_at: Instant,
    staged: bool,
    sandbox: Option<String>,
    status: Option<Status>,
    over: Option<Why>,
    gone: bool,
}

impl Watch {
    pub(super) fn new(
        job: &Job,
        started: Started,
        events: mpsc::Receiver<Event>,
        signals: Signals,
        frames: mpsc::UnboundedSender<Frame>,
    ) -> Self {
        let now = Instant::now();
        Self {
            leader: started.leader,
            limits: job.limits,
            events,
            signals,
            frames,
            input: Some(started.input),
            unread: 0,
            printed: 0,
            complaints: Vec::new(),
            outputs_open: 2,
            spoke: false,
            began: now,
            last_sign: now,
            finish_by: None,
            reap_at: after(now, REAP),
            staged: false,
            sandbox: None,
            status: None,
            over: None,
            gone: false,
        }
    }

    /// Watches until it is over, and says why.
    pub(super) async fn until_over(&mut self) -> Why {
        self.look();
        loop {
            if let Some(why) = self.over.take() {
                return why;
            }
            // What the stage had to say comes before what became of it.
            if self.status.is_some() && self.staged {
                return Why::Itself;
            }
            let (deadline, why) = self.deadline();
            if Instant::now() >= deadline {
                return why;
            }
            self.step(deadline).await;
        }
    }

    fn deadline(&self) -> (Instant, Why) {
        let silence = if self.spoke {
            (after(self.last_sign, self.limits.idle), Why::FellSilent)
        } else {
            (after(self.last_sign, self.limits.first_byte), Why::NeverSpoke)
        };
        let total = (after(self.began, self.limits.total), Why::OutOfTime);
        let finish = self.finish_by.map(|by| (by, Why::OutOfTime));
        let first = if silence.0 < total.0 { silence } else { total };
        finish.filter(|finish| finish.0 < first.0).unwrap_or(first)
    }

    /// Waits for one thing, until `until` at the latest.
    async fn step(&mut self, until: Instant) {
        let until = until.min(self.reap_at);
        tokio::select! {
            biased;
            _ = self.signals.child.recv() => self.look(),
            _ = self.signals.terminate.recv() => self.say(Why::Told),
            _ = self.signals.interrupt.recv() => self.say(Why::Told),
            _ = self.signals.hangup.recv() => self.say(Why::Told),
            event = self.events.recv() => if let Some(event) = event { self.take(event) },
            () = sleep_until(until) => {}
        }
        let now = Instant::now();
        if now >= self.reap_at {
            self.reap_at = after(now, REAP);
            sweep::reap_orphans(self.leader);
        }
    }

    /// Notes that it is over, unless that was noted before.
    fn say(&mut self, why: Why) {
        self.over.get_or_insert(why);
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Asked(frame) => self.asked(frame),
            Event::Gone => {
                self.gone = true;
                self.say(Why::Unwanted);
            }
            Event::Printed(bytes) => {
                self.heard();
                let room = self.limits.stdout_bytes.saturating_sub(self.printed).min(bytes.len());
                self.printed += room;
                if room > 0 {
                    let _ = self.frames.send(Frame::new(Kind::Output, &bytes[..room]));
                }
                if room < bytes.len() {
                    self.say(Why::Flooded);
                }
            }
            Event::Complained(bytes) => {
                self.heard();
                let room = self.limits.stderr_bytes.saturating_sub(self.complaints.len()).min(bytes.len());
                self.complaints.extend_from_slice(&bytes[..room]);
            }
            Event::Closed => self.outputs_open = self.outputs_open.saturating_sub(1),
            Event::Staged(said) => self.stage_over(said),
            Event::Taken(length) => self.unread = self.unread.saturating_sub(length),
        }
    }

    fn heard(&mut self) {
        self.spoke = true;
        self.last_sign = Instant::now();
    }

    fn asked(&mut self, frame: Frame) {
        match frame.kind {
            Kind::Input => {
                // Whoever is given something has from then on to answer.
                self.last_sign = Instant::now();
                self.unread += frame.payload.len();
                if self.unread > INPUT_LIMIT {
                    self.say(Why::Unread);
                } else if let Some(input) = &self.input {
                    let _ = input.send(frame.payload);
                }
            }
            Kind::CloseInput => self.input = None,
            Kind::Finish => {
                self.input = None;
                self.finish_by.get_or_insert(after(Instant::now(), self.limits.grace));
            }
            // Nothing else is ever sent this way.
            _ => {}
        }
    }

    fn stage_over(&mut self, said: Vec<Frame>) {
        self.staged = true;
        let mut reason = None;
        for frame in said {
            let words = String::from_utf8_lossy(&frame.payload).into_owned();
            match frame.kind {
                Kind::Sandboxed => self.sandbox = Some(words),
                Kind::NotStarted => reason = Some(words),
                _ => {}
            }
        }
        match reason {
            Some(reason) => self.say(Why::NotStarted(reason)),
            None if self.sandbox.is_none() => {
                self.say(Why::NotStarted("the stage before it ended without a word".to_owned()));
            }
            None => {}
        }
    }

    /// Looks whether the program has ended. It is not reaped: until then its number, and so its group's, is its own.
    fn look(&mut self) {
        if self.status.is_some() {
            return;
        }
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        self.status = match waitid(WaitId::Pid(self.leader), look) {
            Ok(Some(ended)) => Some(match (ended.exit_status(), ended.terminating_signal()) {
                (Some(code), _) => Status::Exited(code),
                (None, Some(signal)) => Status::Signalled(signal),
                (None, None) => Status::Unknown,
            }),
            Ok(None) | Err(rustix::io::Errno::INTR) => None,
            Err(_) => Some(Status::Unknown),
        };
    }

    async fn until_ended(&mut self, limit: Duration) {
        let until = after(Instant::now(), limit);
        while self.status.is_none() && Instant::now() < until {
            self.step(until).await;
            self.look();
        }
    }

    /// Ends the program, where it has not ended, and everything that it has started.
    pub(super) async fn end(&mut self, why: Why) -> Ended {
        self.input = None;
        if self.status.is_none() && !matches!(why, Why::NotStarted(_)) {
            sweep::signal_group(self.leader, Signal::TERM);
            self.until_ended(self.limits.grace).await;
        }
        if self.status.is_none() {
            sweep::signal_group(self.leader, Signal::KILL);
            self.until_ended(KILLED).await;
        }
        let (left_behind, leaked_pipe) = self.settle().await;
        self.sweep().await;
        // A flood is one also where it is only found out while the rest is read.
        let how = match (ended_by_us(&why), self.over.take()) {
            (Some(how), _) => how,
            (None, Some(Why::Flooded)) => How::Flooded,
            (None, _) => match self.status {
                Some(Status::Exited(code)) => How::Exited(code),
                Some(Status::Signalled(signal)) => How::Signalled(signal),
                Some(Status::Unknown) | None => How::Lost("how it ended cannot be told".to_owned()),
            },
        };
        Ended {
            how,
            stdout: Vec::new(),
            stderr: std::mem::take(&mut self.complaints),
            sandbox: self.sandbox.take().unwrap_or_else(|| "none: nothing was started".to_owned()),
            left_behind,
            leaked_pipe,
        }
    }

    /// Gives what the program has started a moment to end as well. Says what did not, and whether it holds an output open.
    async fn settle(&mut self) -> (Vec<String>, bool) {
        let until = after(Instant::now(), SETTLE);
        loop {
            let left = sweep::descendants(self.leader);
            let now = Instant::now();
            if (left.is_empty() && self.outputs_open == 0) || now >= until {
                // Where what is left cannot be listed, an open output is all there is to tell by.
                let leaked = self.outputs_open > 0 && (!left.is_empty() || !cfg!(target_os = "linux"));
                let mut names: Vec<String> = left.into_iter().map(|process| process.name).take(NAMES).collect();
                names.sort();
                return (names, leaked);
            }
            self.step(until.min(now + LOOK)).await;
        }
    }

    /// Kills all that is left, until there is nothing and both outputs are closed.
    async fn sweep(&mut self) {
        sweep::signal_group(self.leader, Signal::KILL);
        let until = after(Instant::now(), KILLED);
        loop {
            let left = sweep::pass(self.leader);
            let now = Instant::now();
            if (left == Left::Nothing && self.outputs_open == 0) || now >= until {
                return;
            }
            self.step(until.min(now + LOOK)).await;
        }
    }

    /// Waits until forge has read everything, or is gone. It may be stopped for a while; nothing else runs any more.
    pub(super) async fn until_told(self, mut told: JoinHandle<()>) {
        let Self { frames, mut events, gone, .. } = self;
        // What tells it ends when nobody can give it more to tell.
        drop(frames);
        if gone {
            return;
        }
        loop {
            tokio::select! {
                _ = &mut told => return,
                event = events.recv() => match event {
                    Some(Event::Gone) | None => return,
                    Some(_) => {}
                },
            }
        }
    }
}

fn after(start: Instant, wait: Duration) -> Instant {
    start.checked_add(wait.min(FAR)).unwrap_or(start)
}
