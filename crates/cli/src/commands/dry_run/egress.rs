//! Who would be sent what: every recipient, the seats through which it reads, and the files whose bytes it gets.

use crate::commands::Context;
use crate::render;
use crate::seating;
use forge_agents::RosterSettings;
use forge_agents::finding::{self, Found};
use forge_artifacts::formats::plan::{PlanFile, Replaced};
use forge_artifacts::formats::summary;
use forge_artifacts::store::projects_roles;
use forge_debate::plan::{Hand, Plan, Seat};
use forge_debate::protocols::Protocol;
use forge_debate::texts::Texts;
use forge_engine::EngineError;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Somebody who is sent what seats read.
pub(crate) struct Recipient {
    name: String,
    /// Whether nothing leaves the machine.
    is_nobody: bool,
    seats: Vec<String>,
}

/// Everybody who would be sent something, in the order of the seats.
pub(super) fn recipients(context: &Context<'_>, plan: &Plan) -> Result<Vec<Recipient>, EngineError> {
    let found = seating::everything(context)?;
    let mut recipients: Vec<Recipient> = Vec::new();
    for seat in &plan.seats {
        let (name, is_nobody) = match nobody(&seat.hand) {
            Some(why) => (format!("nobody: {why}"), true),
            None => (recipient(&seat.hand.to_string(), context.workspace.roster.settings(), &found), false),
        };
        let seated = format!("{} ({})", seat.id, seat.hand);
        match recipients.iter_mut().find(|known| known.name == name) {
            Some(known) => known.seats.push(seated),
            None => recipients.push(Recipient { name, is_nobody, seats: vec![seated] }),
        }
    }
    Ok(recipients)
}

/// A file whose text goes out.
pub(crate) struct Sent {
    /// The name under which seats read it.
    name: String,
    /// Where it comes from.
    origin: String,
    bytes: usize,
}

impl Sent {
    /// Whole, however long: what is sent is never shortened.
    fn shown(&self) -> String {
        format!("{} ({} bytes)", render::one_line(&self.origin, usize::MAX), self.bytes)
    }
}

/// Every file whose text a debate's seats are sent: what was supplied, and the roles and prompts that are not forge's own.
pub(crate) fn sent(plan: &Plan, texts: &Texts, replaced: Vec<Replaced>) -> Vec<Sent> {
    let supplied = plan.materials.iter().map(|one| (one.name.clone(), one.text.len()));
    let role =
        |is_it: &dyn Fn(&Seat) -> bool| plan.seats.iter().find(|seat| is_it(seat)).map(|seat| texts.role(plan, seat));
    let replaced = replaced.into_iter().map(|one| match one {
        Replaced::Project(name) => {
            let text = match name.strip_prefix("roles/") {
                Some(own) => role(&|seat| seat.role == own),
                None => texts.get(&name).map(str::to_owned),
            };
            (format!(".claude/forge/{name}.md"), text.unwrap_or_default().len())
        }
        Replaced::Persona(id) => {
            (format!("the persona of {id}"), role(&|seat| seat.id == id).unwrap_or_default().len())
        }
        Replaced::Trail(name) => {
            let text = match name.strip_prefix("roles/") {
                Some(id) => role(&|seat| seat.id.as_str() == id),
                None => texts.get(&name).map(str::to_owned),
            };
            (format!("{name}.md in the debate's trail"), text.unwrap_or_default().len())
        }
    });
    supplied.chain(replaced).map(|(name, bytes)| Sent { origin: name.clone(), name, bytes }).collect()
}

/// The same for a debate that is not made, with the supplied files as the user named them.
pub(super) fn sent_by(plan: &Plan, protocol: &'static Protocol, texts: &Texts, files: &[PathBuf]) -> Vec<Sent> {
    let mut all = sent(plan, texts, planned(plan, protocol, texts).replaced(texts));
    all.iter_mut().take(plan.materials.len()).for_each(|one| one.origin = origin(&one.name, files));
    all
}

/// The texts that are not forge's own in a debate that is not made, in words.
pub(super) fn replaced(plan: &Plan, protocol: &'static Protocol, texts: &Texts) -> Option<String> {
    summary::replaced(&planned(plan, protocol, texts).replaced(texts))
}

fn planned(plan: &Plan, protocol: &'static Protocol, texts: &Texts) -> PlanFile {
    PlanFile {
        protocol,
        plan: plan.clone(),
        request: None,
        materials: Vec::new(),
        roles: Vec::new(),
        own_roles: projects_roles(plan, texts),
        prompts: Vec::new(),
        framed: false,
        status: "pending".to_owned(),
    }
}

/// One line for each recipient of files: which files, how large they are, who it is. None where no file leaves the machine.
pub(crate) fn files_sent(context: &Context<'_>, plan: &Plan, sent: &[Sent]) -> Result<Vec<String>, EngineError> {
    if sent.is_empty() {
        return Ok(Vec::new());
    }
    let files = sent.iter().map(Sent::shown).collect::<Vec<_>>().join(", ");
    let recipients = recipients(context, plan)?;
    let others = recipients.iter().filter(|recipient| !recipient.is_nobody);
    Ok(others.map(|recipient| format!("{files} to {}", render::one_line(&recipient.name, usize::MAX))).collect())
}

/// Why what the seat reads goes to nobody, where it does not.
fn nobody(hand: &Hand) -> Option<&'static str> {
    match hand {
        Hand::Agent(_) => hand.is_rehearsal().then_some("forge answers itself"),
        _ => Some("people and outside sessions read files here"),
    }
}

fn recipient(name: &str, settings: &RosterSettings, found: &[Found]) -> String {
    let Ok(known) = finding::named(settings, found, name) else { return format!("whomever {name} asks") };
    match &known.redirected {
        Some(other) if other.host == known.vendor => format!("{} (by {})", other.host, other.by),
        Some(other) => format!("{} (by {}), in place of {}", other.host, other.by, known.vendor),
        None if known.vendor == finding::UNKNOWN_VENDOR => format!("whomever {name} asks"),
        None => known.vendor,
    }
}

/// The lines for a person.
pub(super) fn lines(sent: &[Sent], recipients: &[Recipient]) -> String {
    let mut text = String::from("\n  what is sent to whom\n");
    for recipient in recipients {
        text.push_str(&format!("    {}\n", render::one_line(&recipient.name, usize::MAX)));
        text.push_str(&format!("      through  {}\n", recipient.seats.join(", ")));
        if recipient.is_nobody {
            continue;
        }
        text.push_str("      gets     the question, the options, the seats' role texts, and what other seats said\n");
        for one in sent {
            text.push_str(&format!("      file     {}\n", one.shown()));
        }
    }
    text
}

/// Where a supplied text comes from: the file as it was named, and what it leads to where that is another.
fn origin(name: &str, files: &[PathBuf]) -> String {
    let Some(path) = files.iter().find(|path| path.ends_with(name)) else { return name.to_owned() };
    let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    match path.canonicalize() {
        Ok(real) if is_link => format!("{} -> {}", path.display(), real.display()),
        _ => path.display().to_string(),
    }
}

/// The same for a program.
pub(super) fn json(sent: &[Sent], recipients: &[Recipient]) -> Value {
    let one = |one: &Sent| json!({"name": one.name, "path": one.origin, "bytes": one.bytes});
    let files: Vec<Value> = sent.iter().map(one).collect();
    let one = |recipient: &Recipient| {
        json!({
            "recipient": recipient.name, "seats": recipient.seats,
            "files": if recipient.is_nobody { Vec::new() } else { files.clone() },
        })
    };
    Value::Array(recipients.iter().map(one).collect())
}
