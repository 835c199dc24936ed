//! What forge, the keeper and the stage that becomes the program say to each other: frames of one byte for the kind, four
//! for the length, then the payload.
//!
//! Promises: no length is believed beyond [`FRAME_LIMIT`]; names and values pass as the bytes they are, UTF-8 or not.
//!
//! Never: written to a file or shown, since a job holds keys.

use super::{Ended, Hidden, How, Job, Limits, Sandbox};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// The most bytes in one frame. A job holds at most what the system takes as arguments and environment, a few megabytes.
const FRAME_LIMIT: usize = 64 << 20;

/// The most bytes of input or output in one frame.
pub(super) const PIECE: usize = 64 << 10;

/// What a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// To the keeper, first: what to run.
    Job,
    /// To the keeper: bytes for the program to read.
    Input,
    /// To the keeper: there is no more to read.
    CloseInput,
    /// To the keeper: no more to read, and the program is to end now.
    Finish,
    /// From the keeper: bytes that the program printed.
    Output,
    /// From the keeper: what was kept of its complaints.
    Complaints,
    /// From the keeper, last: what became of it.
    Report,
    /// From the stage: what the sandbox is.
    Sandboxed,
    /// From the stage: why the program could not be started.
    NotStarted,
}

const KINDS: [(Kind, u8); 9] = [
    (Kind::Job, b'j'),
    (Kind::Input, b'i'),
    (Kind::CloseInput, b'c'),
    (Kind::Finish, b'f'),
    (Kind::Output, b'o'),
    (Kind::Complaints, b'e'),
    (Kind::Report, b'r'),
    (Kind::Sandboxed, b's'),
    (Kind::NotStarted, b'n'),
];

impl Kind {
    fn byte(self) -> u8 {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or(0, |(_, byte)| *byte)
    }

    fn of(byte: u8) -> Option<Self> {
        KINDS.iter().find(|(_, known)| *known == byte).map(|(kind, _)| *kind)
    }
}

/// One frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) payload: Vec<u8>,
}

impl Frame {
    pub(super) fn new(kind: Kind, payload: impl Into<Vec<u8>>) -> Self {
        Self { kind, payload: payload.into() }
    }

    fn head(&self) -> std::io::Result<[u8; 5]> {
        let length = u32::try_from(self.payload.len()).ok().filter(|_| self.payload.len() <= FRAME_LIMIT);
        let [a, b, c, d] = length.ok_or_else(|| std::io::Error::other("a frame is too long"))?.to_be_bytes();
        Ok([self.kind.byte(), a, b, c, d])
    }

    fn opened([kind, a, b, c, d]: [u8; 5]) -> std::io::Result<(Kind, usize)> {
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
        match Kind::of(kind) {
            Some(kind) if length <= FRAME_LIMIT => Ok((kind, length)),
            _ => Err(std::io::Error::other("that is no frame")),
        }
    }

    pub(super) async fn write(&self, to: &mut (impl AsyncWrite + Unpin)) -> std::io::Result<()> {
        to.write_all(&self.head()?).await?;
        to.write_all(&self.payload).await
    }

    /// The next frame. Not to be dropped half-way: what was read by then is lost.
    pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> std::io::Result<Self> {
        let mut head = [0; 5];
        from.read_exact(&mut head).await?;
        let (kind, length) = Self::opened(head)?;
        let mut payload = vec![0; length];
        from.read_exact(&mut payload).await?;
        Ok(Self { kind, payload })
    }

    pub(super) fn write_now(&self, to: &mut impl Write) -> std::io::Result<()> {
        to.write_all(&self.head()?)?;
        to.write_all(&self.payload)
    }

    pub(super) fn read_now(from: &mut impl Read) -> std::io::Result<Self> {
        let mut head = [0; 5];
        from.read_exact(&mut head)?;
        let (kind, length) = Self::opened(head)?;
        let mut payload = vec![0; length];
        from.read_exact(&mut payload)?;
        Ok(Self { kind, payload })
    }
}

/// A name or value as the bytes it is.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Raw(Vec<u8>);

impl Raw {
    fn of(text: impl AsRef<OsStr>) -> Self {
        Self(text.as_ref().as_bytes().to_vec())
    }

    fn text(self) -> OsString {
        OsString::from_vec(self.0)
    }

    fn path(self) -> PathBuf {
        PathBuf::from(self.text())
    }
}

#[derive(Serialize, Deserialize)]
struct RawJob {
    program: Raw,
    arguments: Vec<Raw>,
    environment: Vec<(Raw, Raw)>,
    folder: Raw,
    writable: Vec<Raw>,
    hidden_keys: Vec<Raw>,
    hidden_workspace: Option<Raw>,
    sandbox: Sandbox,
    scratch: Option<Raw>,
    limits: Limits,
}

/// A job, to be sent.
pub(super) fn job_frame(job: &Job) -> Result<Frame, String> {
    let raw = RawJob {
        program: Raw::of(&job.program),
        arguments: job.arguments.iter().map(Raw::of).collect(),
        environment: job.environment.iter().map(|(name, value)| (Raw::of(name), Raw::of(value))).collect(),
        folder: Raw::of(&job.folder),
        writable: job.writable.iter().map(Raw::of).collect(),
        hidden_keys: job.hidden.keys.iter().map(Raw::of).collect(),
        hidden_workspace: job.hidden.workspace.as_ref().map(Raw::of),
        sandbox: job.sandbox,
        scratch: job.scratch.as_ref().map(Raw::of),
        limits: job.limits,
    };
    let payload = serde_json::to_vec(&raw).map_err(|error| error.to_string())?;
    if payload.len() > FRAME_LIMIT {
        return Err("its arguments and environment are too long".to_owned());
    }
    Ok(Frame::new(Kind::Job, payload))
}

/// A job, as it was sent.
pub(super) fn job_of(frame: &Frame) -> Option<Job> {
    let raw: RawJob = (frame.kind == Kind::Job).then(|| serde_json::from_slice(&frame.payload).ok()).flatten()?;
    Some(Job {
        program: raw.program.path(),
        arguments: raw.arguments.into_iter().map(Raw::text).collect(),
        environment: raw.environment.into_iter().map(|(name, value)| (name.text(), value.text())).collect(),
        folder: raw.folder.path(),
        writable: raw.writable.into_iter().map(Raw::path).collect(),
        hidden: Hidden {
            keys: raw.hidden_keys.into_iter().map(Raw::path).collect(),
            workspace: raw.hidden_workspace.map(Raw::path),
        },
        sandbox: raw.sandbox,
        scratch: raw.scratch.map(Raw::path),
        limits: raw.limits,
    })
}

/// All of [`Ended`] but the outputs, which have frames of their own.
#[derive(Serialize, Deserialize)]
struct RawReport {
    how: How,
    sandbox: String,
    left_behind: Vec<String>,
    leaked_pipe: bool,
}

/// The report, to be sent after the outputs.
pub(super) fn report_frame(ended: &Ended) -> Frame {
    let raw = RawReport {
        how: ended.how.clone(),
        sandbox: ended.sandbox.clone(),
        left_behind: ended.left_behind.clone(),
        leaked_pipe: ended.leaked_pipe,
    };
    Frame::new(Kind::Report, serde_json::to_vec(&raw).unwrap_or_default())
}

/// The report, with the outputs that came before it.
pub(super) fn report_of(frame: &Frame, stdout: Vec<u8>, stderr: Vec<u8>) -> Option<Ended> {
    let raw: RawReport = serde_json::from_slice(&frame.payload).ok()?;
    let RawReport { how, sandbox, left_behind, leaked_pipe } = raw;
    Some(Ended { how, stdout, stderr, sandbox, left_behind, leaked_pipe })
}
