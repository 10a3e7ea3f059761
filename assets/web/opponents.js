// The opponents: name, sentence, level of the engine and rating (docs/strength.md), from the weakest to the strongest.

export const OPPONENTS = [
  { key: 'toddler', mark: '学', skill: -2, rating: 1130, error: 110, name: ['Toddler', '学步'], about: ['has just learned how the pieces move', '刚学会走子'] },
  { key: 'novice', mark: '童', skill: -1, rating: 1660, error: 170, name: ['Novice', '棋童'], about: ['takes what is free, leaves pieces hanging', '见子就吃，常常丢子'] },
  { key: 'pawn', mark: '卒', skill: 0, rating: 2130, error: 200, name: ['Pawn', '小卒'], about: ['misses mates in two', '看不到两步杀'] },
  { key: 'crossed', mark: '兵', skill: 1, rating: 2710, error: 240, name: ['Crossed pawn', '过河卒'], about: ['sees simple threats', '能看到简单的威胁'] },
  { key: 'advisor', mark: '士', skill: 3, rating: 2740, error: 250, name: ['Advisor', '士'], about: ['looks three plies ahead', '能算三步'] },
  { key: 'elephant', mark: '象', skill: 5, rating: 2810, error: 250, name: ['Elephant', '象'], about: ['looks five plies ahead', '能算五步'] },
  { key: 'horse', mark: '马', skill: 7, rating: 2990, error: 260, name: ['Horse', '马'], about: ['looks seven plies ahead', '能算七步'] },
  { key: 'cannon', mark: '炮', skill: 9, rating: 3320, error: 270, name: ['Cannon', '炮'], about: ['looks nine plies ahead', '能算九步'] },
  { key: 'rook', mark: '车', skill: 11, rating: 3740, error: 280, name: ['Rook', '车'], about: ['looks eleven plies ahead', '能算十一步'] },
  { key: 'general', mark: '帅', skill: 13, rating: 4010, error: 290, name: ['General', '帅'], about: ['looks thirteen plies ahead', '能算十三步'] },
  { key: 'river', mark: '河', skill: 15, rating: 4290, error: 300, name: ['River', '河'], about: ['looks fifteen plies ahead', '能算十五步'] },
  { key: 'chuhe', mark: '楚', skill: 20, rating: '> 4600', name: ['Chuhe', '楚河'], about: ['full strength', '全力以赴'] },
];

/** Opponents for the answers to "How do you play?". */
export const SUGGESTED = { beginner: 'novice', club: 'elephant', strong: 'cannon' };

/** Returns an opponent by its key. */
export const opponentOf = (key) => OPPONENTS.find((one) => one.key === key) ?? OPPONENTS[3];

/** Returns the opponent so many steps stronger. */
export function neighbour(key, steps) {
  const index = OPPONENTS.indexOf(opponentOf(key)) + steps;
  return OPPONENTS[Math.min(OPPONENTS.length - 1, Math.max(0, index))];
}
