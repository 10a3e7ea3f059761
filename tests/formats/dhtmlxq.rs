//! Tests of the DhtmlXQ reader.

use chuhe::notation::Dialect;
use chuhe::notation::format::Format;
use chuhe::notation::game::Game;
use chuhe::position::Strictness;
use chuhe::types::Square;
use encoding_rs::GB18030;

use crate::samples::{random_games, read_well, side, without_counters, written};
use crate::xqf_encoder::piece_squares;

fn pair(square: Square) -> String {
    format!("{}{}", square.file(), 9 - square.rank())
}

fn encode(game: &Game) -> String {
    let mut text = "[DhtmlXQ]\n[DhtmlXQ_ver]www_dpxq_com[/DhtmlXQ_ver]\n".to_owned();
    let mut field = |name: &str, value: &str| text.push_str(&format!("[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]\n"));
    let squares: String =
        piece_squares(&game.start).into_iter().map(|square| square.map_or("99".to_owned(), pair)).collect();
    field("binit", &squares);
    let line: String = game.nodes.iter().map(|played| pair(played.mv.from()) + &pair(played.mv.to())).collect();
    field("movelist", &line);
    field("red", game.tag("Red").unwrap_or_default());
    field("result", game.result.text());
    field("comment0", &game.comment.replace('\n', "||"));
    for (index, played) in game.nodes.iter().enumerate().filter(|(_, played)| !played.comment.is_empty()) {
        field(&format!("comment{}", index + 1), &played.comment.replace('\n', "||"));
    }
    text + "[/DhtmlXQ]\n"
}

#[test]
fn pages_with_several_games_are_read() {
    let games: Vec<Game> = random_games(3, 60)
        .into_iter()
        .filter(|game| !game.nodes.is_empty())
        .filter_map(|mut game| {
            game.tags.retain(|(name, _)| name == "Red");
            without_counters(game.clone(), side(&game))
        })
        .collect();
    let page: String = games.iter().map(|game| format!("<p>a page</p>\n{}<br>", encode(game))).collect();
    assert_eq!(Format::detect(page.as_bytes()), Some(Format::DhtmlXq));
    assert_eq!(read_well(Format::DhtmlXq, page.as_bytes()), games);
    assert_eq!(read_well(Format::DhtmlXq, &GB18030.encode(&page).0), games);
    let framed = page.replace("[DhtmlXQ]", "[DhtmlXQiFrame]").replace("[/DhtmlXQ]", "[/DhtmlXQiFrame]");
    assert_eq!(read_well(Format::DhtmlXq, framed.as_bytes()), games);
    let in_one_line = page.replace('\n', " ");
    assert_eq!(read_well(Format::DhtmlXq, in_one_line.as_bytes()), games);
}

#[test]
fn every_tag_is_written_and_read() {
    let names =
        ["title", "event", "place", "date", "round", "redteam", "red", "blackteam", "black", "open", "timerule"];
    let fields: String = [&names[..], &["remark", "author"]]
        .concat()
        .iter()
        .map(|name| format!("[DhtmlXQ_{name}]the {name}[/DhtmlXQ_{name}]"))
        .collect();
    let game = read_well(Format::DhtmlXq, format!("[DhtmlXQ]{fields}[/DhtmlXQ]").as_bytes()).remove(0);
    assert_eq!((game.tags.len(), game.tag("Author")), (13, Some("the author")));
    let games = [game];
    assert_eq!(read_well(Format::DhtmlXq, &written(Format::DhtmlXq, &games, Dialect::Coordinate)), games);
    // A name that pages also use counts more than the usual one.
    let page = "[DhtmlXQ][DhtmlXQ_red]usual[/DhtmlXQ_red][DhtmlXQ_redname]other[/DhtmlXQ_redname][/DhtmlXQ]";
    assert_eq!(read_well(Format::DhtmlXq, page.as_bytes())[0].tag("Red"), Some("other"));
}

#[test]
fn the_position_can_be_a_fen() {
    let page = "[DhtmlXQ_fen]3ak4/9/9/9/9/9/9/9/4A4/4K3R b[/DhtmlXQ_fen]\n[DhtmlXQ_movelist]4041[/DhtmlXQ_movelist]";
    let games: Vec<_> = Format::DhtmlXq.games(page.as_bytes(), Strictness::Strict).collect();
    assert_eq!(games[0].as_ref().unwrap().nodes[0].mv.to_string(), "e9e8");
}
