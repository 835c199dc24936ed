//! Which option a ballot's words mean.

use crate::model::plan::{Choice, OptionId, Plan, contains_phrase, option_labelled, same_words};
use crate::rules::doubt;

impl Plan {
    /// The option that a ballot's words mean: its id, `Option <id>` or its label, without regard to case, alone or before a
    /// mark that ends it (`B: Memcached`, `B - Memcached`, `Memcached (fast)`) or a reason. Nothing, where what follows puts
    /// it in doubt: `A, if legal agrees`, `A (rejected)`, `A or B`.
    pub fn option_meant(&self, words: &str) -> Option<&Choice> {
        let said = words.trim().trim_matches(|c: char| matches!(c, '"' | '\'' | '`' | '*' | '[' | ']' | '.' | ':'));
        self.option_called(said).or_else(|| {
            // A hyphen separates only after a blank, and a full stop only before one: `B-tree`, `4.1`.
            let separates = |i: usize, c: char| match c {
                ':' | '(' | '–' | '—' | ',' | ';' | '\n' => true,
                '-' => said[..i].ends_with(char::is_whitespace),
                '.' => said[i + 1..].starts_with(char::is_whitespace),
                _ => false,
            };
            let mark = said.char_indices().find(|(i, c)| separates(*i, *c)).map(|(i, c)| (i, i + c.len_utf8()));
            let reason = doubt::reason_at(said).map(|at| (at, at));
            let (end, rest) = mark.into_iter().chain(reason).min()?;
            let option = self.option_called(said[..end].trim())?;
            self.is_plain_beside(option, &said[rest..]).then_some(option)
        })
    }

    /// The option of that id or label.
    fn option_called(&self, said: &str) -> Option<&Choice> {
        let said = said.trim_matches(|c: char| matches!(c, '"' | '\'' | '`' | '*'));
        let bare = said
            .strip_prefix("Option ")
            .or_else(|| said.strip_prefix("option "))
            .or_else(|| said.strip_prefix("OPTION "))
            .unwrap_or(said)
            .trim();
        let by_id = self.options.iter().find(|o| o.id.as_str().eq_ignore_ascii_case(bare));
        by_id.or_else(|| option_labelled(&self.options, said))
    }

    /// Whether what stands beside a named option leaves it the one that is meant: its label, or words without a doubt in them
    /// that name no other option.
    fn is_plain_beside(&self, option: &Choice, rest: &str) -> bool {
        let rest = rest.trim().trim_end_matches([')', '.']).trim();
        if rest.is_empty() || same_words(&option.label, rest) {
            return true;
        }
        // A label may hold words of doubt itself: `B: Do not migrate, because ...`.
        let lower = rest.to_lowercase();
        let after = lower.strip_prefix(&option.label.to_lowercase());
        let after = after.filter(|after| after.starts_with(|c: char| !c.is_alphanumeric())).map_or(0, str::len);
        let beside = if after > 0 { rest.get(rest.len() - after..).unwrap_or(rest) } else { rest };
        !self.names_other(&option.id, beside) && !doubt::is_in_doubt(beside)
    }

    fn names_other(&self, chosen: &OptionId, words: &str) -> bool {
        let said: Vec<&str> = words
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '/' | '+' | '&'))
            .filter(|word| !word.is_empty())
            .collect();
        // `or C`, `Option C`, or nothing but `C`; a lone letter elsewhere is an article.
        let names_id = |id: &str| {
            said.iter().enumerate().any(|(i, word)| {
                let before = i.checked_sub(1).and_then(|i| said.get(i)).map(|word| word.to_lowercase());
                let introduced = before.is_some_and(|word| ["or", "and", "option"].contains(&word.as_str()));
                word.trim_end_matches(['.', ':', '!']).eq_ignore_ascii_case(id) && (introduced || said.len() == 1)
            })
        };
        self.options.iter().any(|o| o.id != *chosen && (contains_phrase(words, &o.label) || names_id(o.id.as_str())))
    }
}
