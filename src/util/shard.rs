//! Shards of numbered work for independent machines.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Every n-th number, so that several machines can share the work: shard 2/3 has the numbers 1, 4, 7, …
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    pub fn new(index: u64, count: u64) -> Option<Shard> {
        (1..=count).contains(&index).then_some(Shard { index, count })
    }

    pub fn first(self) -> u64 {
        self.index - 1
    }

    pub fn step(self) -> u64 {
        self.count
    }

    pub fn has(self, number: u64) -> bool {
        number % self.step() == self.first()
    }

    pub fn count(self, games: u64) -> u64 {
        games.saturating_sub(self.first()).div_ceil(self.step())
    }

    pub fn numbers(self, games: u64) -> impl Iterator<Item = u64> {
        let next = move |number: &u64| number.checked_add(self.step()).filter(|&number| number < games);
        std::iter::successors(Some(self.first()).filter(|&first| first < games), next)
    }
}

impl Default for Shard {
    fn default() -> Shard {
        Shard { index: 1, count: 1 }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let number = |text: &str| text.parse::<u64>().ok();
        let parts = text.split_once('/').and_then(|(index, count)| Some((number(index)?, number(count)?)));
        let shard = parts.and_then(|(index, count)| Shard::new(index, count));
        shard.ok_or_else(|| {
            let start: String = text.chars().take(20).collect();
            format!("'{start}' is not a shard (i/n with i from 1 to n, such as 2/3)")
        })
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_all_games_without_overlap() {
        for count in 1..6_u64 {
            let shards = (1..=count).map(|index| format!("{index}/{count}").parse::<Shard>().unwrap());
            let mut all = Vec::new();
            for shard in shards {
                let own: Vec<u64> = (0..17).filter(|&number| shard.has(number)).collect();
                assert_eq!((shard.count(17), shard.numbers(17).collect::<Vec<u64>>()), (own.len() as u64, own.clone()));
                all.extend(own);
            }
            all.sort();
            assert_eq!(all, (0..17).collect::<Vec<u64>>(), "{count} shards");
        }
        let last = format!("{0}/{0}", u64::MAX).parse::<Shard>().unwrap();
        assert_eq!((last.count(17), last.numbers(17).count(), last.numbers(u64::MAX).count()), (0, 0, 1));
        for text in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2", "1/99999999999999999999"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
