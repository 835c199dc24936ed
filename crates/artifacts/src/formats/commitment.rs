//! A person's sealed vote: the commitment, which is public at once; the words, which wait outside of the debate's folder;
//! and the salt, which is published with the words so that anybody can hold them against the commitment.
//!
//! The digest is the SHA-256 of the salt, a line break and the words as they lie in the turn's file, so that it can be
//! checked without forge: `(printf '%s\n' SALT; cat FILE) | sha256sum`. The salt is as long as the digest and random:
//! without it nobody can try out which vote the digest fits.

use super::call::header;
use super::{FrontMatter, scalar};
use crate::layout::Layout;
use forge_debate::digest::Digest;
use forge_debate::turn::TurnKey;
use serde_json::{Map, Value};

/// How many hex digits a salt has.
pub const SALT_DIGITS: usize = 64;

/// The host whose shell handed something in: what it says of itself, and nobody proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// The subagent, as the host's guard named it: type and id. None where no guard was active.
    pub subagent: Option<String>,
    /// The subagent, as the host named it to its shell, such as `codex/ID`: known, and not guarded.
    pub shell: Option<String>,
}

impl Host {
    /// The subagent, whoever named it.
    pub fn who(&self) -> Option<&str> {
        self.subagent.as_deref().or(self.shell.as_deref())
    }
}

/// What was committed to, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commitment {
    /// The debate.
    pub debate: String,
    /// The turn, as files of the trail name it.
    pub turn: String,
    /// Whose vote.
    pub seat: String,
    /// In which stage.
    pub stage: String,
    /// In which round.
    pub round: u16,
    /// When, by the clock of the machine on which it was sealed.
    pub committed_at: String,
    /// The digest of the plan that the vote answers.
    pub plan: Digest,
    /// The digest of salt and words.
    pub commitment: Digest,
    /// The host that handed it in, if one did.
    pub host: Option<Host>,
}

/// What lets anybody check a vote against its commitment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revealed {
    /// The debate.
    pub debate: String,
    /// The turn, as files of the trail name it.
    pub turn: String,
    /// When.
    pub revealed_at: String,
    /// The commitment that it opens.
    pub commitment: Digest,
    /// The salt.
    pub salt: String,
    /// The commitments of the other people in the wave as they were then, by turn: none can be exchanged afterwards without
    /// contradicting this file.
    pub beside: Vec<(String, Digest)>,
}

/// A commitment that counts no longer, and why: its seat may vote again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawal {
    /// What was committed to.
    pub commitment: Commitment,
    /// When it was taken back.
    pub withdrawn_at: String,
    /// Why.
    pub because: String,
}

/// The words of a sealed vote, as they wait outside of the debate's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The debate.
    pub debate: String,
    /// The turn, as files of the trail name it.
    pub turn: String,
    /// The salt.
    pub salt: String,
    /// The words, exactly as they will lie in the turn's file.
    pub words: Vec<u8>,
}

/// Where the commitment to a turn is.
pub fn path(layout: &Layout, key: &TurnKey) -> String {
    layout.trail(&format!("sealed/{}.md", key.slug()))
}

/// Where the salt of a turn is, once it is revealed.
pub fn revealed_path(layout: &Layout, key: &TurnKey) -> String {
    layout.trail(&format!("revealed/{}.md", key.slug()))
}

/// The folder of commitments that were taken back.
pub fn withdrawals(layout: &Layout) -> String {
    layout.trail("withdrawn-votes")
}

/// Where a commitment that was taken back is; numbers begin with 1.
pub fn withdrawal_path(layout: &Layout, key: &TurnKey, number: u32) -> String {
    format!("{}/{}.{number}.md", withdrawals(layout), key.slug())
}

/// Where the words wait, in the folder that holds all words that wait.
pub fn kept_path(commitment: Digest) -> String {
    format!("{}.md", commitment.short(SALT_DIGITS))
}

/// The digest that commits to these words.
pub fn digest(salt: &str, words: &[u8]) -> Digest {
    Digest::of(&[salt.as_bytes(), b"\n", words].concat())
}

/// Whether these words, with this salt, are what was committed to.
pub fn matches(commitment: &Commitment, salt: &str, words: &[u8]) -> bool {
    is_salt(salt) && digest(salt, words) == commitment.commitment
}

/// Whether a text can be a salt: of one length, so that salt and words cannot be cut apart in another place.
pub fn is_salt(text: &str) -> bool {
    text.len() == SALT_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

/// Writes a commitment.
pub fn write(commitment: &Commitment) -> String {
    let body = format!(
        "\n{} has spoken. The words wait elsewhere, and are published when nobody can be led by them any more.\n",
        commitment.seat
    );
    fields(commitment).finish(&body)
}

fn fields(commitment: &Commitment) -> FrontMatter {
    let front = FrontMatter::default()
        .text("debate", &commitment.debate)
        .text("turn", &commitment.turn)
        .text("seat", &commitment.seat)
        .text("stage", &commitment.stage)
        .number("round", commitment.round)
        .text("committed_at", &commitment.committed_at)
        .text("plan", &commitment.plan.to_string())
        .text("commitment", &commitment.commitment.to_string());
    of_host(front, commitment.host.as_ref())
}

/// The lines of a host, where there is one.
pub(crate) fn of_host(front: FrontMatter, host: Option<&Host>) -> FrontMatter {
    let Some(host) = host else { return front };
    let front = front.text("host", &host.name);
    let named = [("subagent", &host.subagent), ("shell", &host.shell)];
    named.into_iter().fold(front, |front, (key, name)| match name {
        Some(name) => front.text(key, name),
        None => front,
    })
}

/// The host that a file names.
pub(crate) fn host_in(map: &Map<String, Value>) -> Option<Host> {
    scalar(map, "host").map(|name| Host { name, subagent: scalar(map, "subagent"), shell: scalar(map, "shell") })
}

/// Reads a commitment; nothing if it is not whole.
pub fn read(bytes: &[u8]) -> Option<Commitment> {
    committed(&header(bytes)?.0)
}

fn committed(map: &Map<String, Value>) -> Option<Commitment> {
    Some(Commitment {
        debate: scalar(map, "debate")?,
        turn: scalar(map, "turn")?,
        seat: scalar(map, "seat")?,
        stage: scalar(map, "stage")?,
        round: scalar(map, "round")?.parse().ok()?,
        committed_at: scalar(map, "committed_at")?,
        plan: Digest::parse(&scalar(map, "plan")?)?,
        commitment: Digest::parse(&scalar(map, "commitment")?)?,
        host: host_in(map),
    })
}

/// Writes that a commitment counts no longer.
pub fn write_withdrawal(withdrawal: &Withdrawal) -> String {
    let body = format!("\nThis vote of {} was taken back and counts for nothing.\n", withdrawal.commitment.seat);
    fields(&withdrawal.commitment)
        .text("withdrawn_at", &withdrawal.withdrawn_at)
        .text("because", &withdrawal.because)
        .finish(&body)
}

/// Reads that a commitment counts no longer; nothing if it is not whole.
pub fn read_withdrawal(bytes: &[u8]) -> Option<Withdrawal> {
    let (map, _) = header(bytes)?;
    Some(Withdrawal {
        commitment: committed(&map)?,
        withdrawn_at: scalar(&map, "withdrawn_at")?,
        because: scalar(&map, "because")?,
    })
}

/// Writes what lets anybody check a vote; `file` is where its words are.
pub fn write_revealed(revealed: &Revealed, file: &str) -> String {
    let beside: Vec<Vec<(&str, String)>> = revealed
        .beside
        .iter()
        .map(|(turn, digest)| vec![("turn", turn.clone()), ("commitment", digest.to_string())])
        .collect();
    let body = format!("\nCheck it with: `(printf '%s\\n' {}; cat {file}) | sha256sum`\n", revealed.salt);
    FrontMatter::default()
        .text("debate", &revealed.debate)
        .text("turn", &revealed.turn)
        .text("revealed_at", &revealed.revealed_at)
        .text("commitment", &revealed.commitment.to_string())
        .text("salt", &revealed.salt)
        .records("beside", &beside)
        .finish(&body)
}

/// Reads what lets anybody check a vote; nothing if it is not whole.
pub fn read_revealed(bytes: &[u8]) -> Option<Revealed> {
    let (map, _) = header(bytes)?;
    let beside = match map.get("beside")? {
        Value::Array(others) => others
            .iter()
            .map(|one| Some((one.get("turn")?.as_str()?.to_owned(), Digest::parse(one.get("commitment")?.as_str()?)?)))
            .collect::<Option<Vec<_>>>()?,
        _ => return None,
    };
    Some(Revealed {
        debate: scalar(&map, "debate")?,
        turn: scalar(&map, "turn")?,
        revealed_at: scalar(&map, "revealed_at")?,
        commitment: Digest::parse(&scalar(&map, "commitment")?)?,
        salt: scalar(&map, "salt").filter(|salt| is_salt(salt))?,
        beside,
    })
}

/// Writes words that wait.
pub fn write_kept(kept: &Kept) -> Vec<u8> {
    let header = FrontMatter::default()
        .text("debate", &kept.debate)
        .text("turn", &kept.turn)
        .text("salt", &kept.salt)
        .finish("");
    [header.as_bytes(), &kept.words].concat()
}

/// Reads words that wait.
pub fn read_kept(bytes: &[u8]) -> Option<Kept> {
    let (map, words) = header(bytes)?;
    Some(Kept { debate: scalar(&map, "debate")?, turn: scalar(&map, "turn")?, salt: scalar(&map, "salt")?, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn salt() -> String {
        "0123456789abcdef".repeat(4)
    }

    fn commitment(words: &[u8]) -> Commitment {
        Commitment {
            debate: "q1".to_owned(),
            turn: "opening-r1-value".to_owned(),
            seat: "value".to_owned(),
            stage: "opening".to_owned(),
            round: 1,
            committed_at: "2026-01-15T14:30:22Z".to_owned(),
            plan: Digest::of(b"plan"),
            commitment: digest(&salt(), words),
            host: None,
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let words = b"## Position\n---\n\nOption B.\n---\n".to_vec();
        let sealed = commitment(&words);
        assert_eq!(read(write(&sealed).as_bytes()), Some(sealed.clone()));
        let withdrawal = Withdrawal {
            commitment: sealed.clone(),
            withdrawn_at: sealed.committed_at.clone(),
            because: "the \"disk\" died\n---\nand nothing is left".to_owned(),
        };
        assert_eq!(read_withdrawal(write_withdrawal(&withdrawal).as_bytes()), Some(withdrawal));
        assert_eq!(read_withdrawal(write(&sealed).as_bytes()), None);
        for beside in [Vec::new(), vec![("opening-r1-risk".to_owned(), Digest::of(b"x"))]] {
            let revealed = Revealed {
                debate: sealed.debate.clone(),
                turn: sealed.turn.clone(),
                revealed_at: sealed.committed_at.clone(),
                commitment: sealed.commitment,
                salt: salt(),
                beside,
            };
            assert_eq!(read_revealed(write_revealed(&revealed, "value.md").as_bytes()), Some(revealed));
        }
        let kept = Kept { debate: sealed.debate.clone(), turn: sealed.turn.clone(), salt: salt(), words };
        assert_eq!(read_kept(&write_kept(&kept)), Some(kept));
        for torn in ["", "---\n", "---\ndebate: \"q1\"\n", "value votes B"] {
            assert_eq!((read(torn.as_bytes()), read_kept(torn.as_bytes())), (None, None), "{torn:?}");
        }
    }

    #[test]
    fn only_the_very_words_with_the_very_salt_match() {
        let sealed = commitment(b"Option B.");
        assert!(matches(&sealed, &salt(), b"Option B."));
        assert!(!matches(&sealed, &salt(), b"Option A."));
        assert!(!matches(&sealed, &salt(), b"Option B.\n"));
        assert!(!matches(&sealed, &salt().replace('0', "1"), b"Option B."));
        // A longer salt with shorter words would give the same digest: a salt has one length.
        let long = format!("{}\nOption", salt());
        assert!(!matches(&sealed, &long, b"B.") && !matches(&sealed, "", b"Option B."));
        assert!(!is_salt(&salt().to_uppercase()) && !is_salt("x"));
    }

    /// As `(printf '%s\n' SALT; cat FILE) | sha256sum` tells it.
    #[test]
    fn the_digest_can_be_checked_without_forge() {
        let zeros = "0".repeat(SALT_DIGITS);
        assert_eq!(digest(&zeros, b"Option B.\n"), Digest::of(format!("{zeros}\nOption B.\n").as_bytes()));
    }
}
