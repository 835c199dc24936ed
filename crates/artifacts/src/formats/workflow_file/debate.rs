//! When a phase debates: S0's flat keys, and the same nested under `debate_gate`, there with or without `debate_` before them.

use super::settings::{given, inside, trigger};
use super::spot::Spot;
use super::{Defect, ENTRIES_LIMIT, sentences};
use crate::disk::places;
use forge_debate::protocols;
use forge_workflow::definition::{FileRead, Phase, PhaseDebate, Remark, Setting, Trigger};

/// The folders in which a workflow file may place a document: what is written there is for readers.
const FOLDERS: &[&str] = &[
    "docs",
    "doc",
    "documentation",
    "design",
    "adr",
    "adrs",
    "decisions",
    "notes",
    "plans",
    "proposals",
    "rfc",
    "rfcs",
    "spec",
    "specs",
];
/// How the names of documents end.
const ENDINGS: &[&str] = &[".md", ".markdown", ".txt"];

/// The keys of `debate_gate`.
const KEYS: &[&str] = &[
    "required",
    "enabled",
    "trigger",
    "protocol",
    "options_document",
    "debate_enabled",
    "debate_trigger",
    "debate_protocol",
    "triggers",
];

/// A phase's debate with what the file says about it.
pub(super) fn settings(spot: &Spot<'_>, phase: &Phase, read: &mut FileRead) -> Result<PhaseDebate, Defect> {
    let mut debate = phase.debate.clone();
    let gate = spot.at("debate_gate");
    let has_gate = spot.get("debate_gate").is_some();
    if has_gate {
        gate.object()?;
        read.unknown.extend(gate.unknown_keys(KEYS));
    }
    let places = |name: &'static str| [(spot, name), (&gate, name.trim_start_matches("debate_")), (&gate, name)];
    let required = gate.flag("required")?;

    let enabled = agreed(&places("debate_enabled"), |at, key| at.flag(key))?;
    if let (Some(true), Some((false, at))) = (required, &enabled) {
        let problem =
            format!("{} says that the debate is required; leave one of the two out", gate.at("required").path());
        return Err(at.refuse(&problem));
    }
    let own = agreed(&places("debate_trigger"), trigger)?;
    let names_one = places("debate_trigger").iter().any(|(at, key)| at.names(key));
    if own.is_some() || names_one {
        debate.trigger = own.as_ref().map(|(trigger, _)| *trigger);
    }
    // Who names a trigger, or describes a gate, wants it looked at.
    debate.enabled = enabled.as_ref().map_or(debate.enabled || own.is_some() || has_gate, |(enabled, _)| *enabled);
    if let Some((_, at)) = &enabled {
        given(phase, Setting::Enabled, at, read);
    }
    match (&own, required) {
        (_, Some(true)) => {
            debate.trigger = Some(Trigger::Always);
            given(phase, Setting::Trigger, &gate.at("required"), read);
            if let Some((_, at)) = own.filter(|(trigger, _)| *trigger != Trigger::Always) {
                read.remarks.push(Remark::RequiredAlways { path: at.path() });
            }
        }
        (Some((_, at)), _) => given(phase, Setting::Trigger, at, read),
        _ => {}
    }

    if let Some((name, _)) = agreed(&places("debate_protocol"), protocol)? {
        debate.protocol = name;
    }
    let documents = [(spot, "options_document"), (&gate, "options_document")];
    let options = agreed(&documents, document)?;
    if options.is_some() || documents.iter().any(|(at, key)| at.names(key)) {
        debate.options_document = options.map(|(path, _)| path);
    }
    if let Some(listed) = gate.texts("triggers", ENTRIES_LIMIT)? {
        debate.occasions = sentences::prose(&listed, read);
    }
    Ok(debate)
}

/// Whether the file gives a phase a trigger of its own, if only `null`.
pub(super) fn gives_trigger(spot: &Spot<'_>) -> bool {
    let gate = spot.at("debate_gate");
    let required = gate.flag("required").ok().flatten() == Some(true);
    spot.names("debate_trigger") || gate.names("trigger") || gate.names("debate_trigger") || required
}

/// Whether the file says that a phase's debates are on or off.
pub(super) fn gives_enabled(spot: &Spot<'_>) -> bool {
    let gate = spot.at("debate_gate");
    spot.get("debate_enabled").is_some() || gate.get("enabled").is_some() || gate.get("debate_enabled").is_some()
}

/// One value from several spellings, with the place of the first.
fn agreed<'v, T: PartialEq>(
    places: &[(&Spot<'v>, &str)],
    read: impl Fn(&Spot<'v>, &str) -> Result<Option<T>, Defect>,
) -> Result<Option<(T, Spot<'v>)>, Defect> {
    let mut first: Option<(T, Spot<'v>)> = None;
    for (spot, key) in places {
        let Some(value) = read(spot, key)? else { continue };
        let at = spot.at(key);
        match &first {
            Some((known, twin)) if *known != value => {
                return Err(at.not(&format!("what {} says; leave one of the two out", twin.path())));
            }
            Some(_) => {}
            None => first = Some((value, at)),
        }
    }
    Ok(first)
}

fn protocol(spot: &Spot<'_>, key: &str) -> Result<Option<String>, Defect> {
    let Some(at) = spot.get(key) else { return Ok(None) };
    let name = at.own_text()?;
    protocols::newest(name).map_err(|problem| at.refuse(&problem))?;
    Ok(Some(name.to_owned()))
}

fn document(spot: &Spot<'_>, key: &str) -> Result<Option<String>, Defect> {
    let Some(at) = spot.get(key) else { return Ok(None) };
    let path = inside(&at)?;
    if path.ends_with('/') {
        return Err(at.not("a document: it is a folder"));
    }
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let is_document = ENDINGS.iter().any(|ending| name.to_lowercase().ends_with(ending));
    let is_in_place = folders.split('/').any(|part| FOLDERS.iter().any(|one| part.eq_ignore_ascii_case(one)));
    if let Some(why) = places::not_written(&path) {
        return Err(at.not(&format!("a document for options: {why}")));
    }
    match is_document && is_in_place {
        true => Ok(Some(path)),
        false => Err(at.not(&format!(
            "a document for options, which forge makes and seats read: expected a path such as docs/forge/options.md, in a folder {}, that ends with {}",
            FOLDERS.join(", "),
            ENDINGS.join(", ")
        ))),
    }
}
