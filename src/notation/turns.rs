//! Whose turn it is by the words beside the moves: numbers, dots, colours; and by how the moves are spelled.
//!
//! ```text
//! 1. 炮二平五 …… 2. 马二进三          Black's move 1 is missing
//! 1... h9g7                          Black's move 1
//! 第一回合：红：炮二平五，黑：马8进7   words instead of numbers
//! ```
//!
//! Moves by piece, file, direction and number are often legal for either side, so that a list without one of its
//! half-moves could be read as another game: there, a contradiction is an error. A move in coordinates proves its side,
//! so that a contradiction is only reported. Numbers may begin anywhere and count the rounds of either side; in a list
//! that numbers each half-move, the sides must be proved in another way. The spelling counts where two moves in a row
//! contradict it, since many authors write both sides alike.

use super::move_signs::{Sign, Signs, Stop, moves_of};
use super::normal_form::{is_described, is_digit, without_marks};
use crate::position::Position;
use crate::types::{Move, Side, Square};

/// Maximum length of a quoted text in characters.
const SHOWN_TEXT: usize = 40;
/// Number of numbers from which on a list may number each half-move without proof of the sides.
const MIN_PLY_NUMBERS: usize = 4;

/// Characters of pieces of Red and of Black. Many authors write 士 for both.
const PIECES: [[&str; 2]; 3] = [["帅帥", "将將"], ["相", "象"], ["兵", "卒"]];

/// What stands before a move.
#[derive(Clone, Copy, Default, Debug)]
struct Claim {
    /// Number, and whether dots follow it.
    number: Option<(u32, bool)>,
    has_dots: bool,
    has_gap: bool,
    colour: Option<Side>,
}

impl Claim {
    fn add(&mut self, sign: Sign) {
        match sign {
            Sign::Number(value, stop) => {
                let is_over = self.has_dots || self.has_gap;
                let colour = self.colour.filter(|_| !is_over);
                *self = Claim { number: Some((value, stop == Stop::Dots)), colour, ..Claim::default() };
            }
            Sign::Colour(side) => (self.colour, self.has_dots, self.has_gap) = (Some(side), false, false),
            Sign::Dots => {
                self.has_dots = true;
                if let Some((_, has_dots)) = &mut self.number {
                    *has_dots = true;
                }
            }
            Sign::Gap => self.has_gap = true,
            Sign::Nothing => {}
        }
    }
}

/// Number of a list, for its layout.
#[derive(Clone, Copy, Debug)]
struct Group {
    value: u32,
    has_dots: bool,
    /// Number of half-moves before it.
    at: usize,
    /// Number of half-moves up to the next number.
    moves: usize,
}

/// Checks of the words of one line against the side to move.
#[derive(Debug)]
pub struct Turns {
    claim: Claim,
    /// Side whose moves have the numbers without dots.
    leader: Side,
    /// Number of the current round.
    round: Option<u32>,
    /// Number of half-moves so far.
    plies: usize,
    /// The last number stood before the second move of its round, so that the next round must have one.
    needs_number: bool,
    starts_at_one: bool,
    has_numbers: bool,
    has_colours: bool,
    /// Numbers without a stop count: they begin before the first move.
    counts_plain: bool,
    /// Number of half-moves of a list in which each has its number.
    ply_numbers: Option<usize>,
    /// Dots after numbers are mere stops.
    dots_are_stops: bool,
    /// The spelling differs between the sides.
    distinguishes: bool,
    /// First half-move whose spelling contradicts the order.
    misspelled: Option<usize>,
    /// Half-moves whose spelling alone contradicts the order, while that of most others agrees with it.
    slips: Vec<usize>,
}

impl Turns {
    /// Prepares the checks of a line from a position.
    pub fn new(start: &Position, words: &[&str]) -> Turns {
        let first = start.side();
        let mut groups: Vec<Group> = Vec::new();
        let mut described = Vec::new();
        let (mut plies, mut counts_plain, mut has_colours, mut has_places) = (0, false, false, false);
        for word in words {
            let word = without_marks(word);
            let (whole, part) = moves_of(word);
            let is_whole = whole.is_some_and(is_described);
            let text = if is_whole { whole } else { part.or(whole) };
            // The signs of a pawn move such as 11.2 are none.
            for sign in Signs::new(word).take_while(|_| !is_whole) {
                has_places |= matches!(sign, Sign::Dots | Sign::Gap | Sign::Number(_, Stop::Dots));
                match sign {
                    Sign::Number(value, stop) => {
                        counts_plain |= stop == Stop::None && plies == 0;
                        if stop != Stop::None || counts_plain {
                            groups.push(Group { value, has_dots: stop == Stop::Dots, at: plies, moves: 0 });
                        }
                    }
                    Sign::Dots => {
                        if let Some(group) = groups.last_mut().filter(|group| group.moves == 0) {
                            group.has_dots = true;
                        }
                    }
                    Sign::Colour(_) => has_colours = true,
                    Sign::Gap | Sign::Nothing => {}
                }
            }
            if let Some(text) = text {
                let side = if plies % 2 == 0 { first } else { !first };
                described.extend(described_signs(text).map(|signs| (plies, side, signs)));
                plies += 1;
                if let Some(group) = groups.last_mut() {
                    group.moves += 1;
                }
            }
        }
        let (head, last) = groups.split_at(groups.len().saturating_sub(1));
        let all_have = |count: usize| {
            !head.is_empty()
                && groups[0].at == 0
                && head.iter().all(|group| group.moves == count)
                && last.iter().all(|group| group.moves <= count)
        };
        let rises = groups.windows(2).all(|pair| pair[1].value == pair[0].value.saturating_add(1));
        let counts_plies = all_have(1) && rises && !has_places;
        let begins_with_black = groups.first().is_some_and(|group| {
            !group.has_dots && group.at % 2 == 0 && !(group.at == 0 && group.moves == 1 && groups.len() > 1)
        });
        let has_numbers = !groups.is_empty();
        let spellings = Spellings::of(&described);
        Turns {
            claim: Claim::default(),
            leader: if first == Side::Black && begins_with_black { Side::Black } else { Side::Red },
            round: None,
            plies: 0,
            needs_number: false,
            starts_at_one: *start == Position::start(),
            has_numbers,
            has_colours,
            counts_plain,
            ply_numbers: counts_plies.then_some(groups.len()),
            dots_are_stops: all_have(2) && groups.iter().all(|group| group.has_dots),
            distinguishes: spellings.iter().any(Spellings::distinguishes),
            misspelled: spellings.iter().filter_map(|spelling| spelling.contradiction(plies)).min(),
            slips: spellings
                .into_iter()
                .filter(Spellings::is_clear)
                .flat_map(|spelling| spelling.contradicting)
                .collect(),
        }
    }

    /// Takes note of the signs of a word, or of the part of a word before its move.
    pub fn read(&mut self, signs: &str) {
        for sign in Signs::new(signs) {
            if !matches!(sign, Sign::Number(_, Stop::None)) || self.counts_plain {
                self.claim.add(sign);
            }
        }
    }

    /// Compares the signs since the last move with the side to move, before a move or a word that is no legal one.
    /// Returns a warning.
    ///
    /// # Errors
    /// Description of a contradiction.
    pub fn check(&mut self, side: Side, text: &str, mv: Option<Move>) -> Result<Option<String>, String> {
        let claim = std::mem::take(&mut self.claim);
        let is_exact = mv.is_some_and(|mv| names_both_points(text, mv));
        let text: String = text.chars().take(SHOWN_TEXT).collect();
        let mut result = self.contradiction(claim, side, &text, is_exact);
        let spelled = || format!("'{text}' is written like a move of {}, but it is {side}'s turn", !side);
        if result.is_ok() && self.misspelled == Some(self.plies) {
            result = Err(spelled() + ": a move is missing or out of order");
        } else if let Ok(None) = result {
            result = Ok(self.slips.contains(&self.plies).then(spelled));
        }
        self.plies += 1;
        match result {
            Ok(warning) => Ok(warning),
            Err(reason) if is_exact => Ok(Some(reason)),
            Err(reason) => Err(reason),
        }
    }

    fn contradiction(
        &mut self,
        claim: Claim,
        side: Side,
        text: &str,
        is_exact: bool,
    ) -> Result<Option<String>, String> {
        let is_leader = side == self.leader;
        if let Some(colour) = claim.colour.filter(|&colour| colour != side) {
            return Err(format!("'{text}' is named as {colour}'s, but {side}'s move before it is missing"));
        }
        if claim.has_gap {
            return Err(format!("{side}'s move before '{text}' is missing"));
        }
        let round = self.round;
        let expected = match round {
            Some(round) if is_leader => Some(round.saturating_add(1)),
            Some(round) => Some(round),
            None if self.starts_at_one => Some(self.plies as u32 / 2 + 1),
            None => None,
        };
        let Some((value, has_dots)) = claim.number else {
            if is_leader {
                self.round = round.map(|round| round.saturating_add(1));
            }
            let is_proved = is_exact || self.distinguishes || self.has_colours || self.has_numbers;
            return match () {
                _ if claim.has_dots && is_leader => Err(format!("moves are left out before '{text}'")),
                _ if claim.has_dots && !is_proved => {
                    Err(format!("it is open whether a move of {side}'s is left out before '{text}'; number the moves"))
                }
                _ if is_leader && std::mem::take(&mut self.needs_number) => {
                    Err(format!("'{text}' has no number: a move is missing, or the number before is wrong"))
                }
                _ => Ok(None),
            };
        };
        let is_proved = is_exact || self.distinguishes;
        if self.ply_numbers.is_some_and(|count| is_proved || count >= MIN_PLY_NUMBERS) {
            let warning = || format!("number {value} is taken as that of {side}'s move");
            return Ok((self.plies == 1 && !is_proved).then(warning));
        }
        let has_dots = has_dots && !self.dots_are_stops;
        if is_leader && has_dots {
            return Err(format!("'{text}' is {}'s move {value}, but {side}'s is missing", !side));
        }
        if is_leader || has_dots || round.is_none() && self.plies == 0 {
            self.needs_number = false;
        } else if round == Some(value) {
            // The number of the round stands before both of its moves.
            self.needs_number = true;
        } else {
            let missing = round.map_or_else(String::new, |round| format!(" {round}"));
            return Err(format!("'{text}' is {}'s move {value}, but {side}'s move{missing} is missing", !side));
        }
        self.round = Some(value);
        let is_first_zero = value == 0 && self.plies == 0;
        Ok(expected.filter(|&expected| expected != value && !is_first_zero).map(|expected| {
            format!("the number before '{text}' is {value} instead of {expected}: moves are missing or counted wrongly")
        }))
    }
}

/// Returns whether a text names the points of a move, with ranks from 0 or from 1, which proves the side.
fn names_both_points(text: &str, mv: Move) -> bool {
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let point = |square: Square, first: u8| format!("{}{}", char::from(b'a' + square.file()), square.rank() + first);
    (0..2).any(|first| plain.ends_with(&(point(mv.from(), first) + &point(mv.to(), first))))
}

/// Moves of a list whose spelling names their side.
#[derive(Debug)]
struct Spellings {
    /// Half-moves that agree with the order, of Red and of Black.
    agreeing: [usize; 2],
    /// Half-moves that do not.
    contradicting: Vec<usize>,
    /// First of two half-moves in a row that contradict the order.
    first_pair: Option<usize>,
}

impl Spellings {
    /// Compares half-moves, each with its side by the order, by digits, letters, and pieces.
    fn of(described: &[(usize, Side, [char; 4])]) -> [Spellings; 3] {
        let digits = Spellings::new(described, by_digits);
        let uses = |side: Side, kinds: &str| {
            let mut signs = described.iter().filter(|(_, other, _)| *other == side).flat_map(|(.., signs)| signs);
            signs.any(|sign| kinds.contains(*sign))
        };
        let sides = [Side::Red, Side::Black];
        let occurs = |kinds| sides.into_iter().any(|side| uses(side, kinds));
        let has_both = |pair: &[&'static str; 2]| pair.iter().all(|&kinds| occurs(kinds));
        let is_shared = |pair: &[&'static str; 2]| {
            !has_both(pair) && pair.iter().any(|&kinds| sides.into_iter().all(|side| uses(side, kinds)))
        };
        // Some authors write the pieces of both sides alike.
        let tells_pieces = !digits.is_clear() && PIECES.iter().any(has_both);
        let pairs: Vec<_> = PIECES.iter().filter(|pair| tells_pieces && !is_shared(pair)).collect();
        let by_pieces = |signs: [char; 4]| {
            let mut kinds = pairs.iter().flat_map(|pair| pair.iter().zip(sides));
            kinds.find(|(kinds, _)| signs.iter().any(|sign| kinds.contains(*sign))).map(|(_, side)| side)
        };
        let pieces = Spellings::new(described, by_pieces);
        [digits, Spellings::new(described, by_letters), pieces]
    }

    fn new(described: &[(usize, Side, [char; 4])], side_by: impl Fn([char; 4]) -> Option<Side>) -> Spellings {
        let mut spellings = Spellings { agreeing: [0; 2], contradicting: Vec::new(), first_pair: None };
        for &(ply, side, signs) in described {
            if let Some(spelled) = side_by(signs) {
                spellings.add(ply, side, spelled);
            }
        }
        spellings
    }

    fn add(&mut self, ply: usize, side: Side, spelled: Side) {
        if spelled == side {
            self.agreeing[side.index()] += 1;
            return;
        }
        let last = self.contradicting.last().copied();
        self.contradicting.push(ply);
        // Where one side is written like the other all the time, a slip of the other makes no pair.
        let is_rare = 4 * (self.contradicting.len().saturating_sub(2)) <= self.agreeing.iter().sum();
        let before = last.filter(|&last| last + 1 == ply && is_rare);
        self.first_pair = self.first_pair.or(before);
    }

    fn has_both_sides(&self) -> bool {
        self.agreeing.iter().all(|&count| count > 0)
    }

    fn distinguishes(&self) -> bool {
        self.contradicting.is_empty() && self.has_both_sides()
    }

    /// Returns whether the spelling differs between the sides but for a few half-moves.
    fn is_clear(&self) -> bool {
        self.has_both_sides() && 3 * self.contradicting.len() <= self.agreeing.iter().sum()
    }

    /// Returns the first half-move of a list of this length that contradicts the order.
    fn contradiction(&self, plies: usize) -> Option<usize> {
        // A single one may be a slip, unless it comes last.
        let last = self.contradicting.first().copied().filter(|ply| self.contradicting.len() == 1 && ply + 1 == plies);
        self.first_pair.or(last.filter(|_| self.has_both_sides()))
    }
}

/// Returns the side by the digits of a Chinese move: 一 to 九 are Red's, Arabic ones Black's.
fn by_digits(signs: [char; 4]) -> Option<Side> {
    let side = |c: char| match c {
        '一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九' => Some(Side::Red),
        _ if is_digit(c) => Some(Side::Black),
        _ => None,
    };
    let number = side(signs[3]).filter(|_| !signs[2].is_ascii())?;
    // The index of a tandem piece comes first and is Chinese for both sides.
    side(signs[1]).is_none_or(|file| file == number).then_some(number)
}

/// Returns the side by the case of a Latin letter: upper case is Red's.
fn by_letters(signs: [char; 4]) -> Option<Side> {
    let [first, ..] = signs;
    first.is_ascii_alphabetic().then(|| if first.is_ascii_uppercase() { Side::Red } else { Side::Black })
}

/// Returns the four signs of a move that is described by them.
fn described_signs(text: &str) -> Option<[char; 4]> {
    let mut characters = text.chars();
    let signs = [characters.next()?, characters.next()?, characters.next()?, characters.next()?];
    (characters.next().is_none() && is_described(text)).then_some(signs)
}
