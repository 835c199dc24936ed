//! Who sits in a panel.

use crate::plan::{nearest, words};
use std::collections::BTreeSet;

/// Rosters and their seats. The contrarian and the moonshot are added to every one.
const ROSTERS: &[(&str, &[&str])] = &[
    ("board", &["ceo", "cto", "cfo", "coo"]),
    ("planning-1", &["software-architect", "security-architect"]),
    ("planning-2", &["lead-specialist"]),
    ("planning-3", &["delivery-lead", "quality-lead", "release-engineer", "estimator"]),
];

/// Who joins `planning-1` by topic, and the words that call for them.
const GENERALISTS: &[(&str, &[&str])] = &[
    (
        "infrastructure-engineer",
        &[
            "deploy",
            "deployment",
            "infrastructure",
            "kubernetes",
            "cloud",
            "server",
            "servers",
            "cache",
            "caching",
            "latency",
            "scaling",
            "scale",
            "network",
            "redis",
            "memcached",
            "queue",
            "kafka",
            "cluster",
            "hosting",
        ],
    ),
    (
        "data-architect",
        &[
            "data",
            "database",
            "databases",
            "schema",
            "sql",
            "postgres",
            "storage",
            "migration",
            "session",
            "sessions",
            "analytics",
            "index",
            "event",
            "events",
            "store",
        ],
    ),
    (
        "ux-lead",
        &[
            "user",
            "users",
            "ux",
            "ui",
            "design",
            "frontend",
            "mobile",
            "app",
            "accessibility",
            "onboarding",
            "page",
            "screen",
            "customers",
        ],
    ),
];

/// Who joins `planning-2` by language, and the words that call for them.
const SPECIALISTS: &[(&str, &[&str])] = &[
    ("rust-specialist", &["rust", "cargo", "tokio"]),
    ("go-specialist", &["go", "golang", "goroutine"]),
    ("python-specialist", &["python", "django", "flask", "pandas", "fastapi"]),
    (
        "typescript-specialist",
        &["typescript", "javascript", "node", "react", "vue", "svelte", "deno", "bun", "frontend"],
    ),
    ("jvm-specialist", &["java", "kotlin", "scala", "jvm", "spring"]),
    ("sql-specialist", &["sql", "postgres", "postgresql", "mysql", "sqlite", "database"]),
];

/// The names of the rosters.
pub fn rosters() -> Vec<&'static str> {
    ROSTERS.iter().map(|(name, _)| *name).collect()
}

fn called(table: &[(&'static str, &[&str])], question: &str, fallback: &[&'static str]) -> Vec<&'static str> {
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
    let mut ids: Vec<&str> = fixed.to_vec();
    match *name {
        "planning-1" => ids.extend(called(GENERALISTS, question, &["infrastructure-engineer", "data-architect"])),
        "planning-2" => ids.extend(called(SPECIALISTS, question, &["typescript-specialist", "python-specialist"])),
        _ => {}
    }
    Ok(ids)
}
