//! Files in the debate's folder that are no part of it.

use super::turns::slug_of;
use super::verdict::{Derived, OnFile};
use super::{Kind, Verification};
use crate::survey::Survey;
use crate::workspace::EngineError;
use forge_artifacts::catalog;
use forge_artifacts::document;
use forge_artifacts::formats::commitment;
use forge_artifacts::formats::turn::{self, Read};
use forge_artifacts::store::{ATTEMPTS_LIMIT, DebateFiles};
use forge_debate::profile::ReportFile;
use forge_debate::protocols;
use forge_debate::texts::Texts;
use std::collections::BTreeSet;

/// The most names in one note.
const NAMES_SHOWN: usize = 5;

/// Names every file that nobody asked for.
pub(super) fn check(
    files: &DebateFiles,
    survey: &Survey,
    derived: &Derived,
    on_file: &OnFile,
    report: &mut Verification,
) -> Result<(), EngineError> {
    let known = known(files, survey, derived, on_file)?;
    let trail = format!("{}/", files.layout.trail_folder());
    let folders = turn_folders(files, survey);
    let mut beside = Vec::new();
    for path in all(files)?.into_iter().filter(|path| !known.contains(path)) {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_ours = path.starts_with(&trail) || folders.contains(folder) || !files.layout.has_own_folder();
        if ReportFile::ALL.iter().any(|report| path == files.layout.path(report.file())) {
            let text = format!("no report of a {} has this name; forge did not write it", files.plan.protocol.name);
            report.found(Kind::Added, path, text);
        } else if is_ours || is_turn(files, &path) {
            report.found(Kind::Added, path, "nobody asked for it");
        } else {
            beside.push(path.rsplit('/').next().unwrap_or_default().to_owned());
        }
    }
    if !beside.is_empty() {
        let more = beside.len().saturating_sub(NAMES_SHOWN);
        beside.truncate(NAMES_SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        report.note(format!("no part of the debate: {}{more}", beside.join(", ")));
    }
    Ok(())
}

/// Every file of the debate's folder; in a folder that debates share, those of its trail, those of the seat alone, and
/// those that could be turns or reports of it.
fn all(files: &DebateFiles) -> Result<Vec<String>, EngineError> {
    let dir = files.layout.dir();
    if files.layout.has_own_folder() {
        return Ok(files.files_below(dir)?);
    }
    let mut found = files.files_below(&files.layout.trail_folder())?;
    found.extend(files.files_below(&files.layout.path("control"))?);
    let rounds = files.plan.protocol.rounds.most;
    for path in protocols::possible_files(&files.plan, rounds).iter().map(|name| files.layout.path(name)) {
        found.extend(catalog::is_taken(files.disk().as_ref(), &path)?.then_some(path));
    }
    Ok(found)
}

/// Every path at which this debate may have a file.
fn known(
    files: &DebateFiles,
    survey: &Survey,
    derived: &Derived,
    on_file: &OnFile,
) -> Result<BTreeSet<String>, EngineError> {
    let layout = &files.layout;
    let mut known: BTreeSet<String> =
        [layout.plan(), layout.sealed_plan(), layout.lock(), layout.verdict()].into_iter().collect();
    known.extend(derived.texts.iter().map(|(path, _)| path.clone()));
    known.extend(files.file.materials.iter().enumerate().map(|(i, (name, _))| layout.material(i + 1, name)));
    known.extend(files.plan.seats.iter().map(|seat| layout.role(&seat.id)));
    known.extend(files.plan.seats.iter().filter_map(|seat| files.persona_path(&seat.id)));
    // One that was added is told with the plan's other texts.
    known.extend(Texts::names().filter(|name| name.starts_with("prompts/")).map(|name| layout.prompt(name)));
    known.extend(survey.heard.iter().chain(&survey.framing).map(|one| one.line.file.clone()));
    known.extend(on_file.turns().iter().map(|row| row.file.to_owned()));
    let framing = forge_debate::framing::ask().key;
    let decision = forge_debate::protocols::decision_ask().key;
    // Where the options were given, nobody framed anything.
    let was_framed = files.file.framed || forge_debate::framing::is_needed(&files.plan) || survey.framing.is_some();
    let asked = survey.waves.iter().flat_map(|wave| wave.iter()).map(|ask| &ask.key).chain([&decision]);
    let asked: Vec<_> = asked.chain(Some(&framing).filter(|_| was_framed)).collect();
    for key in &asked {
        known.extend([files.turn_path(key), files.outside_brief_path(key)]);
        known.extend([commitment::path(layout, key), commitment::revealed_path(layout, key)]);
    }
    known.extend(survey.open.iter().map(|open| layout.taken_in(&open.ask.key)));
    // Files that no turn names are held against the list in the verdict; without it only slugs are known.
    let turns: Vec<_> =
        survey.heard.iter().chain(&survey.framing).map(|one| (one.turn.key.slug(), &one.header)).collect();
    let has_list = on_file.list("kept").is_some();
    let mut slugs: BTreeSet<String> = asked.iter().map(|key| key.slug()).collect();
    slugs.extend(on_file.turns().into_iter().map(|row| row.slug));
    for entry in files.disk().list(&layout.trail("withdrawn"))? {
        slugs.extend(slug_of(&entry.name));
    }
    let is_over = survey.verdict.is_some();
    let folders = ["aside", "outside", "withdrawn"].map(|folder| format!("{}/", layout.trail(folder)));
    for (path, _) in files.kept(&turns)? {
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_known = slug_of(name).is_some_and(|slug| slugs.contains(&slug)) || !is_over;
        if has_list || is_known || folders.iter().any(|folder| path.starts_with(folder.as_str())) {
            known.insert(path);
        }
    }
    for (slug, header) in &turns {
        for number in 1..=header.attempts.min(ATTEMPTS_LIMIT) {
            known.extend(["briefs", "replies"].map(|folder| layout.trail(&format!("{folder}/{slug}.{number}.md"))));
        }
    }
    known.extend(named_by_others(files, &slugs)?);
    Ok(known)
}

/// Briefs and replies of turns that are known and not on record: withdrawn, open, or after a turn that cannot be read.
fn named_by_others(files: &DebateFiles, slugs: &BTreeSet<String>) -> Result<Vec<String>, EngineError> {
    let mut found = Vec::new();
    for folder in ["briefs", "replies"] {
        for entry in files.disk().list(&files.layout.trail(folder))? {
            if slug_of(&entry.name).is_some_and(|slug| slugs.contains(&slug)) {
                found.push(files.layout.trail(&format!("{folder}/{}", entry.name)));
            }
        }
    }
    Ok(found)
}

/// The folders below the debate's own in which turns lie.
fn turn_folders(files: &DebateFiles, survey: &Survey) -> BTreeSet<String> {
    let paths = survey.waves.iter().flat_map(|wave| wave.iter()).map(|ask| files.turn_path(&ask.key));
    let folders = paths.filter_map(|path| path.rsplit_once('/').map(|(folder, _)| folder.to_owned()));
    folders.filter(|folder| folder != files.layout.dir()).collect()
}

/// Whether a file says that forge wrote it as a turn.
fn is_turn(files: &DebateFiles, path: &str) -> bool {
    let Ok(Some(bytes)) = files.disk().read(path) else { return false };
    !matches!(turn::read(&document::decode(&bytes).text), Read::Plain)
}
