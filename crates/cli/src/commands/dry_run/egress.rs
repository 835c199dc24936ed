//! Who would be sent what: every recipient, the seats through which it reads, and the files whose bytes it gets.

use crate::commands::Context;
use crate::render;
use crate::seating;
use forge_agents::RosterSettings;
use forge_agents::finding::{self, Found};
use forge_debate::plan::{Hand, Material, Plan};
use forge_engine::EngineError;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The most files that one line names.
const FILES_NAMED: usize = 4;

/// Somebody who is sent what seats read.
pub(crate) struct Recipient {
    name: String,
    seats: Vec<String>,
}

impl Recipient {
    fn is_nobody(&self) -> bool {
        self.name.starts_with("nobody")
    }
}

/// Everybody who would be sent something, in the order of the seats.
pub(super) fn recipients(context: &Context<'_>, plan: &Plan) -> Result<Vec<Recipient>, EngineError> {
    let found = seating::everything(context)?;
    let mut recipients: Vec<Recipient> = Vec::new();
    for seat in &plan.seats {
        let name = recipient(&seat.hand, context.workspace.roster.settings(), &found);
        let seated = format!("{} ({})", seat.id, seat.hand);
        match recipients.iter_mut().find(|known| known.name == name) {
            Some(known) => known.seats.push(seated),
            None => recipients.push(Recipient { name, seats: vec![seated] }),
        }
    }
    Ok(recipients)
}

/// One line for each recipient of files: who it is, which files, how large they are. None where no file leaves the machine.
pub(crate) fn files_sent(context: &Context<'_>, plan: &Plan) -> Result<Vec<String>, EngineError> {
    if plan.materials.is_empty() {
        return Ok(Vec::new());
    }
    let file =
        |material: &Material| format!("{} ({} bytes)", render::one_line(&material.name, 80), material.text.len());
    let mut files: Vec<String> = plan.materials.iter().take(FILES_NAMED).map(file).collect();
    if let Some(more) = plan.materials.len().checked_sub(FILES_NAMED).filter(|more| *more > 0) {
        let bytes: usize = plan.materials.iter().map(|material| material.text.len()).sum();
        files.push(format!("and {more} more ({bytes} bytes in all)"));
    }
    let files = files.join(", ");
    let recipients = recipients(context, plan)?;
    let others = recipients.iter().filter(|recipient| !recipient.is_nobody());
    Ok(others.map(|recipient| format!("{files} to {}", render::one_line(&recipient.name, 100))).collect())
}

fn recipient(hand: &Hand, settings: &RosterSettings, found: &[Found]) -> String {
    let Hand::Agent(name) = hand else { return "nobody: people and outside sessions read files here".to_owned() };
    if hand.is_rehearsal() || name.starts_with("scripted:") {
        return "nobody: forge answers itself".to_owned();
    }
    let Ok(known) = finding::named(settings, found, name) else { return format!("whomever {name} asks") };
    match &known.redirected {
        Some(other) if other.host == known.vendor => format!("{} (by {})", other.host, other.by),
        Some(other) => format!("{} (by {}), in place of {}", other.host, other.by, known.vendor),
        None if known.vendor == finding::UNKNOWN_VENDOR => format!("whomever {name} asks"),
        None => known.vendor,
    }
}

/// The lines for a person.
pub(super) fn lines(plan: &Plan, recipients: &[Recipient], files: &[PathBuf]) -> String {
    let mut text = String::from("\n  what is sent to whom\n");
    for recipient in recipients {
        text.push_str(&format!("    {}\n", render::one_line(&recipient.name, 100)));
        text.push_str(&format!("      through  {}\n", recipient.seats.join(", ")));
        if recipient.is_nobody() {
            continue;
        }
        text.push_str("      gets     the question, the options, the seats' role texts, and what other seats said\n");
        for material in &plan.materials {
            text.push_str(&format!(
                "      file     {} ({} bytes)\n",
                render::one_line(&origin(&material.name, files), 120),
                material.text.len()
            ));
        }
    }
    text
}

/// Where a supplied text comes from: the file as it was named, and what it leads to where that is another.
fn origin(name: &str, files: &[PathBuf]) -> String {
    let is_it = |path: &&PathBuf| path.file_name().is_some_and(|own| name.ends_with(own.to_string_lossy().as_ref()));
    let Some(path) = files.iter().find(is_it) else { return name.to_owned() };
    let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    match path.canonicalize() {
        Ok(real) if is_link => format!("{} -> {}", path.display(), real.display()),
        _ => path.display().to_string(),
    }
}

/// The same for a program.
pub(super) fn json(plan: &Plan, recipients: &[Recipient], files: &[PathBuf]) -> Value {
    let one = |material: &Material| json!({"name": material.name, "path": origin(&material.name, files), "bytes": material.text.len()});
    let files: Vec<Value> = plan.materials.iter().map(one).collect();
    let one = |recipient: &Recipient| {
        json!({
            "recipient": recipient.name, "seats": recipient.seats,
            "files": if recipient.is_nobody() { Vec::new() } else { files.clone() },
        })
    };
    Value::Array(recipients.iter().map(one).collect())
}
