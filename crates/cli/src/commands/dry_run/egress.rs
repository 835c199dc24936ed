//! Who would be sent what: every recipient, the seats through which it reads, and the files whose bytes it gets.

use crate::render;
use forge_agents::finding::Found;
use forge_debate::plan::{Hand, Material, Plan};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Somebody who is sent what seats read.
pub(super) struct Recipient {
    name: String,
    seats: Vec<String>,
}

/// Everybody who would be sent something, in the order of the seats.
pub(super) fn recipients(plan: &Plan, found: &[Found]) -> Vec<Recipient> {
    let mut recipients: Vec<Recipient> = Vec::new();
    for seat in &plan.seats {
        let name = recipient(&seat.hand, found);
        let seated = format!("{} ({})", seat.id, seat.hand);
        match recipients.iter_mut().find(|known| known.name == name) {
            Some(known) => known.seats.push(seated),
            None => recipients.push(Recipient { name, seats: vec![seated] }),
        }
    }
    recipients
}

fn recipient(hand: &Hand, found: &[Found]) -> String {
    let Hand::Agent(name) = hand else { return "nobody: people and outside sessions read files here".to_owned() };
    if hand.is_rehearsal() || name.starts_with("scripted:") {
        return "nobody: forge answers itself".to_owned();
    }
    let short = name.split(':').next().unwrap_or(name);
    match found.iter().find(|one| one.name == short) {
        Some(known) => match &known.redirected {
            Some(other) => format!("{} (by {}), in place of {}", other.host, other.by, known.vendor),
            None => known.vendor.clone(),
        },
        None => format!("whomever {name} asks"),
    }
}

/// The lines for a person.
pub(super) fn lines(plan: &Plan, recipients: &[Recipient], files: &[PathBuf]) -> String {
    let mut text = String::from("\n  what is sent to whom\n");
    for recipient in recipients {
        text.push_str(&format!("    {}\n", render::one_line(&recipient.name, 100)));
        text.push_str(&format!("      through  {}\n", recipient.seats.join(", ")));
        if recipient.name.starts_with("nobody") {
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
        let is_nobody = recipient.name.starts_with("nobody");
        json!({
            "recipient": recipient.name, "seats": recipient.seats,
            "files": if is_nobody { Vec::new() } else { files.clone() },
        })
    };
    Value::Array(recipients.iter().map(one).collect())
}
