//! The little of HTTP/1.1 that a fake server needs: listen on loopback, read a request, write a response.
//!
//! Bodies come with a length or in chunks; a compressed one is handed on as it is, and its reader refuses it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// Threads that serve.
const WORKERS: usize = 2;

/// The most bytes of a request's head.
const HEAD_LIMIT_BYTES: usize = 64 * 1024;
/// The most bytes of a request's body.
const BODY_LIMIT_BYTES: usize = 64 * 1024 * 1024;
/// The most bytes of the line before a chunk.
const CHUNK_LINE_LIMIT_BYTES: u64 = 256;

/// A server on a free port of 127.0.0.1, with threads of its own; gone when it is dropped.
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Listening {
    /// Listens, and gives each connection to `serve`. A connection that fails is the client's test to notice.
    pub(crate) fn start<S, F, T>(name: &str, state: Arc<S>, serve: F) -> io::Result<Self>
    where
        S: Send + Sync + 'static,
        F: Fn(TcpStream, Arc<S>) -> T + Send + Sync + 'static,
        T: Future<Output = io::Result<()>> + Send + 'static,
    {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let accept = async move {
            let listener = TcpListener::from_std(listener)?;
            loop {
                let (connection, _) = listener.accept().await?;
                connection.set_nodelay(true)?;
                tokio::spawn(serve(connection, Arc::clone(&state)));
            }
        };
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            // Dropping the runtime at the end ends every connection.
            runtime.block_on(async {
                tokio::select! {
                    _ = async { let ended: io::Result<()> = accept.await; ended } => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { address, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Whether a connection goes on after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    Stays,
    Closes,
}

/// A request as it came in.
#[derive(Debug)]
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// The next request on a connection; none when the client has closed it.
pub(crate) async fn read_request(from: &mut BufReader<OwnedReadHalf>) -> io::Result<Option<HttpRequest>> {
    let mut head = Vec::new();
    loop {
        let before = head.len();
        let read = (&mut *from).take((HEAD_LIMIT_BYTES - before) as u64).read_until(b'\n', &mut head).await?;
        if read == 0 {
            return if head.is_empty() { Ok(None) } else { Err(bad("the head ends early or is too long")) };
        }
        if matches!(&head[before..], b"\r\n" | b"\n") {
            break;
        }
    }
    let head = String::from_utf8(head).map_err(|_| bad("the head is not UTF-8"))?;
    let mut lines = head.lines();
    let mut request_line = lines.next().unwrap_or("").split(' ');
    let method = request_line.next().unwrap_or("").to_owned();
    let path = request_line.next().unwrap_or("").to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let header = |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let body = match header("transfer-encoding") {
        Some(coding) if coding.eq_ignore_ascii_case("chunked") => read_chunks(from).await?,
        Some(_) => return Err(bad("only chunked bodies and bodies with a length are read")),
        None => {
            let length: usize =
                header("content-length").unwrap_or("0").parse().map_err(|_| bad("the length is not a number"))?;
            if length > BODY_LIMIT_BYTES {
                return Err(bad("the body is too long"));
            }
            let mut body = vec![0; length];
            from.read_exact(&mut body).await?;
            body
        }
    };
    Ok(Some(HttpRequest { method, path, headers, body }))
}

/// A body in chunks. Trailers are skipped.
async fn read_chunks(from: &mut BufReader<OwnedReadHalf>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(from).await?;
        let size = line.split(';').next().unwrap_or("").trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| bad("a chunk without a size"))?;
        if size == 0 {
            while !read_line(from).await?.is_empty() {}
            return Ok(body);
        }
        if size > BODY_LIMIT_BYTES - body.len() {
            return Err(bad("the body is too long"));
        }
        let start = body.len();
        body.resize(start + size, 0);
        from.read_exact(&mut body[start..]).await?;
        if !read_line(from).await?.is_empty() {
            return Err(bad("a chunk that is longer than it says"));
        }
    }
}

async fn read_line(from: &mut BufReader<OwnedReadHalf>) -> io::Result<String> {
    let mut line = Vec::new();
    (&mut *from).take(CHUNK_LINE_LIMIT_BYTES).read_until(b'\n', &mut line).await?;
    if line.last() != Some(&b'\n') {
        return Err(bad("the chunks end early, or a line of theirs is too long"));
    }
    String::from_utf8(line).map(|line| line.trim_end().to_owned()).map_err(|_| bad("a chunk's line is not UTF-8"))
}

/// The head of a response. Without a length, the body is chunked.
pub(crate) fn head(code: u16, content_type: &str, headers: &[(String, String)], length: Option<usize>) -> String {
    let framing = match length {
        Some(length) => format!("content-length: {length}"),
        None => "transfer-encoding: chunked".to_owned(),
    };
    let mut head = format!("HTTP/1.1 {code} {}\r\ncontent-type: {content_type}\r\n{framing}\r\n", reason(code));
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    head
}

/// A whole response in one write.
pub(crate) async fn write_whole(
    to: &mut (impl AsyncWrite + Unpin),
    code: u16,
    content_type: &str,
    headers: &[(String, String)],
    body: &[u8],
) -> io::Result<()> {
    let mut bytes = head(code, content_type, headers, Some(body.len())).into_bytes();
    bytes.extend_from_slice(body);
    to.write_all(&bytes).await
}

/// One chunk of a chunked body.
pub(crate) async fn write_chunk(to: &mut (impl AsyncWrite + Unpin), data: &str) -> io::Result<()> {
    to.write_all(format!("{:x}\r\n{data}\r\n", data.len()).as_bytes()).await
}

/// The end of a chunked body.
pub(crate) async fn write_end(to: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    to.write_all(b"0\r\n\r\n").await
}

fn bad(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

fn reason(code: u16) -> &'static str {
    match code {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        415 => "Unsupported Media Type",
        426 => "Upgrade Required",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
