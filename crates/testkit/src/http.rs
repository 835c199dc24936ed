//! The little of HTTP/1.1 that a fake server needs: read a request with a length, write a response.

use std::io;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedReadHalf;

/// The most bytes of a request's head.
const HEAD_LIMIT_BYTES: usize = 64 * 1024;
/// The most bytes of a request's body.
const BODY_LIMIT_BYTES: usize = 64 * 1024 * 1024;

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
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, value)| value);
    let length: usize = length.parse().map_err(|_| bad("the length is not a number"))?;
    if length > BODY_LIMIT_BYTES || headers.iter().any(|(name, _)| name == "transfer-encoding") {
        return Err(bad("only bodies with a sane length are read"));
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).await?;
    Ok(Some(HttpRequest { method, path, headers, body }))
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
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
