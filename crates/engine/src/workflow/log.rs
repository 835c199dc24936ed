//! What a command did to a workflow, and what it noticed on the way.

use crate::workspace::EngineError;

/// An account for people: lines that say what was done, and lines that say what was found and left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    /// What was done.
    pub done: Vec<String>,
    /// What was noticed: assumed, odd, missing, or set aside by somebody else.
    pub notes: Vec<String>,
}

impl Log {
    /// Does something, and tells what was done before it was refused: files may have been kept elsewhere by then.
    pub(crate) fn telling<T>(act: impl FnOnce(&mut Log) -> Result<T, EngineError>) -> Result<T, EngineError> {
        let mut log = Log::default();
        act(&mut log).map_err(|error| match error {
            EngineError::Usage(text) if !log.done.is_empty() => {
                EngineError::Usage(format!("{text}\ndone before that: {}", log.done.join("; ")))
            }
            error if log.done.is_empty() => error,
            EngineError::Midway { error, done } => {
                EngineError::Midway { error, done: log.done.drain(..).chain(done).collect() }
            }
            error => EngineError::Midway { error: Box::new(error), done: std::mem::take(&mut log.done) },
        })
    }

    pub(crate) fn did(&mut self, line: impl Into<String>) {
        self.done.push(line.into());
    }

    /// Says a thing once, however often it is noticed.
    pub(crate) fn note(&mut self, line: impl Into<String>) {
        let line = line.into();
        if !self.notes.contains(&line) {
            self.notes.push(line);
        }
    }
}
