//! Whether what is said makes sense as a whole: agents that there are, seats that their protocols have.

use super::reading::Layer;
use super::{File, Origin, Remark, Resolved, trust};
use forge_agents::Roster;
use forge_debate::hidden::{is_unseen, written_out};
use forge_debate::plan::nearest;
use forge_debate::profile::Seats;
use forge_debate::{control, framing, protocols};
use forge_prose::secrets::redacted;

/// Names that are words of forge's own and can be no agent of a user's.
const TAKEN: &[&str] = &["rehearsal", "scripted", "acp", "local", "human", "outside", "auto"];

/// The kinds of agents that forge knows, by the names that stand before a colon.
fn known_agents() -> Vec<&'static str> {
    Roster::known().into_iter().filter_map(|(pattern, _)| pattern.split([':', '[']).next()).collect()
}

pub(super) fn look_at_agents(resolved: &mut Resolved, files: [(&File, &Layer); 2]) {
    let known = known_agents();
    let said = |name: &str, key: &str| {
        files.iter().find_map(|(file, layer)| {
            let at = layer.settings.iter().find(|one| {
                matches!(&one.names[..], [agents, one, field] if agents == "agents" && one == name && (key.is_empty() || field == key))
            })?;
            Some((file.name.clone(), at.line))
        })
    };
    let remark = |at: Option<(String, usize)>, text: String| {
        let (file, line) = at.map_or((String::new(), None), |(file, line)| (file, Some(line)));
        Remark { file, line, text }
    };
    for (name, settings) in &resolved.roster.agents {
        let at = said(name, "");
        let makes = settings.command.is_some() || settings.api.is_some();
        // The program that runs model files may be said; an address of theirs may not.
        let says_what_runs_files = name == "local" && settings.api.is_none();
        let shown = redacted(name);
        let list = |words: &Option<Vec<String>>| words.clone().unwrap_or_default();
        let command = settings.command.iter().cloned().collect();
        let typed =
            [("command", command), ("args", list(&settings.args)), ("key_command", list(&settings.key_command))];
        for (key, words) in &typed {
            // What runs is what a reader of the file sees.
            if let Some(word) = words.iter().find(|word| word.contains(is_unseen)) {
                let word = redacted(&written_out(word));
                let text = format!("agents.{shown}.{key}: {word:?} has characters that cannot be seen; take them out");
                resolved.problems.push(remark(said(name, key), text));
            }
        }
        if !trust::is_agent_name(name) {
            let text = format!("agents.{shown}: an agent's name has letters, digits, - and _ only");
            resolved.problems.push(remark(at, text));
        } else if makes && TAKEN.contains(&name.as_str()) && !says_what_runs_files {
            let text = format!("agents.{shown}: {shown} is a word of forge's own; give your agent another name");
            resolved.problems.push(remark(at, text));
        } else if settings.command.is_some() && settings.api.is_some() {
            let text = format!("agents.{shown}: either command or api, not both");
            resolved.problems.push(remark(said(name, "api"), text));
        } else if !makes && !known.contains(&name.as_str()) {
            let near = nearest(name, known.iter().copied()).map(|near| format!("; did you mean agents.{near}?"));
            let near = near.unwrap_or_default();
            let text =
                format!("agents.{shown}: forge knows no such agent, and neither command nor api makes it one{near}");
            resolved.warnings.push(remark(at, text));
        }
    }
}

/// An agent that there is not is told of where it is named, before a debate asks for it.
pub(super) fn look_at_hands(resolved: &mut Resolved, files: [(&File, &Layer); 2]) {
    let mut known = known_agents();
    known.extend(TAKEN);
    known.extend(resolved.roster.agents.keys().map(String::as_str));
    let mut remarks = Vec::new();
    for chosen in resolved.values.iter().filter(|chosen| chosen.names_an_agent()) {
        let name = chosen.value.as_str().map(trust::bare_name).unwrap_or_default();
        if name.is_empty() || known.contains(&name) {
            continue;
        }
        let file = match &chosen.origin {
            Origin::User(file) | Origin::Project(file) => file.clone(),
            Origin::Environment(variable) => (*variable).to_owned(),
            Origin::Default => continue,
        };
        let at = files.iter().filter(|(one, _)| one.name == file).find_map(|(_, layer)| {
            layer.settings.iter().find(|setting| setting.names.join(".") == chosen.path).map(|setting| setting.line)
        });
        let near = nearest(name, known.iter().copied()).map(|near| format!("; did you mean {near}?"));
        let text = format!("{}: forge knows no agent {name:?}{}", chosen.path, near.unwrap_or_default());
        remarks.push(Remark { file, line: at, text: redacted(&text) });
    }
    resolved.warnings.extend(remarks);
}

/// A seat that its protocol does not have is a slip. A panel's seats depend on its roster and its question.
pub(super) fn look_at_seats(resolved: &mut Resolved, files: [(&File, &Layer); 2]) {
    for (file, layer) in files {
        for setting in &layer.settings {
            let [seats, protocol, seat] = &setting.names[..] else { continue };
            if seats != "seats" {
                continue;
            }
            let names = protocols::names();
            let text = if !names.contains(&protocol.as_str()) {
                let near = nearest(protocol, names).map(|near| format!("; did you mean seats.{near}?"));
                Some(format!("seats.{protocol}: no such protocol{}", near.unwrap_or_default()))
            } else {
                no_such_seat(protocol, seat)
            };
            if let Some(text) = text {
                let remark = Remark { file: file.name.clone(), line: Some(setting.line), text: redacted(&text) };
                resolved.warnings.push(remark);
            }
        }
    }
}

fn no_such_seat(protocol: &str, seat: &str) -> Option<String> {
    let Seats::Fixed(seats) = protocols::newest(protocol).ok()?.profile.seats else { return None };
    let mut names: Vec<&str> = seats.iter().map(|seat| seat.id).collect();
    names.extend([framing::FRAMER, control::SEAT]);
    if names.contains(&seat) {
        return None;
    }
    let near = nearest(seat, names.iter().copied()).map(|near| format!("; did you mean {near}?"));
    let all = names.join(", ");
    Some(format!("seats.{protocol}.{seat}: {protocol} has the seats {all}{}", near.unwrap_or_default()))
}
