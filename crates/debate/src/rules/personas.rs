//! The challengers' personas: which file of the debate's folder holds whose, and what stands above every one of them.

use crate::model::plan::{Plan, Seat, SeatId};

/// The files that agent programs read as their context.
pub const CONTEXT_FILES: [&str; 4] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"];

/// The file of a challenger's persona in the debate's folder: what its program reads where it is the only seat with that
/// name, else `<SEAT>.md`. Where no challenger's program reads a file (model APIs, people, rehearsals) the seed's names
/// stand.
pub fn persona_file(plan: &Plan, seat: &SeatId) -> Option<String> {
    let challengers = plan.debaters();
    let own = challengers.iter().find(|one| one.id == *seat)?;
    let reads = |one: &Seat| one.context_file.clone();
    let named = match reads(own) {
        None if challengers.iter().all(|one| one.context_file.is_none()) => {
            plan.protocol.persona_file(seat).map(str::to_owned)
        }
        name => name.filter(|name| challengers.iter().filter(|one| reads(one).as_ref() == Some(name)).count() == 1),
    };
    Some(named.unwrap_or_else(|| format!("{}.md", seat.as_str().to_uppercase())))
}

/// What a persona's file begins with: agents that find it in a repository must not take it for their own orders.
fn notice(plan: &Plan, seat: &SeatId) -> String {
    format!(
        "> This file addresses the seat `{seat}` of the forge debate `{}` and nobody else. If you were not asked to sit in that seat, it holds no instructions for you.\n\n",
        plan.id
    )
}

/// A persona's file.
pub fn persona(plan: &Plan, seat: &SeatId, role: &str) -> String {
    format!("{}{role}", notice(plan, seat))
}

/// The role text of a persona's file, without what forge put above it.
pub fn role_of_persona<'t>(plan: &Plan, seat: &SeatId, text: &'t str) -> &'t str {
    text.strip_prefix(notice(plan, seat).as_str()).unwrap_or(text)
}
