// Texts of the page in English and Chinese.

const WORDS = {
  play: ['Play', '对弈'], analyse: ['Analyse', '分析'], other_language: ['中文', 'English'], theme: ['Dark / light', '深色／浅色'],
  sound: ['Sound', '声音'], modes: ['Mode', '模式'], board: ['Board', '棋盘'],
  first: ['First position', '开局'], previous: ['Previous move', '上一步'], next: ['Next move', '下一步'],
  last: ['Last position', '终局'], flip: ['Turn the board', '翻转棋盘'], cycle: ['Plies of the repetition', '循环着法'],
  move_text: ['Type a move', '输入着法'], make_move: ['Move', '走棋'], your_side: ['You play', '执子'],
  red: ['Red', '红方'], black: ['Black', '黑方'], random: ['Random', '随机'], level: ['Level', '级别'],
  time: ['Time', '用时'], by_level: ['by level', '由级别决定'], rules: ['Repetition rules', '循环规则'],
  rules_computer: ['computer rules', '电脑规则'], rules_league: ['UCCI league', 'UCCI 联赛'], rules_simple: ['checks only', '仅禁长将'],
  use_book: ['opening book', '开局库'], use_tables: ['endgame tables', '残局库'], new_game: ['New game', '新对局'],
  from_here: ['Play from here', '从此局面开始'], take_back: ['Take back', '悔棋'], hint: ['Hint', '提示'],
  offer_draw: ['Offer draw', '提和'], resign: ['Resign', '认输'], engine: ['Engine', '引擎'], lines: ['Lines', '变化数'],
  arrows: ['arrows', '箭头'], tables: ['Endgame tables', '残局库'], book: ['Opening book', '开局库'], move: ['Move', '着法'],
  share: ['Share', '比例'], games: ['Games', '局数'], results: ['Win / draw / loss', '胜／和／负'],
  report: ['Analyse the game', '分析全局'], per_move: ['per move', '每步'], progress: ['Progress', '进度'],
  moves: ['Moves', '着法'], notation: ['Notation', '记谱法'], promote: ['Make main line', '升为主变'], delete: ['Delete from here', '删除此后'],
  comment: ['Comment', '注释'], files: ['Load, save, edit', '打开、保存、摆棋'], set: ['Set', '设定'], copy: ['Copy', '复制'],
  edit: ['Edit the position', '编辑局面'], clear: ['Clear', '清空'], start_position: ['Start position', '初始局面'],
  change_side: ['Other side to move', '换先手'], edit_help: ['Drag pieces to where they belong, off the board to remove them. Choose a piece below the board to add it. End with “Edit the position”.',
    '拖动棋子摆放，拖出棋盘即移除；在棋盘下方选择棋子后点击格点即可添加。再次点击“编辑局面”结束。'],
  paste: ['Paste PGN, moves, DhtmlXQ or a FEN', '粘贴 PGN、着法、DhtmlXQ 或 FEN'], load: ['Load', '载入'],
  open_file: ['Open a file (or drop it on the page)', '打开文件（或拖到页面上）'], game: ['Game', '对局'], save_as: ['Save as', '另存为'],
  move_list: ['Moves', '着法'],
  keys: ['Keys: ← → moves, Home End, F turn, E engine, arrow keys and Enter on the board.', '快捷键：← → 前后，Home End 首尾，F 翻转，E 引擎；棋盘上用方向键与回车走棋。'],
  you: ['You', '你'], chuhe: ['Chuhe', '楚河'], thinking: ['Chuhe is thinking …', '楚河思考中…'],
  waiting: ['waiting: another page is searching', '等待中：其他页面正在搜索'], to_move_red: ['Red to move', '轮到红方'], to_move_black: ['Black to move', '轮到黑方'],
  check: ['check', '将军'], red_wins: ['Red wins', '红胜'], black_wins: ['Black wins', '黑胜'], draw: ['Draw', '和棋'],
  resigned_red: ['Red resigns', '红方认输'], resigned_black: ['Black resigns', '黑方认输'], agreed: ['drawn by agreement', '双方议和'],
  refused: ['Chuhe declines the draw', '楚河不同意和棋'],
  timeout_red: ["Red's time is over", '红方超时'], timeout_black: ["Black's time is over", '黑方超时'],
  hint_is: ['Hint', '提示'], from_book: ['from the opening book', '出自开局库'], closed: ['The connection to chuhe is closed. Start it again with “chuhe web” and open the new address.',
    '与 chuhe 的连接已断开。请重新运行“chuhe web”并打开新的地址。'],
  depth: ['depth', '深度'], nodes: ['nodes', '节点'], win: ['Win', '胜'], loss: ['Loss', '负'], plies: ['plies', '步'], side_to_move: ['for the side to move', '（行棋方）'],
  until: ['to a winning capture or mate', '至得子转化或将死'], accuracy: ['Accuracy', '准确率'], better: ['better', '宜走'], chart: ['Winning chance of Red over the game', '红方胜率曲线'], start: ['Start', '开局'],
  off_board: ['off the board', '棋盘外'], empty: ['empty', '空'], selected: ['selected', '已选'], not_legal: ['not a legal move', '不合规则的着法'],
  loaded: ['Loaded', '已载入'], more_games: ['only the first games were read', '仅读取了前面的对局'], bar: ['Winning chance of Red', '红方胜率'],
  board_label: ['Board: arrow keys move the cursor, Enter chooses a piece and its target', '棋盘：方向键移动光标，回车选子和落子'],
  K: ['king', '帅'], A: ['advisor', '仕'], B: ['elephant', '相'], N: ['horse', '马'], R: ['rook', '车'], C: ['cannon', '炮'], P: ['pawn', '兵'],
  k: ['king', '将'], a: ['advisor', '士'], b: ['elephant', '象'], n: ['horse', '马'], r: ['rook', '车'], c: ['cannon', '炮'], p: ['pawn', '卒'],
};

let language = navigator.language?.startsWith('zh') ? 'zh' : 'en';

/** Returns the language, `en` or `zh`. */
export const currentLanguage = () => language;

/** Returns a text of the page. */
export function say(name) {
  return WORDS[name]?.[language === 'zh' ? 1 : 0] ?? name;
}

/** Chooses the text of an object with one for each language. */
export const choose = (words) => words?.[language] ?? '';

/** Sets the language and all texts of the document. */
export function setLanguage(name) {
  language = name;
  document.documentElement.lang = name === 'zh' ? 'zh-CN' : 'en';
  for (const element of document.querySelectorAll('[data-text]')) element.textContent = say(element.dataset.text);
  for (const element of document.querySelectorAll('[data-label]')) {
    element.setAttribute('aria-label', say(element.dataset.label));
    if (element.tagName === 'BUTTON') element.title = say(element.dataset.label);
  }
}

/** Describes a piece, such as "red cannon". */
export function pieceName(letter) {
  if (letter === '.') return say('empty');
  const side = say(letter === letter.toUpperCase() ? 'red' : 'black');
  return language === 'zh' ? `${side}${say(letter)}` : `${side.toLowerCase()} ${say(letter)}`;
}
