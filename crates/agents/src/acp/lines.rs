//! The wire below the protocol: lines to and from a program, each with a limit.
//!
//! Lines are long (one agent lists its commands in half a megabyte), so one may be; all together have a limit too, since
//! the protocol's crate queues what it has not looked at yet. What is no JSON object is dropped and counted: agents print
//! warnings among their messages. Nothing is kept here when the process dies.

use super::hearing::{Breach, Hearing};
use futures_util::{Sink, Stream, stream};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader};

/// The longest line.
pub(super) const LINE_LIMIT_BYTES: usize = 16 * 1024 * 1024;
/// The most bytes of one call.
pub(super) const CALL_LIMIT_BYTES: usize = 64 * 1024 * 1024;
/// The most lines that are no messages.
pub(super) const STRAY_LINES_LIMIT: usize = 1_000;

struct Incoming<R> {
    output: BufReader<R>,
    hearing: Arc<Hearing>,
    bytes: usize,
    strays: usize,
}

/// The messages that a program prints. Ends with its output, or at a limit, which is then a breach.
pub(super) fn incoming(
    output: impl AsyncRead + Send + Unpin + 'static,
    hearing: Arc<Hearing>,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let start = Incoming { output: BufReader::new(output), hearing, bytes: 0, strays: 0 };
    stream::unfold(start, |mut state| async move { state.next().await.map(|line| (Ok(line), state)) })
}

impl<R: AsyncRead + Send + Unpin> Incoming<R> {
    async fn next(&mut self) -> Option<String> {
        loop {
            let line = self.line().await?;
            let text = String::from_utf8_lossy(&line);
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            if text.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
                return Some(text.to_owned());
            }
            self.strays += 1;
            self.hearing.stray(text);
            if self.strays > STRAY_LINES_LIMIT {
                self.hearing.breach(Breach::Strays);
                return None;
            }
        }
    }

    /// The next line, however it ends; none at the end, at a limit, and where reading fails.
    async fn line(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let piece = self.output.fill_buf().await.ok()?;
            if piece.is_empty() {
                return (!line.is_empty()).then_some(line);
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(piece.len(), |end| end + 1);
            line.extend_from_slice(&piece[..taken]);
            self.output.consume(taken);
            self.bytes += taken;
            if line.len() > LINE_LIMIT_BYTES || self.bytes > CALL_LIMIT_BYTES {
                self.hearing.breach(Breach::Bytes);
                return None;
            }
            if end.is_some() {
                return Some(line);
            }
        }
    }
}

/// Lines for a program's input. A program that reads no more may still answer, so what it does not take is dropped without
/// an error.
pub(super) struct Outgoing<W> {
    input: W,
    bytes: Vec<u8>,
    written: usize,
    is_deaf: bool,
}

impl<W> Outgoing<W> {
    pub(super) fn new(input: W) -> Self {
        Self { input, bytes: Vec::new(), written: 0, is_deaf: false }
    }
}

impl<W: AsyncWrite + Unpin> Outgoing<W> {
    fn write(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.bytes.len() {
            match ready!(Pin::new(&mut self.input).poll_write(context, &self.bytes[self.written..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.written += count,
            }
        }
        Pin::new(&mut self.input).poll_flush(context)
    }
}

impl<W: AsyncWrite + Unpin> Sink<String> for Outgoing<W> {
    type Error = io::Error;

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }

    fn start_send(self: Pin<&mut Self>, line: String) -> io::Result<()> {
        let this = self.get_mut();
        this.bytes = line.into_bytes();
        this.bytes.push(b'\n');
        this.written = 0;
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.is_deaf && ready!(this.write(context)).is_err() {
            this.is_deaf = true;
        }
        this.bytes.clear();
        this.written = 0;
        Poll::Ready(Ok(()))
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(context))?;
        let _ = ready!(Pin::new(&mut self.get_mut().input).poll_shutdown(context));
        Poll::Ready(Ok(()))
    }
}
