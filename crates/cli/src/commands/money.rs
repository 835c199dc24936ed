//! What a debate may cost in money, in words and as JSON, before anybody is asked.

use forge_agents::prices::{By, Price};
use forge_agents::recipes;
use forge_artifacts::formats::money::{dollars, rough};
use forge_engine::{Estimate, SeatEstimate};
use serde_json::{Value, json};

/// The interval in all and by seat, and the cap on it, behind a label of so many characters; "tokens only" where no price
/// is known.
pub(crate) fn lines(estimate: &Estimate, cap: Option<u64>, width: usize) -> Vec<String> {
    let mut lines = intervals(estimate, width);
    if let Some(cap) = cap {
        let least = estimate.cost().map_or(0, |(least, _)| least);
        let warning = if cap < least { ": less than it may take at the least, so seats may go unasked" } else { "" };
        lines.push(format!("{:<width$}at most {} USD{warning}", "cap", rough(cap)));
    }
    lines
}

fn intervals(estimate: &Estimate, width: usize) -> Vec<String> {
    let row = |label: &str, text: String| format!("{label:<width$}{text}");
    if estimate.seats.is_empty() {
        return vec![row("money", "none of forge's: it asks nobody".to_owned())];
    }
    if estimate.is_free() {
        return vec![row("money", "free".to_owned())];
    }
    let without = estimate.without_price();
    let only = format!("tokens only: no price for {}", without.join(", "));
    let Some(cost) = estimate.cost().filter(|_| estimate.seats.iter().any(is_priced)) else {
        return vec![row("money", only)];
    };
    let partly = if without.is_empty() { String::new() } else { format!(", without {}", without.join(", ")) };
    let mut lines = vec![row("money", format!("about {} {}{partly}", interval(cost), said_by(estimate)))];
    for seat in &estimate.seats {
        let text = match (&seat.price, seat.cost) {
            (Price::Free, _) => "free".to_owned(),
            (_, Some(cost)) => interval(cost),
            (_, None) => "tokens only".to_owned(),
        };
        lines.push(row("", format!("  {:<12} {text} ({})", seat.seat.as_str(), seat.agent)));
    }
    if !without.is_empty() {
        lines.push(row("", only));
    }
    if estimate.seats.iter().any(|seat| is_priced(seat) && may_be_logged_in(&seat.agent)) {
        lines.push(row("", "whoever is logged in with a subscription is not billed by the call".to_owned()));
    }
    lines
}

/// The same for programs.
pub(crate) fn json(estimate: &Estimate, cap: Option<u64>) -> Value {
    let usd = |(least, most): (u64, u64)| json!({"min": dollars(least), "max": dollars(most)});
    json!({
        "usd": estimate.cost().map(usd),
        "cap": cap.map(dollars),
        "by": estimate.priced_by().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "tokens_only": estimate.without_price(),
        "seats": estimate.seats.iter().map(|seat| json!({
            "seat": seat.seat.as_str(), "agent": seat.agent, "calls": {"min": seat.calls.0, "max": seat.calls.1},
            "usd": seat.cost.map(usd),
        })).collect::<Vec<_>>(),
    })
}

fn interval((least, most): (u64, u64)) -> String {
    format!("{} to {} USD", rough(least), rough(most))
}

fn said_by(estimate: &Estimate) -> String {
    let words = |by: &By| match by {
        By::List(day) => format!("by list prices of {day}"),
        By::Configuration => "by configured prices".to_owned(),
    };
    estimate.priced_by().into_iter().map(words).collect::<Vec<_>>().join(" and ")
}

fn is_priced(seat: &SeatEstimate) -> bool {
    matches!(seat.price, Price::Priced(_))
}

/// Whether an agent may be logged in with a subscription: an agent CLI may.
fn may_be_logged_in(agent: &str) -> bool {
    recipes::named(agent.split(':').next().unwrap_or(agent)).is_some()
}

#[cfg(test)]
mod tests {
    use super::may_be_logged_in;

    #[test]
    fn agent_clis_may_be_logged_in_and_interfaces_are_billed() {
        assert!(["claude", "codex:gpt-5", "qwen", "opencode:a/b"].into_iter().all(may_be_logged_in));
        assert!(!["openai:gpt-5", "anthropic", "rehearsal"].into_iter().any(may_be_logged_in));
    }
}
