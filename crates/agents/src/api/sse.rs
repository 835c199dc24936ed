//! Server-sent events, as far as model APIs use them: bytes in, the data of whole events out.
//!
//! Chunks may be split anywhere, inside a character or between CR and LF. Comments and fields other than `data` are
//! skipped. Keeps at most one unfinished event; how much that may be is the caller's limit on the whole answer.

/// Takes bytes as they come and gives back the data of events that are complete.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    after_cr: bool,
    started: bool,
}

impl Decoder {
    /// The events that these bytes complete.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut events = Vec::new();
        for &byte in bytes {
            let second_half = self.after_cr && byte == b'\n';
            self.after_cr = byte == b'\r';
            match byte {
                b'\n' if second_half => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(byte),
            }
        }
        events
    }

    /// What is left when the stream ends without the empty line that should end an event.
    pub(crate) fn finish(&mut self) -> Option<Vec<u8>> {
        let last = self.end_line();
        last.or_else(|| self.data.take())
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        let line = match self.started {
            true => line.as_slice(),
            false => line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line),
        };
        self.started = true;
        if line.is_empty() {
            return self.data.take();
        }
        let value = match line.iter().position(|byte| *byte == b':') {
            Some(colon) if line[..colon] == *b"data" => &line[colon + 1..],
            None if *line == *b"data" => &[],
            _ => return None,
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &[u8] = "\u{feff}: hello\r\ndata: {\"a\":\r\ndata: \"é\"}\r\n\r\nevent: x\nid: 1\ndata:two\n\ndata\n\n\r\rdata: [DONE]\r\r".as_bytes();

    fn events(pieces: impl Iterator<Item = Vec<u8>>) -> Vec<String> {
        let mut decoder = Decoder::default();
        let mut events: Vec<Vec<u8>> = pieces.flat_map(|piece| decoder.feed(&piece)).collect();
        events.extend(decoder.finish());
        events.into_iter().map(|event| String::from_utf8(event).unwrap()).collect()
    }

    #[test]
    fn events_are_the_same_however_the_stream_is_split() {
        let whole = events([STREAM.to_vec()].into_iter());
        assert_eq!(whole, ["{\"a\":\n\"é\"}", "two", "", "[DONE]"]);
        for size in 1..STREAM.len() {
            assert_eq!(events(STREAM.chunks(size).map(<[u8]>::to_vec)), whole, "pieces of {size}");
        }
    }

    #[test]
    fn an_event_without_its_empty_line_is_still_an_event() {
        assert_eq!(events([b"data: a\n\ndata: b".to_vec()].into_iter()), ["a", "b"]);
        assert_eq!(events([b"data: a\n\ndata: b\n".to_vec()].into_iter()), ["a", "b"]);
    }

    #[test]
    fn what_is_no_event_gives_none() {
        assert_eq!(events([b"<html>\nhello\n\n".to_vec()].into_iter()), Vec::<String>::new());
        assert_eq!(events(std::iter::empty()), Vec::<String>::new());
    }
}
