//! Games of a page: reading and writing files.

use std::io::Cursor;

use data_encoding::BASE64;
use serde_json::{Value, json};

use super::Sources;
use super::position::{MoveObject, position};
use super::request::{Content, Export, GameObject, Import, KeepGame, NodeObject, RequestFault, fault};
use crate::console::chinese::both;
use crate::console::counted;
use crate::notation::Dialect;
use crate::notation::format::{BYTES_TO_DETECT, Format};
use crate::notation::game::{Game, GameNode, GameResult};
use crate::position::{Position, Strictness};
use crate::types::Move;
use crate::util::atomic_file::write_atomically;

/// Maximum number of games that one answer contains; the others of the file are left out, and the answer says so.
const MAX_GAMES: usize = 500;
/// Maximum number of moves of a game on the page; further ones are left out, and the answer says so.
const MAX_NODES: usize = 300_000;
/// Number of moves after which an answer contains no further game.
const MAX_MOVES: usize = 60_000;

pub(super) fn import(request: &Import, strictness: Strictness) -> Content {
    let bytes = match (&request.text, &request.data) {
        (Some(text), _) => text.clone().into_bytes(),
        (None, Some(data)) => {
            let decoded = BASE64.decode(data.as_bytes());
            decoded.or_else(|_| fault("the file is not in base 64"))?
        }
        (None, None) => return fault("there is no text and no file"),
    };
    let head = &bytes[..bytes.len().min(BYTES_TO_DETECT)];
    let is_position = Format::detect(head).is_none();
    let format = Format::detect_with_positions(if is_position { &bytes } else { head });
    let Some(format) = format else { return fault("no games, moves or position were found") };
    let (mut games, mut errors, mut moves) = (Vec::new(), Vec::new(), 0);
    let mut is_cut = false;
    for (number, game) in (1..).zip(format.games(Cursor::new(bytes), strictness)) {
        if games.len() + errors.len() == MAX_GAMES || moves > MAX_MOVES {
            is_cut = true;
            break;
        }
        match game {
            Ok(mut game) => {
                let surplus = game.nodes.len().saturating_sub(MAX_NODES);
                if surplus > 0 {
                    // What remains is a tree, since each move comes after the one before it.
                    game.nodes.truncate(MAX_NODES);
                    let count = counted(surplus as u64, "move");
                    errors.push(format!("game {number}: the page holds {MAX_NODES} moves of a game; {count} left out"));
                }
                moves += game.nodes.len();
                errors.extend(game.warnings.iter().map(|warning| format!("game {number}, {warning}")));
                games.push(GameObject::new(&game));
            }
            Err(error) if error.is_read_error() => return Err(error.into()),
            Err(error) => errors.push(error.to_string()),
        }
    }
    if games.is_empty() {
        return fault(errors.into_iter().next().unwrap_or_else(|| "there is no game".to_owned()));
    }
    let format = if is_position { "fen" } else { format.name() };
    let errors: Vec<Value> = errors.iter().map(|error| both(error)).collect();
    // Errors of games, or of parts of games, that could not be read; `is_cut` if there are more games.
    Ok(json!({ "format": format, "games": games, "errors": errors, "is_cut": is_cut }))
}

/// Writes a game, in base 64.
pub(super) fn export(request: &Export, strictness: Strictness) -> Content {
    let Some(format) = Format::written().find(|format| format.name() == request.format) else {
        return fault("there is no such format to write");
    };
    let dialect = request.notation.as_deref().and_then(Dialect::from_name).unwrap_or(Dialect::Chinese);
    let game = request.game.read(strictness)?;
    let mut bytes = Vec::new();
    format.write(&mut bytes, &game, dialect)?;
    Ok(json!({ "data": BASE64.encode(&bytes), "extension": format.name() }))
}

/// Longest name of a game that is kept.
const MAX_NAME: usize = 40;

/// Keeps a game as a file of the folder that the command line names, in place of the game of this name.
pub(super) fn keep(request: &KeepGame, sources: &Sources) -> Content {
    let Some(folder) = &sources.games else { return fault("no folder keeps games; start the program with --games") };
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if !(1..=MAX_NAME).contains(&request.name.len()) || !request.name.chars().all(is_allowed) {
        return fault("the name of a game has letters, digits and hyphens");
    }
    let mut bytes = Vec::new();
    Format::Pgn.write(&mut bytes, &request.game.read(sources.strictness)?, Dialect::Chinese)?;
    write_atomically(&folder.join(format!("{}.pgn", request.name)), &bytes)?;
    Ok(json!({}))
}

impl GameObject {
    fn new(game: &Game) -> GameObject {
        let mut nodes = Vec::with_capacity(game.nodes.len());
        game.walk(|position, node| {
            let MoveObject { mv, chinese, wxf } = MoveObject::new(position, node.mv);
            nodes.push(NodeObject { parent: node.parent, mv, comment: node.comment.clone(), chinese, wxf });
        });
        GameObject {
            tags: game.tags.clone(),
            start: (game.start != Position::start()).then(|| game.start.to_string()),
            comment: game.comment.clone(),
            result: game.result.text().to_owned(),
            nodes,
        }
    }

    /// Checks the moves and returns the game.
    fn read(&self, strictness: Strictness) -> Result<Game, RequestFault> {
        if self.nodes.len() > MAX_NODES {
            return fault(format!("a game has at most {MAX_NODES} moves"));
        }
        let start = position(self.start.as_deref(), strictness)?;
        let node = |node: &NodeObject| {
            let mv: Move = node.mv.parse().or_else(|_| fault("a move is not in coordinates"))?;
            Ok(GameNode { parent: node.parent, mv, comment: node.comment.clone() })
        };
        let nodes = self.nodes.iter().map(node).collect::<Result<_, RequestFault>>()?;
        let mut game = Game {
            tags: self.tags.clone(),
            start,
            comment: self.comment.clone(),
            result: GameResult::from_text(&self.result).unwrap_or_default(),
            nodes,
            ..Game::default()
        };
        if game.sort() && game.is_valid() { Ok(game) } else { fault("the game has an illegal move") }
    }
}
