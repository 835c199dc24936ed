//! Facts that a reader is told and that no code branches on: a code and values for programs, a sentence for people.
//!
//! Whoever finds one makes it, by a function of its own with typed arguments, beside the rule that found it. What code
//! does branch on is an enum.

use crate::model::datum::{Datum, Fields};
use crate::model::plan::{OptionId, SeatId};
use crate::model::ruling::Contest;
use crate::model::turn::TurnKey;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Stable, for programs: `referee_halted`.
    pub code: &'static str,
    pub values: Fields,
    sentence: String,
}

impl Fact {
    /// [`fact!`] holds sentence and values together.
    #[doc(hidden)]
    pub fn new<const N: usize>(code: &'static str, values: [(&str, Datum); N], sentence: String) -> Self {
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { code, values, sentence }
    }

    /// For people. Code reads [`Fact::code`] and [`Fact::values`].
    pub fn sentence(&self) -> &str {
        &self.sentence
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// A fact: its code, its sentence, its values. The sentence's holes are variables in reach; the compiler fills them. A
/// value that reads otherwise in a sentence than to a program is given as `name = value`.
#[macro_export]
macro_rules! fact {
    ($code:literal, $sentence:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::model::fact::Fact::new(
            $code,
            [$((stringify!($name), $crate::fact!(@value $name $(= $value)?))),*],
            format!($sentence),
        )
    };
    (@value $name:ident) => { $crate::model::fact::FactValue::value(&$name) };
    (@value $name:ident = $value:expr) => { $crate::model::fact::FactValue::value(&$value) };
}

/// A fact about a whole debate, with what it does to the outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub effect: Effect,
    pub fact: Fact,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Too little was said: there is no outcome.
    Voids,
    /// A person must decide.
    Contests(Contest),
    /// Said below the outcome, which stays as it is.
    Footnote,
}

impl Note {
    pub fn voids(fact: Fact) -> Self {
        Self { effect: Effect::Voids, fact }
    }

    pub fn contests(contest: Contest, fact: Fact) -> Self {
        Self { effect: Effect::Contests(contest), fact }
    }

    pub fn footnote(fact: Fact) -> Self {
        Self { effect: Effect::Footnote, fact }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fact.fmt(f)
    }
}

impl Effect {
    pub fn word(&self) -> &'static str {
        match self {
            Effect::Voids => "voids",
            Effect::Contests(_) => "contests",
            Effect::Footnote => "footnote",
        }
    }
}

/// What a fact can hold, as a program reads it.
pub trait FactValue {
    fn value(&self) -> Datum;
}

impl FactValue for str {
    fn value(&self) -> Datum {
        Datum::from(self)
    }
}

impl FactValue for String {
    fn value(&self) -> Datum {
        Datum::from(self.as_str())
    }
}

impl FactValue for u16 {
    fn value(&self) -> Datum {
        Datum::Number(self.to_string())
    }
}

impl FactValue for usize {
    fn value(&self) -> Datum {
        Datum::Number(self.to_string())
    }
}

impl FactValue for bool {
    fn value(&self) -> Datum {
        Datum::Flag(*self)
    }
}

impl FactValue for SeatId {
    fn value(&self) -> Datum {
        Datum::from(self.as_str())
    }
}

impl FactValue for OptionId {
    fn value(&self) -> Datum {
        Datum::from(self.as_str())
    }
}

impl FactValue for TurnKey {
    fn value(&self) -> Datum {
        let parts = [("stage", self.stage.0.value()), ("round", self.round.value()), ("seat", self.seat.value())];
        Datum::Record(parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

impl<T: FactValue> FactValue for [T] {
    fn value(&self) -> Datum {
        Datum::List(self.iter().map(FactValue::value).collect())
    }
}

impl<T: FactValue> FactValue for Vec<T> {
    fn value(&self) -> Datum {
        self.as_slice().value()
    }
}

impl<T: FactValue> FactValue for Option<T> {
    fn value(&self) -> Datum {
        self.as_ref().map_or(Datum::Null, FactValue::value)
    }
}

impl<T: FactValue + ?Sized> FactValue for &T {
    fn value(&self) -> Datum {
        (**self).value()
    }
}
