// Texts of the page in English and Chinese.

const WORDS = {
  name: ['Chuhe', '楚河'], engine_name: ['Chuhe ({0})', '楚河（{0}）'], play: ['Play', '对弈'], analyse: ['Analyse', '分析'], games: ['Games', '对局'], start: ['Start', '首页'],
  views: ['Views', '页面'], share: ['Share', '分享'], settings: ['Settings', '设置'], other_language: ['中文', 'English'], close: ['Close', '关闭'],
  cancel: ['Cancel', '取消'], done: ['Done', '完成'], undo: ['Undo', '撤销'],
  tagline: ['Xiangqi with a strong engine that explains itself. Nothing leaves this machine.', '强大而会讲解的中国象棋引擎，一切都在本机运行。'],
  go_on: ['Go on', '继续'], your_game: ['Your game with {0}', '与{0}的对局'], move_number: ['move {0}', '第 {0} 回合'],
  door_play: ['twelve opponents, from a beginner to stronger than any of us', '十二位对手，从初学者到无人能敌'],
  door_review: ['drop a file, paste moves or a link; every mistake explained', '拖入文件、粘贴棋谱或链接，逐步讲解失误'],
  door_analyse: ['any position, with the lines of the engine', '任意局面，查看引擎的变化'],
  review: ['Review a game', '复盘'], opponent: ['Opponent', '对手'], you_play: ['You play', '执子'], red: ['Red', '红方'], black: ['Black', '黑方'], random: ['By lot', '随机'],
  clock: ['Clock', '计时'], clock_none: ['none', '不限时'], clock_blitz: ['5 min + 3 s', '5 分 + 3 秒'], clock_rapid: ['10 min + 5 s', '10 分 + 5 秒'], clock_slow: ['30 min + 10 s', '30 分 + 10 秒'],
  clock_countdown: ['5 min, then 30 s a move', '5 分，读秒 30 秒'], clock_tournament: ['20 min, 60 s a move, then 30 s', '20 分，步时 60 秒，读秒 30 秒'], clock_moves: ['30 s a move', '每步 30 秒'],
  adapts: ['The opponent adapts to my results', '对手强弱随胜负调整'], use_book: ['Opening book', '开局库'],
  new_game: ['New game', '新对局'], begin: ['Begin', '开始'], begin_hint: ['or simply make the first move', '或直接走第一步'], from_here: ['Play from here', '从此局面对弈'],
  opponents: ['The opponents', '对手'], how_strong_are_they: ['How strong are they?', '对手棋力'], rating: ['Elo', 'Elo'],
  ratings_help: ['Measured in games against each other; a player who moves at random has 0. Two hundred points more win three games of four. They are not the ratings of any federation.', '由对手之间的对局测得，随机走子者为 0 分。高出两百分，大约四局可胜三局。与任何协会的等级分无关。'],
  about: ['{0}: {1}', '{0}：{1}'], how_strong: ['How do you play?', '您的棋力如何？'], beginner: ['Beginner', '初学者'], club: ['Club player', '棋社水平'], strong: ['Strong', '高手'],
  take_back: ['Undo', '悔棋'], hint: ['Hint', '提示'], offer_draw: ['Draw', '提和'], resign: ['Resign', '认输'], rematch: ['Play again', '再来一局'], review_this: ['Review', '复盘'],
  resign_ask: ['Resign this game?', '确定认输吗？'], resigned: ['You have resigned.', '您已认输。'], new_ask: ['Leave this game and begin a new one?', '离开当前对局，开始新对局？'],
  leave_ask: ['Leave this game?', '离开当前对局？'], kept: ['It is kept: you can go on with it later.', '对局已保存，之后可以继续。'], not_kept: ['The browser has no room to keep it.', '浏览器没有空间保存这局棋。'], leave: ['Leave', '离开'], left_game: ['The game was left.', '已离开对局。'],
  practice: ['practice', '练习'], practice_ask: ['The engine helps: this game then counts as practice.', '引擎协助后，本局记为练习。'],
  engine_off: ['The engine is off during a game.', '对局中引擎关闭。'], help: ['Turn it on', '开启引擎'],
  not_last: ['You look at an earlier move.', '正在查看之前的着法。'], to_game: ['Back to the game', '回到对局'], parked: ['The game goes on in another tab.', '对局正在另一个标签页中进行。'], take_over: ['Go on here', '在此继续'],
  thinking: ['is thinking …', '思考中…'], waiting: ['waiting for another page', '等待其他页面'], from_book: ['from the opening book', '出自开局库'], refused: ['The draw was declined.', '对方不同意和棋。'],
  adapts_up: ['Two wins in a row: your next opponent is stronger.', '连胜两局，下一位对手更强。'], adapts_down: ['Two losses in a row: your next opponent is weaker.', '连败两局，下一位对手稍弱。'],
  you: ['You', '您'], to_move_red: ['Red to move', '轮到红方'], to_move_black: ['Black to move', '轮到黑方'], check: ['check', '将军'],
  red_wins: ['Red wins', '红胜'], black_wins: ['Black wins', '黑胜'], draw: ['Draw', '和棋'], unfinished: ['unfinished', '未完'],
  resigned_red: ['Red resigns', '红方认输'], resigned_black: ['Black resigns', '黑方认输'], agreed: ['by agreement', '双方议和'], timeout_red: ["Red's time is over", '红方超时'],
  timeout_black: ["Black's time is over", '黑方超时'],
  you_win: ['You win', '您赢了'], you_lose: ['You lose', '您输了'], premove: ['Premove', '预走'],
  first: ['First position', '开局'], previous: ['Previous move', '上一步'], next: ['Next move', '下一步'], last: ['Last position', '终局'], flip: ['Turn the board', '翻转棋盘'],
  moves: ['Moves', '着法'], book: ['Book', '开局库'], tables: ['Endgame tables', '残局库'], comment: ['Comment', '注释'], comment_here: ['Comment on this move', '为此着添加注释'],
  engine: ['Engine', '引擎'], on: ['on', '开'], off: ['off', '关'], depth: ['depth {0}', '深度 {0}'], speed: ['{0} M nodes/s', '{0} 百万节点/秒'], lines: ['Lines', '变化数'],
  game_over: ['The game is over.', '对局已结束。'],
  report: ['Analyse the game', '分析全局'], report_again: ['Analyse again', '重新分析'], stop: ['Stop', '停止'], progress: ['Progress', '进度'], accuracy: ['Accuracy', '准确率'],
  side_accuracy: ['{0} {1} %', '{0} {1}%'],
  mark_inaccuracy: ['inaccuracy', '欠佳'], mark_mistake: ['mistake', '失误'], mark_blunder: ['blunder', '大错'], mark_good: ['good move', '好棋'],
  mistake_text: ['{0} is {1}. Better was {2}.', '{0} {1}，应走 {2}。'],
  an_inaccuracy: ['an inaccuracy', '欠佳'], a_mistake: ['a mistake', '是失误'], a_blunder: ['a blunder', '是大错'], try_again: ['Try again', '再试一次'],
  chart: ['Winning chance of Red over the game', '红方胜率曲线'], bar: ['Winning chance of Red', '红方胜率'],
  move: ['Move', '着法'], move_share: ['Share', '比例'], game_count: ['Games', '局数'], results: ['Win / draw / loss', '胜／和／负'], no_book: ['The book does not know this position.', '开局库中没有此局面。'],
  win: ['Win', '胜'], loss: ['Loss', '负'], plies: ['{0} ({1} plies)', '{0}（{1} 步）'], for_mover: ['{0} for the side to move', '行棋方{0}'], until: ['to a winning capture or mate', '至得子转化或将死'], by_checks: ['(in the end the losing side can only check perpetually)', '（败方最终只能长将）'],
  promote: ['Make main line', '升为主变'], delete: ['Delete from here', '删除此后'], notation: ['Notation', '记谱法'], notation_chinese: ['炮二平五', '炮二平五'], notation_wxf: ['C2.5', 'C2.5'],
  notation_move: ['h2e2', 'h2e2'],
  type_move: ['Type a move', '输入着法'], cycle: ['Plies of the repetition', '循环着法'],
  open: ['Open', '打开'], open_file: ['Open a file', '打开文件'],
  open_help: ['Or drop a file on the page, or paste moves, a game, a position or a link anywhere.', '也可将文件拖到页面上，或在任意处粘贴着法、棋谱、局面或链接。'],
  paste: ['Moves, PGN, DhtmlXQ or FEN', '着法、PGN、DhtmlXQ 或 FEN'], load: ['Load', '载入'],
  loaded: ['Loaded: {0}', '已载入：{0}'], loaded_games: ['{0} games', '{0} 局'], more_games: ['only the first games were read', '仅读取了前面的对局'], game: ['Game', '对局'],
  file_too_large: ['{0} is too large for the page; use chuhe convert', '{0} 过大，请使用 chuhe convert'],
  edit: ['Edit the position', '编辑局面'],
  edit_help: ['Drag pieces to where they belong, off the board to remove them. Choose a piece and click a point to add it.', '拖动棋子摆放，拖出棋盘即移除。选择棋子后点击格点即可添加。'],
  clear: ['Clear', '清空'], start_position: ['Start position', '初始局面'], side_to_move: ['Side to move', '先手'],
  copy_fen: ['Copy FEN', '复制 FEN'], copy_link: ['Copy link to the position', '复制局面链接'], copy_moves: ['Copy moves', '复制着法'], copy_ubb: ['Copy DhtmlXQ (UBB)', '复制 DhtmlXQ（UBB）'],
  copy_picture: ['Copy picture', '复制图片'], save_png: ['Save PNG', '保存 PNG'], save_svg: ['Save SVG', '保存 SVG'], save_game: ['Save the game', '保存对局'], copied: ['Copied', '已复制'],
  not_copied: ['The browser does not allow copying.', '浏览器不允许复制。'], saved: ['Saved', '已保存'], save_moves: ['Moves', '着法'],
  board_look: ['Board', '棋盘'], board_wood: ['wood', '木'], board_paper: ['paper', '纸'], board_dark: ['dark', '暗'], pieces: ['Pieces', '棋子'], pieces_simplified: ['simplified', '简体'],
  pieces_traditional: ['traditional', '繁体'], pieces_pictures: ['pictures', '图形'],
  theme: ['Colours', '配色'], theme_auto: ['of the system', '随系统'], theme_light: ['light', '浅色'], theme_dark: ['dark', '深色'], language: ['Language', '语言'], sounds: ['Sounds', '声音'],
  show_targets: ['Show legal moves', '显示可走的点'], coordinates: ['Coordinates', '坐标'], arrows: ['Arrows of the lines', '变化箭头'],
  rules: ['Repetition rules', '循环规则'], rules_computer: ['computer', '电脑规则'], rules_league: ['UCCI league', 'UCCI 联赛'], rules_axf: ['Asian (AXF)', '亚洲棋规'], rules_simple: ['checks only', '仅禁长将'],
  keys: ['Keys: ← → moves, Home End, F turn, E engine, arrow keys and Enter on the board; right button draws arrows and circles.', '快捷键：← → 前后，Home End 首尾，F 翻转，E 引擎；棋盘上用方向键与回车走棋，右键画箭头和圆圈。'],
  no_games: ['No games yet. Each game that you play is kept here.', '还没有对局。您下的每一局都会保存在这里。'], remove: ['Delete', '删除'], removed: ['The game was deleted.', '对局已删除。'],
  moves_count: ['{0} moves', '{0} 回合'],
  closed: ['The connection to chuhe is lost. Start it again with “chuhe web”; this page then goes on.', '与 chuhe 的连接已断开。请重新运行“chuhe web”，本页面会自动继续。'],
  empty: ['empty', '空'], selected: ['selected', '已选'], not_legal: ['not a legal move', '不合规则的着法'],
  board_label: ['Board: arrow keys move the cursor, Enter chooses a piece and its target', '棋盘：方向键移动光标，回车选子和落子'], board_small: ['Board', '棋盘'],
  K: ['king', '帅'], A: ['advisor', '仕'], B: ['elephant', '相'], N: ['horse', '马'], R: ['rook', '车'], C: ['cannon', '炮'], P: ['pawn', '兵'],
  k: ['king', '将'], a: ['advisor', '士'], b: ['elephant', '象'], n: ['horse', '马'], r: ['rook', '车'], c: ['cannon', '炮'], p: ['pawn', '卒'],
};

let language = navigator.language?.startsWith('zh') ? 'zh' : 'en';

/** Returns the language, `en` or `zh`. */
export const currentLanguage = () => language;

/** Sets the language. */
export function setLanguage(name) {
  language = name;
  document.documentElement.lang = name === 'zh' ? 'zh-CN' : 'en';
}

/** Returns the text of a pair for the language. */
export const choosePair = (pair) => pair[language === 'zh' ? 1 : 0];

/** Returns a text of the page with arguments in place of `{0}` and so on. */
export function say(name, ...values) {
  const text = WORDS[name] ? choosePair(WORDS[name]) : name;
  return values.reduce((filled, value, index) => filled.replace(`{${index}}`, value), text);
}

/** Returns the text of an object with one for each language. */
export const choose = (words) => words?.[language] ?? '';

/** Returns a number with the separators of the language. */
export const number = (value) => value.toLocaleString(language === 'zh' ? 'zh-CN' : 'en');

/** Returns a day in the words of the language. */
export const day = (time) => new Date(time).toLocaleDateString(language === 'zh' ? 'zh-CN' : 'en', { year: 'numeric', month: 'short', day: 'numeric' });

/** Describes a piece, such as "red cannon". */
export function pieceName(letter) {
  if (letter === '.') return say('empty');
  const side = say(letter === letter.toUpperCase() ? 'red' : 'black');
  return language === 'zh' ? `${side}${say(letter)}` : `${side.toLowerCase()} ${say(letter)}`;
}
