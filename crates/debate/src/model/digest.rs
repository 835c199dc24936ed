//! Digests: how one recorded thing names another beyond doubt.

use sha2::{Digest as _, Sha256};
use std::fmt;

/// A SHA-256 digest, printed as `sha256:<64 hex digits>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of several parts, each framed by its length so that no two lists of parts look alike.
    pub fn of_parts<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> Self {
        let mut all = Parts::default();
        parts.into_iter().for_each(|part| all.add(part));
        all.digest()
    }

    /// Reads the printed form back.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.trim().strip_prefix("sha256:")?;
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        let mut bytes = [0u8; 32];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(hex.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// The first eight bytes as a number: a seed that anyone can recompute.
    pub fn seed(&self) -> u64 {
        self.0.iter().take(8).fold(0, |n, byte| (n << 8) | u64::from(*byte))
    }

    /// The first `n` hex digits, for names that people read.
    pub fn short(&self, n: usize) -> String {
        self.hex().chars().take(n).collect()
    }

    fn hex(&self) -> String {
        let mut hex = String::with_capacity(2 * self.0.len());
        for digit in self.0.iter().flat_map(|byte| [byte >> 4, byte & 0xf]) {
            hex.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
        hex
    }
}

/// Parts of which a digest is made one after the other, and that tell it at any time: the same as [`Digest::of_parts`].
#[derive(Debug, Clone, Default)]
pub struct Parts(Sha256);

impl Parts {
    /// Adds a part.
    pub fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// The digest of the parts so far.
    pub fn digest(&self) -> Digest {
        Digest(self.0.clone().finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
