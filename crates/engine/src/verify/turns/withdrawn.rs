//! Turns that were taken off the record, and whether the rules allow it.
//!
//! A run takes turns off the record for two reasons. A seat was absent and is asked again: then its absence goes, and with
//! it whatever was said in later waves. Or a gate blocks and is mended: then the turns go whose files it names, and what came
//! after them. Words that were taken off the record for no such reason were asked for until they pleased.
//!
//! No file says why a turn was withdrawn, and none would be believed. But every turn names the digest of the record before
//! its wave. So the records that once stood are put together again from the turns on record and the withdrawn ones, the
//! protocol is run over each, and a withdrawn turn is excused only by a record in which it stood.

use super::{Kind, Verification, calls, is_plain_name, slug_of};
use crate::attempts;
use crate::survey::{Survey, chain_of};
use crate::workspace::EngineError;
use forge_artifacts::document;
use forge_artifacts::formats::turn::{self, Read, TurnBody, TurnHeader};
use forge_artifacts::store::{DebateFiles, Found, digest_of_turn};
use forge_debate::control::CONTROL;
use forge_debate::digest::Digest;
use forge_debate::protocols;
use forge_debate::record::{Ask, Record, Wave};
use forge_debate::turn::{Turn, TurnKey};
use forge_debate::verdict::{Outcome, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// The most passes of the protocol over records that once stood.
const PASSES_LIMIT: usize = 1000;
/// The most ways to put one wave together that are tried.
const WAYS_LIMIT: usize = 20_000;

/// Why a turn may have been taken off the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Excuse {
    /// A run that put an absence aside died on the way: what came after it is off the record and not asked for again yet.
    Underway,
    /// It was said after an absence that was put aside.
    AfterAbsence,
    /// It stood in a gate that blocked.
    Blocked,
}

/// A turn's file, on record or withdrawn.
struct Version {
    path: String,
    slug: String,
    digest: Digest,
    header: TurnHeader,
    is_absence: bool,
    is_withdrawn: bool,
}

/// What became of the withdrawn turns.
pub(super) struct Withdrawals {
    /// Turns that were withdrawn as the rules allow, by their slugs.
    allowed: BTreeSet<String>,
}

impl Withdrawals {
    /// Whether a turn of one of these waves was withdrawn as the rules allow: then whoever spoke after it had to be asked anew.
    pub(super) fn explain(&self, earlier: &[Wave]) -> bool {
        earlier.iter().flat_map(|wave| wave.iter()).any(|ask| self.allowed.contains(&ask.key.slug()))
    }
}

/// Checks every withdrawn turn.
pub(super) fn check(
    files: &DebateFiles,
    survey: &Survey,
    report: &mut Verification,
) -> Result<Withdrawals, EngineError> {
    let mut past = Past::of(files, survey, report)?;
    if past.versions.iter().any(|version| version.is_withdrawn) {
        past.explore(&Standing::default(), report)?;
    }
    let mut allowed = BTreeSet::new();
    for (i, version) in past.versions.iter().enumerate().filter(|(_, version)| version.is_withdrawn) {
        let (path, slug, header) = (&version.path, &version.slug, &version.header);
        // A turn that was asked for again counts the calls of the one before it too; a file that somebody left does not.
        let is_left = survey.heard.iter().any(|one| one.turn.key.slug() == *slug && one.header.attempts == 0);
        let is_asked = survey.waves.iter().flat_map(|wave| wave.iter()).any(|ask| ask.key.slug() == *slug);
        if is_plain_name(slug) && (is_left || !is_asked) {
            let calls = calls::read(files, slug, header.attempts)?;
            // Calls after it belong to a later turn of this name, or to none: those the verdict lists.
            let own = calls.get(..header.attempts as usize).unwrap_or(&calls);
            calls::check_files(files, slug, header, path, own, report);
        }
        let again = "taken off the record and asked for again, as the rules allow";
        match past.excuses.get(&i) {
            _ if version.is_absence => report.note(format!("{path}: the seat had not answered and was asked again")),
            Some(Excuse::Blocked) => report.note(format!("{path}: {again}: a gate that blocks may be mended")),
            Some(Excuse::AfterAbsence) => {
                report.note(format!("{path}: {again}: it was said after an absence that was put aside"));
            }
            Some(Excuse::Underway) => {
                let text = "it was said after an absence that still stands: a run with --retry-absent ended early, and goes on with that flag";
                report.note(format!("{path}: {text}"));
                continue;
            }
            None => {
                let text = if past.is_spent() {
                    "this was said and taken off the record, and there are too many withdrawn turns to tell why"
                } else {
                    "this was said, and the seat was asked again without cause: nobody before it was absent and asked again, and no gate blocked"
                };
                report.found(Kind::ReAsked, path, text);
                continue;
            }
        }
        allowed.insert(slug.clone());
    }
    Ok(Withdrawals { allowed })
}

/// A record that once stood, or the beginning of one.
#[derive(Clone, Default)]
struct Standing {
    turns: BTreeMap<TurnKey, Turn>,
    /// The versions in it, wave by wave.
    waves: Vec<Vec<(usize, TurnKey)>>,
}

/// Everything that was ever on record, as far as it is on file.
struct Past<'a> {
    files: &'a DebateFiles,
    survey: &'a Survey,
    versions: Vec<Version>,
    /// Every record that some turn was made after.
    followed: BTreeSet<Digest>,
    excuses: BTreeMap<usize, Excuse>,
    passes: usize,
}

impl<'a> Past<'a> {
    fn of(files: &'a DebateFiles, survey: &'a Survey, report: &mut Verification) -> Result<Self, EngineError> {
        let mut versions = Vec::new();
        for entry in files.disk().list(&files.layout.trail("withdrawn"))? {
            let path = files.layout.trail(&format!("withdrawn/{}", entry.name));
            let Some(bytes) = files.disk().read(&path)? else { continue };
            let digest = digest_of_turn(&bytes);
            match turn::read(&document::decode(&bytes).text) {
                Read::Ours(_) if survey.heard.iter().any(|one| one.line.digest == digest) => {
                    report.note(format!("{path}: a run died while it took this turn off the record; it stands"));
                }
                Read::Ours(file) if slug_of(&entry.name).as_ref() == Some(&file.written_key) => {
                    let is_absence = matches!(file.body, TurnBody::Absence(_));
                    let (slug, header) = (file.written_key, file.header);
                    versions.push(Version { path, slug, digest, header, is_absence, is_withdrawn: true });
                }
                _ => report.found(Kind::Edited, path, "it is no turn that forge withdrew"),
            }
        }
        // Later versions of a turn count the calls of the earlier ones; the one on record comes last.
        versions.sort_by_key(|version| version.header.attempts);
        versions.extend(survey.heard.iter().map(|one| Version {
            path: one.line.file.clone(),
            slug: one.turn.key.slug(),
            digest: one.line.digest,
            header: one.header.clone(),
            is_absence: one.turn.absence().is_some(),
            is_withdrawn: false,
        }));
        let followed = versions.iter().map(|version| version.header.previous).collect();
        Ok(Self { files, survey, versions, followed, excuses: BTreeMap::new(), passes: 0 })
    }

    fn is_spent(&self) -> bool {
        self.passes >= PASSES_LIMIT
    }

    /// Goes on from a record in every way in which it once went on.
    fn explore(&mut self, standing: &Standing, report: &mut Verification) -> Result<(), EngineError> {
        if self.is_spent() {
            return Ok(());
        }
        self.passes += 1;
        let mut record = Record::new(&standing.turns);
        let (verdict, asks) = match forge_debate::conclude(self.files.protocol, &self.files.plan, &mut record) {
            Ok(verdict) => (Some(verdict), Vec::new()),
            Err(pending) => (None, pending.asks),
        };
        if let Some(verdict) = &verdict {
            self.excuse_blocked(standing, verdict);
        }
        let only_control = !asks.is_empty() && asks.iter().all(|ask| ask.key.stage == CONTROL);
        let is_open = |outcome: Outcome| outcome.needs_a_person() || outcome.is_settled();
        if only_control || verdict.is_some_and(|verdict| is_open(verdict.outcome())) {
            self.excuse_decision(standing, &asks);
        }
        let before = self.chain(standing, &[]);
        let mut wave: Vec<(Ask, Vec<(usize, Turn)>)> = Vec::new();
        for ask in asks {
            let turns = self.answers(&ask, before, report)?;
            wave.push((ask, turns));
        }
        for (ask, turns) in &wave {
            for (i, _) in turns {
                self.excuse_after_absence(standing, *i, &ask.key);
            }
        }
        if wave.is_empty() || wave.iter().any(|(_, turns)| turns.is_empty()) {
            return Ok(());
        }
        for way in ways(&wave.iter().map(|(_, turns)| turns.len()).collect::<Vec<_>>()) {
            let chosen: Vec<(&Ask, &(usize, Turn))> =
                wave.iter().zip(&way).filter_map(|((ask, turns), n)| Some((ask, turns.get(*n)?))).collect();
            let indices: Vec<usize> = chosen.iter().map(|(_, (i, _))| *i).collect();
            // A record that nobody spoke after matters only where it may have been the last one.
            let is_followed = self.followed.contains(&self.chain(standing, &indices));
            if !is_followed && wave.len() > 1 {
                continue;
            }
            let mut next = standing.clone();
            next.waves.push(chosen.iter().map(|(ask, (i, _))| (*i, ask.key.clone())).collect());
            next.turns.extend(chosen.iter().map(|(ask, (_, turn))| (ask.key.clone(), turn.clone())));
            self.explore(&next, report)?;
        }
        Ok(())
    }

    /// The digest of a record with some more turns after it.
    fn chain(&self, standing: &Standing, more: &[usize]) -> Digest {
        let there = standing.waves.iter().flatten().map(|(i, _)| i);
        let digests = there.chain(more).filter_map(|i| self.versions.get(*i)).map(|version| version.digest);
        chain_of(self.files, digests)
    }

    /// Every version of the turn that answers this ask and was made after this record.
    fn answers(&self, ask: &Ask, before: Digest, report: &mut Verification) -> Result<Vec<(usize, Turn)>, EngineError> {
        let slug = ask.key.slug();
        let mut spent = 0;
        let mut answers = Vec::new();
        for (i, version) in self.versions.iter().enumerate().filter(|(_, version)| version.slug == slug) {
            let from = std::mem::replace(&mut spent, version.header.attempts);
            if version.header.previous != before {
                continue;
            }
            if !version.is_withdrawn {
                answers.extend(self.survey.turns.get(&ask.key).map(|turn| (i, turn.clone())));
                continue;
            }
            match self.files.find_withdrawn(ask, &version.path)? {
                Found::Turn(one) => {
                    if version.is_absence {
                        self.absence(ask, version, from, report)?;
                    }
                    answers.push((i, one.turn.clone()));
                }
                Found::Damaged { path, problems, .. } => {
                    report.found(Kind::Edited, &path, super::without_path(&path, &problems));
                }
                _ => {}
            }
        }
        Ok(answers)
    }

    /// An absence must be what its own calls come to: nobody is absent who answered in form.
    fn absence(&self, ask: &Ask, version: &Version, from: u32, report: &mut Verification) -> Result<(), EngineError> {
        let calls = calls::read(self.files, &version.slug, version.header.attempts)?;
        let own = calls.iter().take(version.header.attempts as usize).map(|call| &call.attempt);
        let (due, _) = calls::due(self.files, ask, &attempts::asked_last(own, from));
        if matches!(due, calls::Due::Speech(..)) {
            let text = "it says that the seat did not speak, and a reply in form is on record";
            report.found(Kind::Edited, &version.path, text);
        }
        Ok(())
    }

    /// Whoever spoke after an absence that was put aside is asked again.
    fn excuse_after_absence(&mut self, standing: &Standing, i: usize, key: &TurnKey) {
        let earlier: Vec<&Version> =
            standing.waves.iter().flatten().filter_map(|(i, _)| self.versions.get(*i)).collect();
        let is_absence = |withdrawn: bool| earlier.iter().any(|one| one.is_absence && one.is_withdrawn == withdrawn);
        if is_absence(true) {
            self.excuse(i, Excuse::AfterAbsence);
        } else if is_absence(false) && !self.survey.turns.contains_key(key) {
            // Absences are put aside last, so that a run that dies in between leaves nothing that follows nothing.
            self.excuse(i, Excuse::Underway);
        }
    }

    /// A person's decision follows the whole record, and may come before a seat alone has been heard to its end.
    fn excuse_decision(&mut self, standing: &Standing, control: &[Ask]) {
        let key = protocols::decision_ask().key;
        let before = self.chain(standing, &[]);
        let alone = |version: &Version, ask: &Ask| version.slug == ask.key.slug() && version.header.previous == before;
        let heard: Vec<Vec<usize>> = control
            .iter()
            .map(|ask| self.versions.iter().enumerate().filter(|(_, one)| alone(one, ask)).map(|(i, _)| i).collect())
            .filter(|versions: &Vec<usize>| !versions.is_empty())
            .collect();
        let mut records = vec![before];
        for way in ways(&heard.iter().map(Vec::len).collect::<Vec<_>>()) {
            let chosen: Vec<usize> =
                heard.iter().zip(&way).filter_map(|(versions, n)| versions.get(*n)).copied().collect();
            records.push(self.chain(standing, &chosen));
        }
        let slug = key.slug();
        let follows = |one: &Version| one.slug == slug && records.contains(&one.header.previous);
        let found: Vec<usize> =
            self.versions.iter().enumerate().filter(|(_, one)| follows(one)).map(|(i, _)| i).collect();
        for i in found {
            self.excuse_after_absence(standing, i, &key);
        }
    }

    /// A gate that blocks is mended: what it names goes, what people left may be written anew, and the last wave goes always.
    fn excuse_blocked(&mut self, standing: &Standing, verdict: &Verdict) {
        if verdict.outcome() != Outcome::Blocked {
            return;
        }
        let plan = &self.files.plan;
        let keys = standing.waves.iter().flatten().map(|(_, key)| key);
        let named = forge_debate::to_mend(plan, verdict, keys);
        let is_left =
            |i: usize| self.versions.get(i).is_some_and(|one| matches!(one.header.agent.as_str(), "human" | "outside"));
        let mut after_mended = false;
        let mut excused = Vec::new();
        for (n, wave) in standing.waves.iter().enumerate() {
            let is_last = n + 1 == standing.waves.len();
            let may_go = |(i, key): &&(usize, TurnKey)| after_mended || is_last || is_left(*i) || named.contains(&key);
            let gone: Vec<usize> = wave.iter().filter(may_go).map(|(i, _)| *i).collect();
            after_mended |= gone.iter().any(|i| self.versions.get(*i).is_some_and(|one| one.is_withdrawn));
            excused.extend(gone);
        }
        for i in excused {
            self.excuse(i, Excuse::Blocked);
        }
    }

    fn excuse(&mut self, i: usize, excuse: Excuse) {
        let best = self.excuses.entry(i).or_insert(excuse);
        *best = (*best).max(excuse);
    }
}

/// The ways to choose one of each: first those in which everybody who was asked again was asked again at the same time, which
/// is how runs do it; then, where they are few enough, all.
fn ways(counts: &[usize]) -> Vec<Vec<usize>> {
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut ways: Vec<Vec<usize>> =
        (0..most).map(|n| counts.iter().map(|count| n.min(count.saturating_sub(1))).collect()).collect();
    let all = counts.iter().try_fold(1_usize, |all, count| all.checked_mul(*count)).unwrap_or(usize::MAX);
    if all > WAYS_LIMIT || counts.is_empty() {
        return ways;
    }
    let joint: BTreeSet<Vec<usize>> = ways.iter().cloned().collect();
    for mut n in 0..all {
        let mut way = Vec::with_capacity(counts.len());
        for count in counts {
            way.push(n % count);
            n /= count;
        }
        if !joint.contains(&way) {
            ways.push(way);
        }
    }
    ways
}
