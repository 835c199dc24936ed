//! Who sits in a panel.

use crate::model::plan::{nearest, words};
use forge_prose::phrases::lines;
use std::collections::BTreeSet;
use std::sync::LazyLock;

type Table = Vec<(&'static str, Vec<&'static str>)>;

/// The lines of a data file, each a name and its words.
fn table(data: &'static str) -> Table {
    lines(data).filter_map(|line| line.split_once(": ")).map(|(name, all)| (name, all.split(' ').collect())).collect()
}

static ROSTERS: LazyLock<Table> = LazyLock::new(|| table(include_str!("../../../data/panel/rosters.txt")));
static GENERALISTS: LazyLock<Table> = LazyLock::new(|| table(include_str!("../../../data/panel/generalists.txt")));
static SPECIALISTS: LazyLock<Table> = LazyLock::new(|| table(include_str!("../../../data/panel/specialists.txt")));

/// The names of the rosters.
pub fn rosters() -> Vec<&'static str> {
    ROSTERS.iter().map(|(name, _)| *name).collect()
}

fn called(table: &Table, question: &str, fallback: &[&'static str]) -> Vec<&'static str> {
    let asked: BTreeSet<String> = words(question).collect();
    let found: Vec<&str> =
        table.iter().filter(|(_, calls)| calls.iter().any(|word| asked.contains(*word))).map(|(id, _)| *id).collect();
    if found.is_empty() { fallback.to_vec() } else { found }
}

/// The experts of a roster for this question; the contrarian and the moonshot are not among them.
pub(super) fn experts(roster: Option<&str>, question: &str) -> Result<Vec<&'static str>, String> {
    let wanted = roster.unwrap_or("planning-1");
    let Some((name, fixed)) = ROSTERS.iter().find(|(name, _)| *name == wanted) else {
        let hint = nearest(wanted, rosters()).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        return Err(format!("unknown roster {wanted:?}; the rosters are {}{hint}", rosters().join(", ")));
    };
    let mut ids: Vec<&str> = fixed.clone();
    match *name {
        "planning-1" => ids.extend(called(&GENERALISTS, question, &["infrastructure-engineer", "data-architect"])),
        "planning-2" => ids.extend(called(&SPECIALISTS, question, &["typescript-specialist", "python-specialist"])),
        _ => {}
    }
    Ok(ids)
}
