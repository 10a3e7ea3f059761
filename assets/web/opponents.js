// The opponents: name, sentence and level of the engine, from the weakest to the strongest.

export const OPPONENTS = [
  { key: 'toddler', mark: '学', skill: -2, name: ['Toddler', '学步'], about: ['has just learned how the pieces move', '刚学会走子'] },
  { key: 'novice', mark: '童', skill: -1, name: ['Novice', '棋童'], about: ['takes what is free, leaves pieces hanging', '见子就吃，常常丢子'] },
  { key: 'pawn', mark: '卒', skill: 0, name: ['Pawn', '小卒'], about: ['misses mates in two', '看不到两步杀'] },
  { key: 'crossed', mark: '兵', skill: 1, name: ['Crossed pawn', '过河卒'], about: ['sees simple threats', '能看到简单的威胁'] },
  { key: 'advisor', mark: '士', skill: 3, name: ['Advisor', '士'], about: ['a careful hobby player', '谨慎的业余爱好者'] },
  { key: 'elephant', mark: '象', skill: 5, name: ['Elephant', '象'], about: ['defends well, attacks late', '善守，攻得慢'] },
  { key: 'horse', mark: '马', skill: 7, name: ['Horse', '马'], about: ['a strong club player', '棋社中的好手'] },
  { key: 'cannon', mark: '炮', skill: 9, name: ['Cannon', '炮'], about: ['punishes every slip', '有错必罚'] },
  { key: 'rook', mark: '车', skill: 11, name: ['Rook', '车'], about: ['for masters of a city', '城市冠军的对手'] },
  { key: 'general', mark: '帅', skill: 13, name: ['General', '帅'], about: ['for national masters', '大师的对手'] },
  { key: 'river', mark: '河', skill: 15, name: ['River', '河'], about: ['stronger than all but a few', '少有人能胜'] },
  { key: 'chuhe', mark: '楚', skill: 20, name: ['Chuhe', '楚河'], about: ['full strength', '全力以赴'] },
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
