//! What a reply lacks of its form.

use crate::model::fact::Fact;
use std::fmt;

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
    /// What is wrong and what was expected, for the writer.
    pub fact: Fact,
    /// The line, where there is one.
    pub line: Option<usize>,
    /// The section of the form that it is about, by its title.
    pub section: Option<&'static str>,
    /// What a reader of the verdict is told where the turn counts all the same.
    pub debt: Option<Box<Fact>>,
}

impl Defect {
    pub(crate) fn new(need: Need, fact: Fact) -> Self {
        Self { need, fact, line: None, section: None, debt: None }
    }

    pub(crate) fn owes(self, debt: Fact) -> Self {
        Self { debt: Some(Box::new(debt)), ..self }
    }

    pub(crate) fn at(self, line: usize) -> Self {
        Self { line: Some(line), ..self }
    }

    /// What the seat owes, for a reader of the verdict.
    pub(crate) fn owed(&self) -> Fact {
        self.debt.as_deref().unwrap_or(&self.fact).clone()
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let optional = if self.need == Need::Optional { "optional: " } else { "" };
        match self.line {
            Some(line) => write!(f, "{optional}line {line}: {}", self.fact),
            None => write!(f, "{optional}{}", self.fact),
        }
    }
}
