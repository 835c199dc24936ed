//! What a reply lacks of its form.

use crate::fact;
use crate::fact::Fact;

/// How much a part of a form is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// Without it there is no turn.
    Required,
    /// Asked for again once; if still missing the turn counts, and the debt is named above the verdict.
    Due,
    /// Nobody is asked again for it alone.
    Optional,
}

impl Need {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Need::Required => "required",
            Need::Due => "due",
            Need::Optional => "optional",
        }
    }
}

/// Something that a reply lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// How much it matters.
    pub need: Need,
    /// What is wrong and what was expected.
    pub text: String,
    /// The line, where there is one.
    pub line: Option<usize>,
    /// The section of the form that it is about, by its title.
    pub section: Option<&'static str>,
    /// What a reader of the verdict is told where the turn counts all the same.
    pub debt: Option<String>,
}

impl Defect {
    pub(crate) fn new(need: Need, text: impl Into<String>) -> Self {
        Self { need, text: text.into(), line: None, section: None, debt: None }
    }

    pub(crate) fn owes(mut self, debt: impl Into<String>) -> Self {
        self.debt = Some(debt.into());
        self
    }

    /// What the seat owes, for a reader of the verdict.
    pub(crate) fn owed(&self) -> Fact {
        let text = self.debt.as_ref().unwrap_or(&self.text);
        let section = self.section.unwrap_or_default();
        fact!("form", "{text}", section)
    }

    pub(crate) fn at(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }
}
