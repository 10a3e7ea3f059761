//! What may stand on the command line.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};

use super::meta::Meta;
use crate::console::args::rule_set;
use crate::notation::Dialect;
use crate::notation::format::Format;
use crate::rules::RuleSet;
use crate::tools::analysis::command::{self as analysis, Analyze};
use crate::tools::book::command::{self as book, BookTask};
use crate::tools::counting::{self, Count};
use crate::tools::datagen::command::{self as datagen, Datagen};
use crate::tools::games::Show;
use crate::tools::matches::command::{self as matches, MatchArgs};
use crate::tools::openings::command::{self as openings, Openings};
use crate::tools::tablebase::{self, TablebaseTask};
use crate::tools::training::command::{self as training, Train};
use crate::tools::tuning::command::{self as tuning, Tune};

/// Chuhe, a Xiangqi engine. Without a command it speaks UCCI and UCI on standard input and output.
#[derive(Parser, Debug)]
#[command(name = "chuhe", version, about, after_help = EXAMPLES)]
pub struct Arguments {
    /// Write the log to this file instead of standard error.
    #[arg(long, global = true, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Admit surplus men and doubled uncrossed pawns in positions (composed problems).
    #[arg(long, global = true)]
    pub lax: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  chuhe                                 speak UCCI or UCI with a front end
  printf 'ucci\\nsetoption batch true\\nposition startpos\\ngo depth 10\\nquit\\n' | chuhe
  chuhe show '3ak4/9/9/9/9/9/9/9/4A4/4K3R w'
  chuhe judge '3k5/R8/9/9/9/9/9/4K4/9/9 w' a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9
  chuhe convert game.xqf game.pgn
  chuhe analyze game.pgn --report game.html
  chuhe match --engine name=A --engine name=B,cmd=./other --tc 1+0.01 --games 200
  chuhe notation startpos 炮二平五 马8进7
  RUST_LOG=debug chuhe --log chuhe.log  speak UCCI and keep a record of it

Exit status: 0 done, 1 failed, 2 wrong arguments, 3 not a valid position or move, 130 interrupted.";

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Count the positions that legal moves lead to.
    #[command(after_help = "\
Examples:
  chuhe perft 5
  chuhe perft 3 --divide --fen '3ak4/9/9/9/9/9/9/9/4A4/4K3R w'
  chuhe perft --file positions.tsv      lines of FEN, a tab, and the counts at depth 1, 2, ...")]
    Perft {
        /// How many plies.
        #[arg(required_unless_present = "file", value_parser = clap::value_parser!(u8).range(0..=20))]
        depth: Option<u8>,
        /// Start from this position instead of the start of the game.
        #[arg(long, value_name = "FEN")]
        fen: Option<String>,
        /// Show the count below each move.
        #[arg(long)]
        divide: bool,
        /// Make the moves of the last ply too instead of only counting them.
        #[arg(long)]
        no_bulk: bool,
        /// Check the counts of this file.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "fen", "divide"])]
        file: Option<PathBuf>,
    },
    /// Count all positions of Xiangqi or those with certain men, or draw some at random.
    #[command(after_help = counting::HELP)]
    Count(Count),
    /// Search a fixed set of positions; the node count is the fingerprint of the search.
    #[command(after_help = "\
Examples:
  chuhe bench
  chuhe bench 9
  chuhe bench 13 --threads 2     the speed of two threads; only one thread counts the same every time")]
    Bench {
        /// How deep each position is searched.
        #[arg(default_value_t = crate::engine::bench::DEFAULT_DEPTH as u8, value_parser = clap::value_parser!(u8).range(1..=crate::engine::bench::MAX_DEPTH as i64))]
        depth: u8,
        /// How many threads search; 0 is all the machine has.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(0..=crate::search::MAX_THREADS as i64))]
        threads: u16,
    },
    /// Show the static evaluation of a position term by term.
    #[command(after_help = "\
Examples:
  chuhe eval
  chuhe eval 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b'
  chuhe eval --evalfile my.network")]
    Eval {
        /// The position; the start of the game without it.
        fen: Option<String>,
        /// Ask the network in this file instead of the one that the program brings along.
        #[arg(long, value_name = "FILE")]
        evalfile: Option<PathBuf>,
    },
    /// Judge a game: repetition, perpetual check and chase, natural move limit, dead draws, mate.
    #[command(after_help = "\
The first line is the verdict: red_wins, black_wins, draw or none. The reason follows, and for a
repetition what every move of the cycle does.

Examples:
  chuhe judge '3k5/R8/9/9/9/9/9/4K4/9/9 w' a8a9 d9d8 a9a8 d8d9 a8a9 d9d8 a9a8 d8d9
  chuhe judge --json --rules league startpos h2e2 h9g7
  chuhe judge --file cases.tsv          lines of an id, FEN, moves and verdict with tabs between")]
    Judge {
        /// The position before the first move; 'startpos' is the start of the game.
        #[arg(required_unless_present = "file")]
        fen: Option<String>,
        /// The moves played, such as h2e2.
        moves: Vec<String>,
        /// The law of repetition.
        #[arg(long, value_name = "RULES", default_value = RuleSet::default().name(), ignore_case = true,
            value_parser = PossibleValuesParser::new(RuleSet::NAMED.map(|(name, _)| name)).try_map(rule_set))]
        rules: RuleSet,
        /// The natural move limit in counted plies, 1 to 1000; by default that of the rules, 120, or 100 for league.
        #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=1000))]
        natural_limit: Option<u16>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
        /// Check the verdicts (red_wins, black_wins, draw or none) of this file; exit status 1 unless all agree.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves", "json"])]
        file: Option<PathBuf>,
    },
    /// Turn a file of games into another format or notation.
    #[command(after_help = "\
Reads PGN, lists of moves, XQF (XQStudio) and DhtmlXQ; writes PGN and lists of moves. A game with a fault
is skipped, and the faults are told on standard error. Side lines are left out.

Examples:
  chuhe convert game.xqf game.pgn
  chuhe convert games.pgn games.tsv      a line for each game: result, FEN or nothing, moves
  chuhe convert --notation wxf games.pgn - | less")]
    Convert {
        /// The file to read; '-' is standard input.
        #[arg(value_name = "IN")]
        input: PathBuf,
        /// The file to write; '-' is standard output.
        #[arg(value_name = "OUT")]
        output: PathBuf,
        /// How moves are written; by default chinese in PGN and coordinate in lists of moves.
        #[arg(long, value_name = "NOTATION", value_parser = PossibleValuesParser::new(Dialect::ALL.map(Dialect::name)))]
        notation: Option<String>,
        /// The format to read; found out by default.
        #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)))]
        from: Option<String>,
        /// The format to write; by default what the name of the file tells, or pgn.
        #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::WRITTEN.map(Format::name)))]
        to: Option<String>,
    },
    /// Write the moves of a game in every notation.
    #[command(after_help = "\
A move may be given in any notation that Chuhe writes, and in many variants of characters. One that
begins with a dash must stand behind '--' or in one argument with others before it.

Examples:
  chuhe notation startpos h2e2 h9g7
  chuhe notation startpos '炮二平五 馬8進7' R1.2 --json
  chuhe notation '3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w' 中兵平四")]
    Notation {
        /// The position before the first move; 'startpos' is the start of the game.
        fen: String,
        /// The moves played, such as h2e2, 炮二平五 or C2.5.
        #[arg(required = true)]
        moves: Vec<String>,
        /// Print one JSON object a move.
        #[arg(long)]
        json: bool,
    },
    /// Show a position as a board, in the terminal or as a picture.
    #[command(after_help = "\
The man that moved last stands in brackets, the point it came from is marked. On a terminal that
draws lines two columns wide, --style ascii stays straight.

Examples:
  chuhe show
  chuhe show '3ak4/9/9/9/9/9/9/9/4A4/4K3R w'
  chuhe show startpos h2e2 h9g7 --style ascii
  chuhe show startpos h2e2 --svg board.svg --arrow h9g7 --arrow b9c7:blue")]
    Show(Show),
    /// Analyze a position, a game or a suite of problems.
    #[command(after_help = analysis::HELP)]
    Analyze(Analyze),
    /// Play games between engines, and tell how strong they are.
    #[command(after_help = matches::HELP)]
    Match(MatchArgs),
    /// Let the engine play against itself and keep the games with its scores.
    #[command(after_help = datagen::HELP)]
    Datagen(Datagen),
    /// Choose starts for games between engines, or check those of a file.
    #[command(after_help = openings::HELP)]
    Openings(Openings),
    /// Make opening books, and show what they know.
    #[command(subcommand, after_help = book::HELP)]
    Book(BookTask),
    /// Solve small endings exactly, and show what their tables say.
    #[command(subcommand, after_help = tablebase::HELP)]
    Tablebase(TablebaseTask),
    /// Fit the weights of the evaluation to positions, or numbers of the search by games.
    #[command(after_help = tuning::HELP)]
    Tune(Box<Tune>),
    /// Train the network of the evaluation on games of self-play.
    #[command(after_help = training::HELP)]
    Train(Box<Train>),
    /// What concerns the program itself.
    #[command(flatten)]
    Meta(Meta),
}
