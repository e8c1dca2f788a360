"use strict";
// The searches of the textbook over a tree of a page: twins of minimax, alphabeta, expectiminimax, star1, maxn and paranoid in
// engine/games/search, and their pseudo-code.
//
// A node is { player, children, likely, values }: `player` 0, 1, …, CHANCE or OVER; `children` are indices in their order,
// `likely` their probabilities by index; `values` has a number for each player, the payoffs or an estimate. Node 0 is the root.
const CHANCE = -1;
const OVER = -2;

// The steps of a search, as engine/games/search/recording.py keeps them: { act, node, value, window, more }. Values and windows
// are of `maxPlayer`, under Max-N of every player; `bounds` are the least and the greatest payoff of `maxPlayer`. `line` is the
// best play, as the indices of nodes below the root.
function searchTree(nodes, algorithm, depth, { maxPlayer, bounds }) {
  const steps = [];
  const prunes = ["alphabeta", "star1", "paranoid"].includes(algorithm);
  const isVector = algorithm === "maxn";
  const note = (act, node, value = null, window = null, more = null) => steps.push({ act, node, value, window, more });

  function left(index, value, line = []) {
    note("return", index, value);
    return { value, line };
  }

  function cut(index, alpha, beta, at) {
    const pruned = nodes[index].children.slice(at + 1);
    if (pruned.length) note("cut", index, null, [alpha, beta], pruned);
  }

  // Minimax; with `prunes` alpha-beta, and with vectors Max-N.
  function search(index, depth, alpha, beta, given = null) {
    note("enter", index, null, given, depth);
    const { player, children, values } = nodes[index];
    if (player === OVER || depth <= 0) {
      const value = isVector ? values : values[maxPlayer];
      note("estimate", index, value, null, player === OVER ? "payoff" : "estimate");
      return { value, line: [] };
    }
    if (prunes) note("inherit", index, null, [alpha, beta]);
    if (player === CHANCE) return algorithm === "star1" ? star1(index, depth, alpha, beta) : expectation(index, depth);
    const isMax = player === maxPlayer;
    const worth = (value) => (isVector ? value[player] : isMax ? value : -value); // to the player to move
    let best = null;
    let line = [];
    for (const [at, child] of children.entries()) {
      const found = search(child, depth - 1, alpha, beta, prunes ? [alpha, beta] : null);
      if (best === null || worth(found.value) > worth(best)) {
        best = found.value;
        line = [child, ...found.line];
        if (prunes && isMax) alpha = Math.max(alpha, best);
        else if (prunes) beta = Math.min(beta, best);
        note("update", index, best, prunes ? [alpha, beta] : null);
      }
      if (prunes && alpha >= beta) {
        cut(index, alpha, beta, at);
        break;
      }
    }
    return left(index, best, line);
  }

  function expectation(index, depth) {
    const found = nodes[index].children.map((child) => [nodes[child].likely, search(child, depth, -Infinity, Infinity).value]);
    const mean = (valueOf) => found.reduce((sum, [likely, value]) => sum + likely * valueOf(value), 0);
    const expected = isVector ? nodes[index].values.map((_, player) => mean((value) => value[player])) : mean((value) => value);
    return left(index, expected);
  }

  // A chance node is left once the other outcomes cannot bring its value into the window (Ballard 1983).
  function star1(index, depth, alpha, beta) {
    const [least, greatest] = bounds;
    let expected = 0; // of the outcomes looked at
    let rest = 1; // the probability of the others
    for (const [at, child] of nodes[index].children.entries()) {
      const chance = nodes[child].likely;
      if (chance <= 0) continue;
      rest = Math.max(0, rest - chance);
      const tooLow = (alpha - expected - rest * greatest) / chance;
      const tooHigh = (beta - expected - rest * least) / chance;
      const { value } = search(child, depth, Math.max(tooLow, least), Math.min(tooHigh, greatest));
      expected += chance * value;
      if (!(tooLow < value && value < tooHigh)) {
        const [low, high] = [Math.min(expected + rest * greatest, alpha), Math.max(expected + rest * least, beta)];
        expected = value <= tooLow ? low : high;
        cut(index, alpha, beta, at);
        break;
      }
    }
    return left(index, expected);
  }

  const { line } = search(0, depth, -Infinity, Infinity);
  return { steps, line };
}

// The lines of each algorithm, and before each the steps at which it is executed, with the kind of node where that matters.

const MINIMAX = `
enter|value(n, d):
estimate|  if n is a leaf or d = 0: return its value
|  if MAX is to move at n:
|    best ← −∞
|    for each move of n, to n':
update:max|      best ← max(best, value(n', d − 1))
return:max|    return best
|  if MIN is to move at n:
|    best ← +∞
|    for each move of n, to n':
update:min|      best ← min(best, value(n', d − 1))
return:min|    return best`;
const ALPHABETA = `
enter inherit|value(n, d, α, β):
estimate|  if n is a leaf or d = 0: return its value
|  if MAX is to move at n:
|    best ← −∞
|    for each move of n, to n':
|      best ← max(best, value(n', d − 1, α, β))
update:max|      α ← max(α, best)
cut:max|      if α ≥ β: prune the other moves
return:max|    return best
|  if MIN is to move at n:
|    best ← +∞
|    for each move of n, to n':
|      best ← min(best, value(n', d − 1, α, β))
update:min|      β ← min(β, best)
cut:min|      if α ≥ β: prune the other moves
return:min|    return best`;
const PSEUDO_CODE = {
  minimax: MINIMAX,
  alphabeta: ALPHABETA,
  paranoid: `${ALPHABETA}\n|  MAX is the player at the root, MIN are all others.`,
  expectiminimax: `${MINIMAX}\n|  if chance is to move at n:\nreturn:chance|    return Σ P(n') · value(n', d)`,
  star1: `${ALPHABETA}
|  if chance is to move at n:
|    for each outcome of n, to n':
|      sum ← sum + P(n') · value(n', d, …)
cut:chance|      if the others cannot bring it into (α, β): prune them
return:chance|    return sum`,
  maxn: `
enter|value(n, d):
estimate|  if n is a leaf or d = 0: return its vector
|  if player p is to move at n:
|    for each move of n, to n':
|      v ← value(n', d − 1)
update|      if v[p] > best[p]: best ← v
return:player|    return best
|  if chance is to move at n:
return:chance|    return Σ P(n') · value(n', d)`,
  uct: `
|for each simulation:
|  n ← the root
select|  while n has been visited: n ← the child with the highest bound
expand|  add n to the tree
simulate|  result ← a random game from n
back up|  for n and each node above it: count the visit, add the result`,
};

function pseudoCode(algorithm) {
  return (PSEUDO_CODE[algorithm] || "").trim().split("\n").map((line) => {
    const [when, text] = [line.slice(0, line.indexOf("|")), line.slice(line.indexOf("|") + 1)];
    return { when: when.split(/ (?!up)/), text };
  });
}

// Numbers as the program writes them, with a real minus.

const numberText = (number) => String(Math.round(number * 1e4) / 1e4 + 0).replace("-", "−").replace("Infinity", "∞");
const worthText = (worth) => (Array.isArray(worth) ? worth.map(numberText).join(" ") : numberText(worth));
const windowText = (window) => (window ? `[${window.map(numberText).join(", ")}]` : "");

// What was typed as a number: 3, 2.5, 5/2, −1, ∞; null for anything else.
function typedNumber(text) {
  const plain = text.trim().replace(/[−–]/g, "-").replace(/^([-+]?)(inf|infinity|oo|∞)$/i, "$1Infinity");
  const [, above, below] = /^([-+]?(?:\d+\.?\d*|\.\d+|Infinity))(?:\/(\d+))?$/.exec(plain) || [];
  return above === undefined || Number(below) === 0 ? null : Number(above) / Number(below || 1);
}
