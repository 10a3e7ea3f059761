//! Paragraphs of the help, and help in Chinese: the catalogue of messages translates line by line what the parser writes.

use clap::Command;
use clap::builder::{Resettable, StyledStr};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::console::chinese::{chinese, data};

/// Greatest width of the help in columns, that of English help.
const WIDTH: usize = 100;

/// Columns of the marks that may end a line.
const MARKS: usize = 4;

/// Returns the command with each paragraph after its help, and that of its subcommands, in one line.
pub fn with_paragraphs(command: Command) -> Command {
    let joined = |text: Option<&StyledStr>| Resettable::from(text.map(|text| paragraphs(&text.to_string()).into()));
    let (short, long) = (joined(command.get_after_help()), joined(command.get_after_long_help()));
    command.mut_subcommands(with_paragraphs).after_help(short).after_long_help(long)
}

fn paragraphs(text: &str) -> String {
    let is_list = |part: &str| part.contains("\n ");
    let joined = |part: &str| if is_list(part) { part.to_owned() } else { part.replace('\n', " ") };
    text.split("\n\n").map(joined).collect::<Vec<_>>().join("\n\n")
}

/// Returns what the parser wrote, with each paragraph and each text of an argument in one line, in Chinese.
pub fn translated(text: &str) -> String {
    // A word alone before a text is the name of a command.
    let marked = |line: &str| match line.trim_start().split_once("  ") {
        Some((name, _)) if line.starts_with(' ') && !name.contains(' ') => line.replacen(name, &data(name), 1),
        _ => line.to_owned(),
    };
    text.lines().map(|line| wrapped(&chinese(&marked(line))) + "\n").collect()
}

/// Breaks a line that is too long, after a blank or a Chinese character. The next line begins where its last column
/// begins, and never with a punctuation mark, for which there is room at the end.
fn wrapped(line: &str) -> String {
    let indent = line.rfind("  ").map_or(0, |gap| line[..gap + 2].width());
    let (mut text, mut row) = (String::new(), String::new());
    let is_end = |letter: char| letter == ' ' || letter.width() == Some(2) && !"（“《".contains(letter);
    for word in line.split_inclusive(is_end) {
        let is_mark = word.starts_with(['，', '。', '；', '：', '、', '）', '！', '？', '”']);
        if row.width() + word.trim_end().width() > WIDTH - MARKS && !is_mark {
            text += &(row + "\n");
            row = " ".repeat(indent);
        }
        row += word;
    }
    text + &row
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::{Arguments, LAB_COMMANDS};

    /// Returns the English texts and the long lines in the help of a command for people and of its subcommands.
    fn english(command: &mut Command) -> Vec<String> {
        let help = translated(&format!("{}\n\n{}", command.render_help(), command.render_long_help()));
        let is_word = |word: &str| word.len() > 1 && word.chars().all(|letter| letter.is_ascii_lowercase());
        let programs = ["chuhe ", "echo ", "printf ", "RUST_LOG=", "用法："];
        let is_example = |cell: &str| programs.iter().any(|word| cell.starts_with(word));
        let cells = help.lines().flat_map(|line| line.split("  ")).map(str::trim);
        // Two words in a row, or a text that may be one word, such as a heading.
        let is_pair = |(one, next): (&str, &str)| is_word(one) && is_word(next);
        let has_words = |cell: &str| cell.split(' ').zip(cell.split(' ').skip(1)).any(is_pair);
        let is_english = |cell: &str| has_words(cell) || cell.is_ascii() && cell.starts_with(char::is_uppercase);
        let texts = cells.filter(|cell| !is_example(cell) && is_english(cell));
        let wide = help.lines().filter(|line| line.trim_end().width() > WIDTH);
        assert!(command.get_subcommands().all(|one| help.contains(&format!("\n  {} ", one.get_name()))), "{help}");
        let subcommands = command.get_subcommands_mut().filter(|one| !LAB_COMMANDS.contains(&one.get_name()));
        texts.chain(wide).map(str::to_owned).chain(subcommands.flat_map(english)).collect()
    }

    #[test]
    fn all_help_of_the_commands_for_people_is_translated() {
        let mut command = with_paragraphs(Arguments::command()).term_width(0);
        command.build();
        assert_eq!(english(&mut command), [""; 0]);
    }
}
