//! JSON in which every key of an object stands once: of two that say different things nobody can know which one is meant.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// Reads past a text, and refuses a key that stands twice in one object, with its place.
pub(super) fn check(text: &str) -> Result<(), serde_json::Error> {
    Once { path: "$".to_owned() }.deserialize(&mut serde_json::Deserializer::from_str(text))
}

/// A value at a place.
struct Once {
    path: String,
}

impl<'de> DeserializeSeed<'de> for Once {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let mut at = 0;
        while access.next_element_seed(Once { path: format!("{}[{at}]", self.path) })?.is_some() {
            at += 1;
        }
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = access.next_key::<String>()? {
            let path = format!("{}.{key}", self.path);
            if !keys.insert(key) {
                return Err(A::Error::custom(format!("{path} stands here a second time: keep one of them")));
            }
            access.next_value_seed(Once { path })?;
        }
        Ok(())
    }
}
