//! The domain of a question, so that a challenger can be an expert in it and not in general.

use crate::model::plan::{Plan, words};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A field of knowledge and what each kind of challenger looks at in it.
#[derive(Debug, Default)]
pub(crate) struct Domain {
    pub name: &'static str,
    words: Vec<&'static str>,
    architect: Vec<&'static str>,
    operator: Vec<&'static str>,
    adversary: Vec<&'static str>,
}

impl Domain {
    /// What a challenger of this role looks at here, as a Markdown list.
    pub(crate) fn focus(&self, role: &str) -> String {
        let points = match role {
            "challenger-operator" => &self.operator,
            "challenger-adversary" => &self.adversary,
            _ => &self.architect,
        };
        points.iter().map(|point| format!("- {point}")).collect::<Vec<_>>().join("\n")
    }
}

static DOMAINS: LazyLock<Vec<Domain>> = LazyLock::new(|| {
    let mut all: Vec<Domain> = Vec::new();
    for line in include_str!("../../data/domains.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some((what, text)) = line.split_once(": ") else { continue };
        if what == "domain" {
            all.push(Domain { name: text, ..Domain::default() });
            continue;
        }
        let Some(domain) = all.last_mut() else { continue };
        match what {
            "words" => domain.words.extend(text.split(' ')),
            "architect" => domain.architect.push(text),
            "operator" => domain.operator.push(text),
            "adversary" => domain.adversary.push(text),
            _ => {}
        }
    }
    all
});

/// Every domain.
pub(crate) fn all() -> impl Iterator<Item = &'static Domain> {
    DOMAINS.iter()
}

/// The domain whose words occur most often in the question and its options; ties go to the earlier one.
pub(crate) fn detect(plan: &Plan) -> &'static Domain {
    let mut text = plan.question.clone();
    for option in &plan.options {
        text.push(' ');
        text.push_str(&option.label);
    }
    let said: BTreeSet<String> = words(&text).collect();
    let score = |domain: &Domain| domain.words.iter().filter(|word| said.contains(**word)).count();
    // Of equals the last wins, so the earlier ones come last; where no word occurs, the last domain is everybody's.
    let mut best = &DOMAINS[DOMAINS.len() - 1];
    for domain in DOMAINS.iter().rev() {
        if score(domain) > 0 && score(domain) >= score(best) {
            best = domain;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_data_is_read() {
        let lines =
            include_str!("../../data/domains.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let known = ["domain", "words", "architect", "operator", "adversary"];
        let odd: Vec<&str> = lines.filter(|line| !known.contains(&line.split(": ").next().unwrap_or(line))).collect();
        assert_eq!(odd, Vec::<&str>::new());
        for (at, domain) in DOMAINS.iter().enumerate() {
            let points = [&domain.architect, &domain.operator, &domain.adversary];
            assert!(points.iter().all(|points| points.len() == 3), "{}", domain.name);
            assert_eq!(domain.words.is_empty(), at + 1 == DOMAINS.len(), "{}", domain.name);
        }
    }
}
