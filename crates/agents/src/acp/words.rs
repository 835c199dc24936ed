//! A command line as words, without a shell: nothing in it is expanded, nothing is run but the program itself.

/// The longest command line.
const COMMAND_LIMIT_BYTES: usize = 8 * 1024;

/// Splits a command into its program and arguments. Spaces separate; `'...'` keeps everything; `"..."` keeps everything but
/// `\"` and `\\`; elsewhere `\` keeps the next character.
pub(super) fn split(command: &str) -> Result<Vec<String>, String> {
    if command.len() > COMMAND_LIMIT_BYTES {
        return Err(format!("the command is longer than {COMMAND_LIMIT_BYTES} bytes"));
    }
    if command.contains('\0') {
        return Err("the command holds a zero byte".to_owned());
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = command.chars();
    while let Some(next) = rest.next() {
        match next {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let into = word.get_or_insert_default();
                loop {
                    match rest.next() {
                        Some('\'') => break,
                        Some(c) => into.push(c),
                        None => return Err("a ' in the command is never closed".to_owned()),
                    }
                }
            }
            '"' => {
                let into = word.get_or_insert_default();
                loop {
                    match rest.next() {
                        Some('"') => break,
                        Some('\\') => match rest.next() {
                            Some(c @ ('"' | '\\')) => into.push(c),
                            Some(c) => into.extend(['\\', c]),
                            None => return Err("a \" in the command is never closed".to_owned()),
                        },
                        Some(c) => into.push(c),
                        None => return Err("a \" in the command is never closed".to_owned()),
                    }
                }
            }
            '\\' => match rest.next() {
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err("the command ends with a lone \\".to_owned()),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match words.first() {
        Some(program) if !program.is_empty() => Ok(words),
        _ => Err("the command names no program".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_are_split_as_a_shell_would_and_nothing_is_expanded() {
        for (command, words) in [
            ("gemini --acp", &["gemini", "--acp"][..]),
            ("  gemini\t--acp  ", &["gemini", "--acp"]),
            (r#""/opt/my agents/a" -m 'x y'"#, &["/opt/my agents/a", "-m", "x y"]),
            (r"a\ b c\'d", &["a b", "c'd"]),
            (r#"a "x\"y\\z\n" '\'"#, &["a", r#"x"y\z\n"#, r"\"]),
            ("a '' \"\"", &["a", "", ""]),
            ("a pre'fix'ed", &["a", "prefixed"]),
            ("a $HOME `id` *; ~ | &", &["a", "$HOME", "`id`", "*;", "~", "|", "&"]),
        ] {
            assert_eq!(
                split(command).as_deref(),
                Ok(words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>().as_slice()),
                "{command}"
            );
        }
    }

    #[test]
    fn what_is_no_command_is_said() {
        for command in ["", "   ", "''", "a 'b", "a \"b", "a \"b\\", "a \\", "a\0b", &"x".repeat(10_000)] {
            assert!(split(command).is_err(), "{command}");
        }
    }
}
