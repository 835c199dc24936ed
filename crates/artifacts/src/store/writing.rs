//! Putting things on record, and taking back what was put there. Recorded facts are written once; derived files are
//! rewritten whenever they differ.

use super::{ATTEMPTS_LIMIT, DebateFiles, digest_of_turn, without_keys};
use crate::disk::{Created, DiskError};
use crate::document::{self, Document};
use crate::formats::call::{self, Intent, ReceiptOnFile};
use crate::formats::plan::{self, PlanFile};
use crate::formats::turn::{self, CallFiles, Read, TurnBody, TurnHeader};
use crate::formats::verdict::Spent;
use forge_debate::brief::{one_line, plain};
use forge_debate::digest::Digest;
use forge_debate::plan::{Material, Plan};
use forge_debate::profile::ReportFile;
use forge_debate::record::Ask;
use forge_debate::turn::TurnKey;
use forge_prose::secrets::keys_removed;
use std::collections::BTreeMap;

/// One attempt at a turn.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// What was intended, if the file can be read.
    pub intent: Option<Intent>,
    /// The receipt and the raw bytes, if the reply is on record.
    pub reply: Option<(ReceiptOnFile, Vec<u8>)>,
    /// Its files as they are, readable or not.
    pub files: CallFiles,
}

/// What a host shows of one file or one command's output at most, with something to spare.
const ASK_PART_CHARS: usize = 29_000;
/// More parts than this are not looked for.
const ASK_PARTS_LIMIT: usize = 1000;

impl DebateFiles {
    /// Puts a turn on record. A turn is written once: if one is there already, that one stands. It is on the medium with the
    /// next [`settle`](Self::settle): what was said is in the reply, and that is.
    pub fn put_turn(&self, key: &TurnKey, header: &TurnHeader, body: &TurnBody) -> Result<Created, DiskError> {
        let text = turn::write(key, header, body);
        let path = match body {
            TurnBody::Absence(_) if !self.plan.protocol.absences_have_files => self.layout.taken_in(key),
            _ => self.turn_path(key),
        };
        self.disk.create_soon(&path, text.as_bytes())
    }

    /// Puts the words of a reply on record as the turn that answers this ask.
    pub fn put_reply_as_turn(&self, ask: &Ask, header: &TurnHeader, words: String) -> Result<Created, DiskError> {
        let body = TurnBody::Speech(words);
        let text = turn::write(&ask.key, header, &body);
        let created = self.disk.create_soon(&self.turn_path(&ask.key), text.as_bytes())?;
        if let (Created::New, TurnBody::Speech(words)) = (created, &body) {
            let _ = self.foresee(ask, header, words, &text);
        }
        Ok(created)
    }

    /// Waits until what was put on record is on the medium.
    pub fn settle(&self) -> Result<(), DiskError> {
        self.disk.settle()
    }

    /// Takes in a file that somebody left at the turn's own place: the file stays as it is, its text goes to the trail, without
    /// what looks like a key. Tells how many were removed. What a run left there that died before its wave was closed is
    /// replaced.
    pub fn take_in(&self, key: &TurnKey, header: &TurnHeader, bytes: &[u8]) -> Result<u32, DiskError> {
        let (header, text) = left_turn(key, header, bytes);
        let path = self.layout.taken_in(key);
        if self.disk.create_new(&path, text.as_bytes())? == Created::AlreadyThere {
            self.disk.replace(&path, text.as_bytes())?;
        }
        Ok(header.keys_removed)
    }

    /// The text of a file that was taken in, as it is in the trail.
    pub fn text_taken_in(&self, key: &TurnKey) -> Result<Option<String>, DiskError> {
        let bytes = self.disk.read(&self.layout.taken_in(key))?.unwrap_or_default();
        Ok(match turn::read(&document::decode(&bytes).text) {
            Read::Ours(file) => match file.body {
                TurnBody::Left(text) => Some(text),
                _ => None,
            },
            _ => None,
        })
    }

    /// Leaves somebody's words at the turn's place, as if they had written the file there themselves.
    pub fn hand_in(&self, key: &TurnKey, bytes: &[u8]) -> Result<Created, DiskError> {
        self.disk.create_new(&self.turn_path(key), bytes)
    }

    /// Moves a file that is no turn out of a turn's place, without what looks like a key, and tells where it went.
    pub fn set_aside(&self, key: &TurnKey, path: &str) -> Result<String, DiskError> {
        self.move_to(path, |number| self.layout.set_aside(key, number), |bytes| without_keys(&bytes).unwrap_or(bytes))
    }

    /// Takes a turn off the record so that its seat is asked again. It is kept, and what it cost still counts.
    pub fn withdraw(&self, key: &TurnKey, path: &str) -> Result<String, DiskError> {
        self.move_to(path, |number| self.layout.withdrawn(key, number), |bytes| bytes)
    }

    /// Copy first, remove second: dying in between leaves the file twice, and the next move finds its copy.
    fn move_to(
        &self,
        path: &str,
        place: impl Fn(u32) -> String,
        kept: impl Fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<String, DiskError> {
        let Some(bytes) = self.disk.read(path)?.map(kept) else { return Ok(path.to_owned()) };
        for number in 1..=ATTEMPTS_LIMIT {
            let target = place(number);
            let there = self.disk.read(&target)?;
            if there.as_deref().is_some_and(|there| there != bytes.as_slice()) {
                continue;
            }
            let _ = self.disk.create_new(&target, &bytes)?;
            self.disk.remove(path)?;
            return Ok(target);
        }
        let full = std::io::Error::other(format!("{ATTEMPTS_LIMIT} files were moved out of its place already"));
        Err(DiskError::from_io(path, full))
    }

    /// How many attempts at a turn belong to turns that were withdrawn: they count as spent and no longer as answers. A
    /// turn on record whose copy is among them was only about to be withdrawn; `on_record` is its digest.
    pub fn withdrawn_attempts(&self, key: &TurnKey, on_record: Option<Digest>) -> Result<u32, DiskError> {
        let mut most = 0;
        for number in 1..=ATTEMPTS_LIMIT {
            let Some(bytes) = self.disk.read(&self.layout.withdrawn(key, number))? else { break };
            if on_record != Some(digest_of_turn(&bytes))
                && let Read::Ours(file) = turn::read(&document::decode(&bytes).text)
                && file.written_key == key.slug()
            {
                most = most.max(file.header.attempts);
            }
        }
        Ok(most)
    }

    /// Every attempt at a turn that is on record, in order: the intent, and the reply where there is one.
    pub fn attempts(&self, key: &TurnKey) -> Result<Vec<Attempt>, DiskError> {
        let mut attempts = Vec::new();
        for number in 1..=ATTEMPTS_LIMIT {
            let Some(brief) = self.disk.read(&self.layout.brief(key, number))? else { break };
            let reply = self.disk.read(&self.layout.reply(key, number))?;
            attempts.push(Attempt {
                number,
                intent: call::read_intent(&brief),
                reply: reply.as_deref().and_then(call::read_reply),
                files: CallFiles { brief: Digest::of(&brief), reply: reply.as_deref().map(Digest::of) },
            });
        }
        Ok(attempts)
    }

    /// Puts a brief on record before the call, and tells the digest of its file. If the process dies after this, the call
    /// is possibly paid. Before the call it must be [settled](Self::settle).
    pub fn put_brief(&self, key: &TurnKey, intent: &Intent, text: &str) -> Result<(Created, Digest), DiskError> {
        let bytes = call::write_brief(intent, &key.slug(), text);
        let created = self.disk.create_soon(&self.layout.brief(key, intent.attempt), bytes.as_bytes())?;
        Ok((created, Digest::of(bytes.as_bytes())))
    }

    /// Puts a raw reply with its receipt on record, before anything tries to read it, and tells the digest of its file.
    pub fn put_reply(&self, key: &TurnKey, receipt: &ReceiptOnFile, raw: &[u8]) -> Result<Digest, DiskError> {
        let bytes = call::write_reply(receipt, raw);
        let _ = self.disk.create_soon(&self.layout.reply(key, receipt.attempt), &bytes)?;
        self.settle()?;
        Ok(Digest::of(&bytes))
    }

    /// Where the brief is of a seat that forge does not ask itself.
    pub fn outside_brief_path(&self, key: &TurnKey) -> String {
        self.layout.trail(&format!("outside/{}.md", key.slug()))
    }

    /// Writes the brief of a seat that forge does not ask itself, and tells where.
    pub fn put_outside_brief(&self, key: &TurnKey, how: &str, brief: &str) -> Result<String, DiskError> {
        let path = self.outside_brief_path(key);
        let parts = in_parts(brief, ASK_PART_CHARS.saturating_sub(how.chars().count()));
        if let [whole] = parts.as_slice() {
            self.put_derived(&path, format!("{how}{whole}").as_bytes())?;
            return Ok(path);
        }
        let mut list =
            format!("{how}What is asked stands in {} files. Read all of them, in this order:\n\n", parts.len());
        for (n, part) in parts.iter().enumerate() {
            let file = part_path(&path, n + 1);
            list.push_str(&format!("- `{file}`\n"));
            self.put_derived(&file, part.as_bytes())?;
        }
        self.put_derived(&path, list.as_bytes())?;
        Ok(path)
    }

    /// The files with the parts of a brief that is too long for one, in their order.
    pub fn outside_brief_parts(&self, key: &TurnKey) -> Result<Vec<String>, DiskError> {
        let path = self.outside_brief_path(key);
        let mut parts = Vec::new();
        for number in 1..=ASK_PARTS_LIMIT {
            let part = part_path(&path, number);
            if self.disk.read(&part)?.is_none() {
                break;
            }
            parts.push(part);
        }
        Ok(parts)
    }

    /// Writes a report, if it is not already as it should be. Before the first one, what somebody else wrote is moved out of its
    /// place, and it is told where it went; what forge keeps current while a debate is open is its own.
    pub fn put_report(&self, path: &str, bytes: &[u8], is_first: bool) -> Result<Option<String>, DiskError> {
        let there = self.disk.read(path)?;
        if there.as_deref() == Some(bytes) {
            return Ok(None);
        }
        let is_kept_current =
            || ReportFile::ALL.iter().any(|one| one.is_of_open() && path == self.layout.path(one.file()));
        let kept = match there.is_some() && is_first && !is_kept_current() {
            true => {
                let name = path.rsplit('/').next().unwrap_or_default();
                let place = |number| self.layout.trail(&format!("aside/{number}-{name}"));
                Some(self.move_to(path, place, |bytes| bytes)?)
            }
            false => None,
        };
        self.disk.replace_soon(path, bytes)?;
        Ok(kept)
    }

    /// Writes a file for readers, if it is not already as it should be.
    pub fn put_derived(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        if self.disk.read(path)?.as_deref() == Some(bytes) { Ok(()) } else { self.disk.replace_soon(path, bytes) }
    }

    /// Writes the status word into the plan, if it is not there already. Derived, and no part of the plan's digest.
    pub fn put_status(&self, status: &str) -> Result<(), DiskError> {
        let path = self.layout.plan();
        let Some(bytes) = self.disk.read(&path)? else { return Ok(()) };
        let text = document::decode(&bytes).text;
        let value = crate::yaml::quoted(status);
        // The usual case costs a search; everything else is left to the careful editor.
        if plan::front_of(&text).contains(&format!("\nstatus: {value}\n")) {
            return Ok(());
        }
        self.disk.replace_soon(&path, document::set_front_value(&text, "status", &value).as_bytes())
    }

    /// Tokens of all calls in all runs so far: what receipts say, and for calls without one what was set aside.
    pub fn tokens_used(&self) -> Result<u64, DiskError> {
        let said = |receipt: &ReceiptOnFile| Some(receipt.input_tokens?.saturating_add(receipt.output_tokens?));
        self.used(said, |intent| intent.reserved_tokens)
    }

    /// What all calls in all runs so far cost, in millionths of a US dollar: what receipts say, and for calls without one
    /// what was set aside.
    pub fn cost_used(&self) -> Result<u64, DiskError> {
        self.used(|receipt| receipt.cost_microdollars, |intent| intent.reserved_cost.unwrap_or(0))
    }

    fn used(
        &self,
        said: impl Fn(&ReceiptOnFile) -> Option<u64>,
        reserved: impl Fn(Intent) -> u64,
    ) -> Result<u64, DiskError> {
        let mut used: u64 = 0;
        for entry in self.disk().list(&self.layout.trail("briefs"))? {
            let at = |folder: &str| self.layout.trail(&format!("{folder}/{}", entry.name));
            let reply = self.disk().read(&at("replies"))?;
            let receipt = reply.as_deref().and_then(call::read_reply).map(|(receipt, _)| receipt);
            let brief = self.disk().read(&at("briefs"))?;
            let set_aside = brief.as_deref().and_then(call::read_intent).map_or(0, &reserved);
            let untold = receipt.as_ref().map_or(0, |receipt| receipt.untold_tries);
            used = used.saturating_add(call::charged(receipt.as_ref().and_then(&said), set_aside, untold));
        }
        Ok(used)
    }

    /// The headers of turns that were withdrawn and never asked for again: what they cost still counts.
    pub fn withdrawn_for_good(&self, heard: &[TurnKey]) -> Result<Vec<TurnHeader>, DiskError> {
        let heard: Vec<String> = heard.iter().map(TurnKey::slug).collect();
        let mut last: BTreeMap<String, TurnHeader> = BTreeMap::new();
        for entry in self.disk().list(&self.layout.trail("withdrawn"))? {
            let Some(bytes) = self.disk().read(&self.layout.trail(&format!("withdrawn/{}", entry.name)))? else {
                continue;
            };
            if let Read::Ours(file) = turn::read(&document::decode(&bytes).text)
                && !heard.contains(&file.written_key)
                && last.get(&file.written_key).is_none_or(|before| before.attempts < file.header.attempts)
            {
                last.insert(file.written_key, file.header);
            }
        }
        Ok(last.into_values().collect())
    }

    /// Makes a plan one that may change again, for a debate in which nobody has spoken. Briefs that were laid out for
    /// people go with it: they were rendered from the plan as it was.
    pub fn unseal(&self) -> Result<(), DiskError> {
        for entry in self.disk.list(&self.layout.trail("outside"))? {
            self.disk.remove(&self.layout.trail(&format!("outside/{}", entry.name)))?;
        }
        self.disk.remove(&self.layout.sealed_plan())
    }

    /// Writes another plan in the place of this one.
    pub fn put_plan(&self, plan: Plan) -> Result<(), DiskError> {
        let file = PlanFile { plan, ..self.file.clone() };
        self.disk.replace(&self.layout.plan(), plan::write(&file, &self.texts).as_bytes())
    }

    /// Writes another plan with other materials. If the process dies in between the plan has none, and can be read: the same
    /// again puts them in.
    pub fn put_plan_with(&self, plan: Plan, materials: &[Material]) -> Result<(), DiskError> {
        let write = |file: &PlanFile| self.disk.replace(&self.layout.plan(), plan::write(file, &self.texts).as_bytes());
        let bare =
            PlanFile { plan: plan::with_materials(plan, Vec::new()), materials: Vec::new(), ..self.file.clone() };
        write(&bare)?;
        for (i, (name, _)) in self.file.materials.iter().enumerate() {
            self.disk.remove(&self.layout.material(i + 1, name))?;
        }
        for (i, material) in materials.iter().enumerate() {
            self.disk.replace(&self.layout.material(i + 1, &material.name), material.text.as_bytes())?;
        }
        let named = materials.iter().map(|one| (one.name.clone(), Digest::of(one.text.as_bytes()))).collect();
        write(&PlanFile { plan: plan::with_materials(bare.plan.clone(), materials.to_vec()), materials: named, ..bare })
    }

    /// Calls made in all runs so far, and how many of them have no reply on record. Counts files, reads none.
    pub fn calls(&self) -> Result<Spent, DiskError> {
        // What a file manager leaves beside them is no call.
        let is_call = |name: &str| name.ends_with(".md") && !name.starts_with('.');
        let count = |folder: &str| {
            let entries = self.disk.list(&self.layout.trail(folder))?;
            Ok::<usize, DiskError>(entries.iter().filter(|entry| is_call(&entry.name)).count())
        };
        let briefs = count("briefs")?;
        let replies = count("replies")?;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Ok(Spent { calls: number(briefs), possibly_paid: number(briefs.saturating_sub(replies)), ..Spent::default() })
    }
}

fn part_path(path: &str, number: usize) -> String {
    format!("{}.{number}.md", path.trim_end_matches(".md"))
}

/// A text in parts of at most so many characters, cut between lines where there are any.
fn in_parts(text: &str, limit: usize) -> Vec<String> {
    let limit = limit.max(1);
    let mut parts = vec![String::new()];
    let mut count = 0;
    for line in text.split_inclusive('\n') {
        let chars: Vec<char> = line.chars().collect();
        for piece in chars.chunks(limit) {
            if count + piece.len() > limit {
                parts.push(String::new());
                count = 0;
            }
            count += piece.len();
            if let Some(last) = parts.last_mut() {
                last.extend(piece);
            }
        }
    }
    parts
}

/// The model that a file from outside names as its writer in its front matter: nobody checks it, and reports say so.
fn stated_model(left: &str) -> Option<String> {
    const MODEL_CHARS: usize = 100;
    let document = Document::parse(left);
    let model = one_line(&plain(document.fields()?.get("model")?.as_str()?));
    (!model.is_empty() && model.chars().count() <= MODEL_CHARS).then_some(model)
}

/// A file that somebody left as the turn that it becomes, with its header: the whole text, without what looks like a key.
pub(super) fn left_turn(key: &TurnKey, header: &TurnHeader, bytes: &[u8]) -> (TurnHeader, String) {
    let left = document::decode(bytes).text;
    let text = without_keys(bytes).map(|clean| document::decode(&clean).text);
    let keys_removed = text.as_deref().map_or(0, |text| keys_removed(text, &left));
    let model_served = stated_model(text.as_deref().unwrap_or(&left));
    let header = TurnHeader { keys_removed, model_served, reply: Some(Digest::of(left.as_bytes())), ..header.clone() };
    let text = turn::write(key, &header, &TurnBody::Left(text.unwrap_or(left)));
    (header, text)
}
