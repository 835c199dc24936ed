//! A ballot is declared once, with [`ballot!`](crate::ballot!). From that one declaration come the struct that a protocol
//! uses, the fields of the form (its words in the brief, its JSON schema, its spellings in files of outside writers), and
//! the reader and writer of the struct.
//!
//! How badly a field is needed follows from its type. A plain value ([`OptionId`](crate::model::plan::OptionId), [`Sentence`], a word) is required: without it
//! there is no turn. A [`Due`] is asked for twice and then let through. An `Option` or a `Vec` is optional.

mod values;

pub use values::{AtLeast, Due, NonEmpty, Sentence, Words};

use crate::model::datum::{Datum, Fields};
use crate::model::form::{Field, Kind, Need};

/// The machine-readable part of a turn, or what a reader looks for in ballots of several forms.
pub trait Ballot: Sized {
    /// What the form asks for.
    const FIELDS: &'static [Field];

    /// Reads a ballot that was held against its form; nothing where a required field is not there.
    fn of(fields: &Fields) -> Option<Self>;

    /// The ballot as plain values.
    fn to_fields(&self) -> Fields;
}

/// Something that a field of a ballot can hold.
pub trait FieldValue: Sized {
    /// What the form asks for.
    const KIND: Kind;
    const NEED: Need = Need::Required;

    /// Reads what stands under the field's name, if anything does; nothing where that is no such value.
    fn read(value: Option<&Datum>) -> Option<Self>;

    /// The value as it is written; nothing where there is nothing to write.
    fn write(&self) -> Option<Datum>;
}

/// Declares the struct of a ballot.
///
/// The comment on a field is its help in the brief. `#[also("...")]` are its other spellings in files of outside writers.
/// `#[like(Other)]` takes both over from the field of the same name of another ballot; that there is one is checked when
/// forge is built. `#[flatten]` on the first field takes in all fields of another ballot.
#[macro_export]
macro_rules! ballot {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(#[flatten] $base:ident: $Base:ty,)?
            $(
                $(#[like($Like:ty)])?
                $(#[doc = $help:literal])*
                $(#[also($($also:literal),* $(,)?)])?
                $field:ident: $Type:ty,
            )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the comments on the fields are their help in the brief")]
        $vis struct $name { $($vis $base: $Base,)? $($vis $field: $Type,)* }

        impl $crate::model::ballot::Ballot for $name {
            const FIELDS: &'static [$crate::model::form::Field] = {
                const BASE: &[$crate::model::form::Field] = $crate::model::ballot::first_of(&[$(<$Base as $crate::model::ballot::Ballot>::FIELDS)?]);
                const OWN: &[$crate::model::form::Field] = &[$(
                    $crate::model::ballot::field::<$Type>(
                        stringify!($field),
                        concat!($($help),*),
                        &[$(&[$($also),*])?],
                        &[$(<$Like as $crate::model::ballot::Ballot>::FIELDS)?],
                    ),
                )*];
                const ALL: [$crate::model::form::Field; BASE.len() + OWN.len()] = $crate::model::ballot::joined(BASE, OWN);
                &ALL
            };

            fn of(fields: &$crate::model::datum::Fields) -> Option<Self> {
                Some(Self {
                    $($base: <$Base as $crate::model::ballot::Ballot>::of(fields)?,)?
                    $($field: $crate::model::ballot::FieldValue::read(fields.given(stringify!($field)))?,)*
                })
            }

            fn to_fields(&self) -> $crate::model::datum::Fields {
                #[allow(unused_mut)]
                let mut fields = $crate::model::datum::Fields::new();
                $(fields.extend($crate::model::ballot::Ballot::to_fields(&self.$base));)?
                $(
                    if let Some(value) = $crate::model::ballot::FieldValue::write(&self.$field) {
                        fields.put(stringify!($field), value);
                    }
                )*
                fields
            }
        }
    };
}

/// Declares an enum of the words that a field of a ballot may have.
#[macro_export]
macro_rules! ballot_words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each variant is its word")]
        $vis enum $name { $($variant,)* }

        impl $name {
            /// The word in ballots.
            $vis const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Reads the word back.
            $vis fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl $crate::model::ballot::FieldValue for $name {
            const KIND: $crate::model::form::Kind = $crate::model::form::Kind::Word(&[$($word),*]);

            fn read(value: Option<&$crate::model::datum::Datum>) -> Option<Self> {
                Self::parse(value?.as_text()?.trim())
            }

            fn write(&self) -> Option<$crate::model::datum::Datum> {
                Some($crate::model::datum::Datum::from(self.word()))
            }
        }
    };
}

/// A field as [`ballot!`](crate::ballot!) declares it: the last two are empty or have one entry.
#[doc(hidden)]
pub const fn field<V: FieldValue>(
    name: &'static str,
    help: &'static str,
    also: &[&'static [&'static str]],
    like: &[&'static [Field]],
) -> Field {
    let other = like_named(name, like);
    let help = match (help.is_empty(), other) {
        (true, Some(other)) => other.help,
        _ => help.trim_ascii(),
    };
    let also = match (also, other) {
        ([own, ..], _) => *own,
        ([], Some(other)) => other.also,
        ([], None) => &[],
    };
    Field { name, kind: V::KIND, need: V::NEED, help, also }
}

#[allow(clippy::panic, reason = "it is called by the compiler alone: a wrong name does not build")]
const fn like_named(name: &str, like: &[&'static [Field]]) -> Option<&'static Field> {
    let [fields, ..] = like else { return None };
    let mut at = 0;
    while at < fields.len() {
        if is_same(fields[at].name.as_bytes(), name.as_bytes()) {
            return Some(&fields[at]);
        }
        at += 1;
    }
    panic!("`like` names a ballot that has no field of this name")
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[doc(hidden)]
pub const fn first_of(lists: &[&'static [Field]]) -> &'static [Field] {
    match lists {
        [first, ..] => first,
        [] => &[],
    }
}

#[doc(hidden)]
pub const fn joined<const N: usize>(base: &[Field], own: &[Field]) -> [Field; N] {
    let mut all = [Field { name: "", kind: Kind::Flag, need: Need::Optional, help: "", also: &[] }; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < base.len() { base[at] } else { own[at - base.len()] };
        at += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::OptionId;
    use crate::model::ruling::Confidence;

    ballot_words! {
        enum Colour {
            Red = "red",
            Green = "green",
        }
    }

    ballot! {
        struct Note {
            /// a1, a2, ...
            id: String,
            /// what it says
            text: Sentence,
        }
    }

    ballot! {
        struct Base {
            /// the option
            #[also("Vote", "Choice")]
            option: OptionId,
            /// how sure you are
            confidence: Confidence,
        }
    }

    ballot! {
        struct Whole {
            #[flatten]
            base: Base,
            /// a long help, which
            /// goes on
            colour: Colour,
            /// yes or no
            ready: bool,
            /// at least one
            notes: Due<NonEmpty<Note>>,
            /// or none
            more: Vec<String>,
            /// if at all
            other: Option<Sentence>,
        }
    }

    ballot! {
        struct Softer {
            #[like(Base)]
            option: Due<OptionId>,
            #[like(Whole)]
            #[also()]
            confidence: Option<Confidence>,
        }
    }

    fn shape(field: &Field) -> (&str, Kind, Need, &str, &[&str]) {
        (field.name, field.kind, field.need, field.help, field.also)
    }

    #[test]
    fn the_form_follows_from_the_declaration() {
        let confidence = Kind::Word(&["HIGH", "MEDIUM", "LOW"]);
        let expected: [(&str, Kind, Need, &str, &[&str]); 7] = [
            ("option", Kind::Option, Need::Required, "the option", &["Vote", "Choice"]),
            ("confidence", confidence, Need::Required, "how sure you are", &[]),
            ("colour", Kind::Word(&["red", "green"]), Need::Required, "a long help, which goes on", &[]),
            ("ready", Kind::Flag, Need::Required, "yes or no", &[]),
            ("notes", Kind::Records(1, Note::FIELDS), Need::Due, "at least one", &[]),
            ("more", Kind::Texts(0), Need::Optional, "or none", &[]),
            ("other", Kind::Text(0), Need::Optional, "if at all", &[]),
        ];
        assert_eq!(Whole::FIELDS.iter().map(shape).collect::<Vec<_>>(), expected);
        let softer: [(&str, Kind, Need, &str, &[&str]); 2] = [
            ("option", Kind::Option, Need::Due, "the option", &["Vote", "Choice"]),
            ("confidence", confidence, Need::Optional, "how sure you are", &[]),
        ];
        assert_eq!(Softer::FIELDS.iter().map(shape).collect::<Vec<_>>(), softer);
    }

    fn whole() -> Whole {
        let base = Base { option: OptionId::new("B"), confidence: Confidence::Low };
        let note = Note { id: "a1".to_owned(), text: Words("it is cheap".to_owned()) };
        Whole {
            base,
            colour: Colour::Green,
            ready: false,
            notes: Due(Some(AtLeast(vec![note]))),
            more: vec!["one".to_owned()],
            other: None,
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        assert_eq!(Whole::of(&whole().to_fields()), Some(whole()));
    }

    /// Without one of its fields a ballot is read, or is none.
    #[test]
    fn only_what_is_required_must_be_there() {
        for (name, is_read) in [
            ("option", false),
            // The seeds' own files need not say it.
            ("confidence", true),
            ("colour", false),
            ("ready", false),
            ("notes", true),
            ("more", true),
        ] {
            let mut fields = whole().to_fields();
            fields.remove(name);
            assert_eq!(Whole::of(&fields).is_some(), is_read, "without {name}");
            fields.put(name, Datum::Null);
            assert_eq!(Whole::of(&fields).is_some(), is_read, "{name}: null");
        }
    }

    #[test]
    fn a_word_that_is_none_is_not_read() {
        for (name, value) in [("colour", "blue"), ("colour", "Red"), ("ready", "yes"), ("option", " ")] {
            let mut fields = whole().to_fields();
            fields.set(name, Datum::from(value));
            assert_eq!(Whole::of(&fields), None, "{name}: {value:?}");
        }
    }
}
