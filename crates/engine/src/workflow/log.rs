//! What a command did to a workflow, and what it noticed on the way.

/// An account for people: lines that say what was done, and lines that say what was found and left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    /// What was done.
    pub done: Vec<String>,
    /// What was noticed: assumed, odd, missing, or set aside by somebody else.
    pub notes: Vec<String>,
}

impl Log {
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
