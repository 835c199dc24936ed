//! Reads the answer of a chat completion, streamed or whole, out of whatever the server sends.
//!
//! The mode is told by the first byte and not by the content type: servers that ignore `stream` say anything there.
//! Nothing here waits or retries; a [`Setback`] says what went wrong and the caller decides.

use super::setback::{End, ProviderError, Setback, judge};
use super::sse::Decoder;
use crate::agent::{FailureKind, Served};
use serde_json::Value;

/// Bytes on the wire per byte of answer, at most: a streamed token comes wrapped in a few hundred bytes.
const WIRE_FACTOR: usize = 64;
/// Bytes on the wire that are always allowed.
const WIRE_FLOOR: usize = 1024 * 1024;
/// How many bytes may come for an answer of so many.
pub(super) fn wire_limit(limit: usize) -> usize {
    limit.saturating_mul(WIRE_FACTOR).saturating_add(WIRE_FLOOR)
}

/// More came than that.
pub(super) fn flooded(wire_limit: usize) -> Setback {
    Setback::Final(FailureKind::Crashed, format!("more than {wire_limit} bytes came for one answer"))
}

/// Cuts a text at its limit, and says so.
pub(super) fn cut(text: &mut String, limit: usize) -> String {
    let at = (0..=limit).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.truncate(at);
    format!("the reply was cut at {limit} bytes")
}

/// An answer while it comes in.
#[derive(Debug)]
pub(super) struct Reading {
    limit: usize,
    received: usize,
    mode: Mode,
    text: String,
    refusal: String,
    finish: Option<String>,
    done: bool,
    events: usize,
    malformed: usize,
    truncated: usize,
    failed: Option<ProviderError>,
    /// What the provider says it used.
    pub(super) served: Served,
    /// What a reader should know.
    pub(super) notes: Vec<String>,
}

#[derive(Debug)]
enum Mode {
    Unknown,
    Stream(Decoder),
    Whole(Vec<u8>),
}

impl Reading {
    /// Nothing received yet; of the answer's text `limit` bytes are kept.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            received: 0,
            mode: Mode::Unknown,
            text: String::new(),
            refusal: String::new(),
            finish: None,
            done: false,
            events: 0,
            malformed: 0,
            truncated: 0,
            failed: None,
            served: Served::default(),
            notes: Vec::new(),
        }
    }

    /// Takes the next bytes.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), Setback> {
        self.received += bytes.len();
        let wire_limit = wire_limit(self.limit);
        if self.received > wire_limit {
            return Err(flooded(wire_limit));
        }
        if let Mode::Unknown = self.mode {
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                Some(b'{') => self.mode = Mode::Whole(Vec::new()),
                Some(_) => self.mode = Mode::Stream(Decoder::default()),
                None => {}
            }
        }
        let events = match &mut self.mode {
            Mode::Unknown => Vec::new(),
            Mode::Whole(body) => {
                body.extend_from_slice(bytes);
                Vec::new()
            }
            Mode::Stream(decoder) => decoder.feed(bytes),
        };
        for event in events {
            self.event(&event);
        }
        Ok(())
    }

    /// Whether nothing more is wanted: the end was announced, an error came, or the text has reached its limit.
    pub(super) fn is_over(&self) -> bool {
        self.done || self.failed.is_some() || self.text.len() > self.limit
    }

    /// The answer, once the body has ended or [`is_over`](Self::is_over). `broken` says how the body failed, if it did.
    pub(super) fn finish(&mut self, broken: Option<String>) -> Result<String, Setback> {
        match std::mem::replace(&mut self.mode, Mode::Unknown) {
            Mode::Stream(mut decoder) => {
                if let Some(last) = decoder.finish() {
                    self.event(&last);
                }
            }
            Mode::Whole(body) => match serde_json::from_slice::<Value>(&body) {
                Ok(value) => {
                    self.done = true;
                    self.chunk(&value);
                }
                Err(error) => self.unreadable(&error),
            },
            Mode::Unknown => {}
        }
        if let Some(error) = self.failed.take() {
            return Err(error
                .meaning()
                .unwrap_or_else(|| Setback::Broken(None, format!("the provider failed: {}", error.message))));
        }
        if self.text.len() > self.limit {
            self.notes.push(cut(&mut self.text, self.limit));
            return Ok(std::mem::take(&mut self.text));
        }
        if !self.done && self.finish.is_none() {
            return Err(self.broken_off(broken));
        }
        let unread = self.malformed + self.truncated;
        if unread > 0 {
            self.notes.push(format!("{unread} parts of the answer could not be read"));
        }
        self.judge()
    }

    fn broken_off(&self, broken: Option<String>) -> Setback {
        let spoke_the_language = self.events > 0 || self.truncated > 0 || broken.is_some();
        let how = broken.map(|how| format!(" ({how})")).unwrap_or_default();
        if self.received == 0 {
            Setback::Broken(None, format!("the connection was closed without an answer{how}"))
        } else if spoke_the_language {
            Setback::Broken(None, format!("the answer was cut off after {} bytes of text{how}", self.text.len()))
        } else {
            Setback::Final(FailureKind::Crashed, format!("{} bytes came that are not a chat completion", self.received))
        }
    }

    fn judge(&mut self) -> Result<String, Setback> {
        let end = match self.finish.as_deref().unwrap_or("") {
            "length" | "max_tokens" => End::Length,
            "content_filter" => End::Filtered,
            other => End::Over(other.to_owned()),
        };
        judge(std::mem::take(&mut self.text), &self.refusal, &end)
    }

    fn event(&mut self, data: &[u8]) {
        let data = data.trim_ascii();
        if data.is_empty() {
            return;
        }
        if data == b"[DONE]" {
            self.done = true;
            self.events += 1;
            return;
        }
        match serde_json::from_slice::<Value>(data) {
            Ok(value) => self.chunk(&value),
            Err(error) => self.unreadable(&error),
        }
    }

    fn unreadable(&mut self, error: &serde_json::Error) {
        if error.is_eof() {
            self.truncated += 1;
        } else {
            self.malformed += 1;
        }
    }

    /// A chunk of a stream, or a whole completion: the same but for `delta` and `message`.
    fn chunk(&mut self, value: &Value) {
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            self.failed = Some(ProviderError::of(error));
            return;
        }
        let choices = value.get("choices").and_then(Value::as_array);
        let usage = value.get("usage").filter(|usage| usage.is_object());
        if choices.is_none() && usage.is_none() {
            self.malformed += 1;
            return;
        }
        self.events += 1;
        if let Some(model) = value.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) {
            self.served.model = Some(model.to_owned());
        }
        if let Some(usage) = usage {
            let count = |name: &str, other: &str| usage.get(name).or_else(|| usage.get(other)).and_then(Value::as_u64);
            self.served.input_tokens = count("prompt_tokens", "input_tokens").or(self.served.input_tokens);
            self.served.output_tokens = count("completion_tokens", "output_tokens").or(self.served.output_tokens);
            let cached = usage.pointer("/prompt_tokens_details/cached_tokens").and_then(Value::as_u64);
            self.served.cached_tokens = cached.or(self.served.cached_tokens);
        }
        let first = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for choice in choices.into_iter().flatten().filter(first) {
            if let Some(said) = choice.get("delta").or_else(|| choice.get("message")) {
                push_text(&mut self.text, said.get("content"));
                push_text(&mut self.refusal, said.get("refusal"));
            }
            if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
                self.finish = Some(finish.to_owned());
            }
        }
    }
}

/// Content is a text, or a list of parts with a text each.
fn push_text(to: &mut String, content: Option<&Value>) {
    match content {
        Some(Value::String(text)) => to.push_str(text),
        Some(Value::Array(parts)) => {
            for part in parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)) {
                to.push_str(part);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> (Result<String, Setback>, Reading) {
        let mut reading = Reading::new(1_000);
        let taken = body.as_bytes().chunks(7).try_for_each(|piece| reading.take(piece));
        (taken.and_then(|()| reading.finish(None)), reading)
    }

    #[test]
    fn content_may_come_in_parts_and_from_several_choices() {
        let body = concat!(
            r#"data: {"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":[{"type":"text","text":"a"}]}}]}"#,
            "\n\ndata: {oops\n\n",
            r#"data: {"choices":null,"usage":{"input_tokens":3}}"#,
            "\n\n",
            r#"data: {"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}"#,
        );
        let (text, reading) = read(body);
        assert_eq!(text, Ok("ab".to_owned()));
        assert_eq!(reading.served.input_tokens, Some(3));
        assert_eq!(reading.notes.len(), 1, "{:?}", reading.notes);
    }

    #[test]
    fn a_broken_answer_is_told_from_a_foreign_one() {
        let cut = r#"data: {"choices":[{"delta":{"content":"a"}}]}"#;
        for body in ["", cut, &cut[..20], r#"{"choices":[{"mess"#] {
            assert!(matches!(read(body).0, Err(Setback::Broken(..))), "{body}");
        }
        for body in ["<html>hello</html>", "{\"hello\": 1}", "{]", "data: <html>\n\n", "[1]", "   "] {
            assert!(matches!(read(body).0, Err(Setback::Final(FailureKind::Crashed, _))), "{body}");
        }
    }

    #[test]
    fn errors_inside_a_stream_are_understood() {
        let error = |code: &str| read(&format!("data: {{\"error\":{{\"message\":\"m\",\"code\":\"{code}\"}}}}\n\n")).0;
        assert!(matches!(error("context_length_exceeded"), Err(Setback::Final(FailureKind::TooLong, _))));
        assert!(matches!(error("rate_limit_exceeded"), Err(Setback::RateLimited(..))));
        assert!(matches!(error("server_error"), Err(Setback::Broken(..))));
    }

    #[test]
    fn an_endless_answer_is_stopped() {
        let mut reading = Reading::new(10);
        let flood = vec![b':'; WIRE_FLOOR];
        assert!(reading.take(&flood).is_ok());
        assert!(matches!(reading.take(&flood), Err(Setback::Final(FailureKind::Crashed, _))));
    }
}
