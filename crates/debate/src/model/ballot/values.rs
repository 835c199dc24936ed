//! What a field can hold.

use super::{Ballot, FieldValue};
use crate::model::datum::Datum;
use crate::model::form::{Kind, Need};
use crate::model::plan::OptionId;
use crate::model::ruling::Confidence;
use std::fmt;
use std::ops::Deref;

/// The text of a value; none where there is none or it is blank.
fn text_of(value: &Datum) -> Option<&str> {
    value.as_text().map(str::trim).filter(|text| !text.is_empty())
}

/// A name, or some other text of a word or more.
impl FieldValue for String {
    const KIND: Kind = Kind::Text(1);

    fn read(value: Option<&Datum>) -> Option<Self> {
        text_of(value?).map(str::to_owned)
    }

    fn write(&self) -> Option<Datum> {
        Some(Datum::from(self.as_str()))
    }
}

/// A text of at least so many words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words<const LEAST: usize>(pub String);

/// A text that can say something.
pub type Sentence = Words<3>;

impl<const LEAST: usize> FieldValue for Words<LEAST> {
    const KIND: Kind = Kind::Text(LEAST);

    fn read(value: Option<&Datum>) -> Option<Self> {
        String::read(value).map(Self)
    }

    fn write(&self) -> Option<Datum> {
        self.0.write()
    }
}

impl<const LEAST: usize> Deref for Words<LEAST> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const LEAST: usize> fmt::Display for Words<LEAST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Yes or no, where one of them must be said.
impl FieldValue for bool {
    const KIND: Kind = Kind::Flag;

    fn read(value: Option<&Datum>) -> Option<Self> {
        match value? {
            Datum::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    fn write(&self) -> Option<Datum> {
        Some(Datum::Flag(*self))
    }
}

impl FieldValue for OptionId {
    const KIND: Kind = Kind::Option;

    fn read(value: Option<&Datum>) -> Option<Self> {
        text_of(value?).map(OptionId::new)
    }

    fn write(&self) -> Option<Datum> {
        Some(Datum::from(self.as_str()))
    }
}

/// An agent is held to saying how sure it is. The seeds' own files need not: whoever does not say is neither sure nor unsure.
impl FieldValue for Confidence {
    const KIND: Kind = Kind::Word(&["HIGH", "MEDIUM", "LOW"]);

    fn read(value: Option<&Datum>) -> Option<Self> {
        Some(value.and_then(text_of).and_then(Confidence::parse).unwrap_or(Confidence::Medium))
    }

    fn write(&self) -> Option<Datum> {
        Some(Datum::from(self.word()))
    }
}

impl<V: FieldValue> FieldValue for Option<V> {
    const KIND: Kind = match V::KIND {
        Kind::Text(_) => Kind::Text(0),
        kind => kind,
    };
    const NEED: Need = Need::Optional;

    fn read(value: Option<&Datum>) -> Option<Self> {
        Some(value.and_then(|value| V::read(Some(value))))
    }

    fn write(&self) -> Option<Datum> {
        self.as_ref().and_then(V::write)
    }
}

/// Asked for, and asked for again; a turn that still lacks it counts, and the lack is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due<V>(pub Option<V>);

impl<V: FieldValue> FieldValue for Due<V> {
    const KIND: Kind = V::KIND;
    const NEED: Need = Need::Due;

    fn read(value: Option<&Datum>) -> Option<Self> {
        Option::read(value).map(Self)
    }

    fn write(&self) -> Option<Datum> {
        self.0.write()
    }
}

impl<V> Deref for Due<V> {
    type Target = Option<V>;

    fn deref(&self) -> &Option<V> {
        &self.0
    }
}

/// Something that a list can hold.
pub trait ListItem: Sized {
    /// A list of it.
    const LIST: Kind;

    fn read_item(item: &Datum) -> Option<Self>;

    /// The entry as it is written.
    fn write_item(&self) -> Datum;
}

impl ListItem for String {
    const LIST: Kind = Kind::Texts(0);

    fn read_item(item: &Datum) -> Option<Self> {
        text_of(item).map(str::to_owned)
    }

    fn write_item(&self) -> Datum {
        Datum::from(self.as_str())
    }
}

impl ListItem for OptionId {
    const LIST: Kind = Kind::Options;

    fn read_item(item: &Datum) -> Option<Self> {
        text_of(item).map(OptionId::new)
    }

    fn write_item(&self) -> Datum {
        Datum::from(self.as_str())
    }
}

impl<B: Ballot> ListItem for B {
    const LIST: Kind = Kind::Records(0, B::FIELDS);

    fn read_item(item: &Datum) -> Option<Self> {
        B::of(item.as_record()?)
    }

    fn write_item(&self) -> Datum {
        Datum::Record(self.to_fields())
    }
}

/// Entries that cannot be read are not there.
impl<T: ListItem> FieldValue for Vec<T> {
    const KIND: Kind = T::LIST;
    const NEED: Need = Need::Optional;

    fn read(value: Option<&Datum>) -> Option<Self> {
        Some(match value {
            Some(Datum::List(items)) => items.iter().filter_map(T::read_item).collect(),
            // One entry without its brackets is what a small model writes.
            Some(one) => T::read_item(one).into_iter().collect(),
            None => Vec::new(),
        })
    }

    fn write(&self) -> Option<Datum> {
        Some(Datum::List(self.iter().map(T::write_item).collect()))
    }
}

/// A list with at least so many entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtLeast<const N: usize, T>(pub Vec<T>);

/// A list with an entry.
pub type NonEmpty<T> = AtLeast<1, T>;

impl<const N: usize, T: ListItem> FieldValue for AtLeast<N, T> {
    const KIND: Kind = match T::LIST {
        Kind::Texts(_) => Kind::Texts(N),
        Kind::Records(_, fields) => Kind::Records(N, fields),
        kind => kind,
    };

    fn read(value: Option<&Datum>) -> Option<Self> {
        Vec::read(Some(value?)).map(Self)
    }

    fn write(&self) -> Option<Datum> {
        self.0.write()
    }
}

impl<const N: usize, T> Deref for AtLeast<N, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> Due<NonEmpty<T>> {
    /// The entries; none where they are owed.
    pub fn entries(&self) -> &[T] {
        self.as_ref().map_or(&[], |list| &**list)
    }
}
