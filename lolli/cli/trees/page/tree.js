"use strict";
// A tree that is drawn, and one search of it that can be stepped through; lolli/cli/trees/pages.py writes the data.
const element = (id) => document.getElementById(id);
const several = (number, one, more) => `${number} ${number === 1 ? one : more}`;

// An element of a page, or of its picture.
const made = (tag, properties, ...content) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...content);
  return node;
};
function drawn(tag, attributes, parent) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (parent) parent.append(node);
  return node;
}

// The nodes of a page, where each is drawn, and their order, which may be changed.
function makeTree(data) {
  const JOINED = 50; // more pixels between plies for the words of edges that meet
  const WORDS_AT = [27, 41, 55, 69, 83]; // pixels from the words of an edge to its lower end; the later ones if words are in the way
  const COUSINS = 0.4; // more room between nodes of different parents, in widths of a node
  const { width, sampling, names, maxPlayer, whole } = data;
  const nodes = data.nodes.map((row, index) => ({ ...Object.fromEntries(data.fields.map((name, place) => [name, row[place]])), index, children: [] }));
  for (const { above, index } of nodes) if (above !== null) nodes[above].children.push(index);
  const tree = { data, nodes, plies: [], merged: data.merged, boards: data.showBoards, limit: data.depth, algorithm: data.searcher };

  tree.at = (index) => (tree.merged ? nodes[index].same : index); // where a node is drawn
  tree.pathTo = (index) => {
    const path = [];
    for (let each = index; each !== null; each = nodes[each].above) path.push(each);
    return path;
  };
  tree.nameOf = (index) => tree.pathTo(index).reverse().slice(1).map((each) => nodes[each].move).join(">") || "root";
  tree.boardHeight = () => (tree.boards && data.boards === "squares" ? data.squares.size * data.squares.rows + 6 : 0);
  tree.isKnown = () => whole && nodes.every(({ who, values }) => who !== OVER || values !== null);

  // Which node is drawn where: its place, the nodes that lead to it (into) and those it leads to (out; below: placed under it),
  // and when a walk through all nodes enters and leaves it.
  tree.layout = () => {
    const step = data.ply + tree.boardHeight() + (tree.merged ? JOINED : 0);
    let time = 0;
    for (const node of nodes) Object.assign(node, { isLaid: false, into: [], out: [], below: [] });
    const walk = (node, ply, left) => {
      const here = tree.at(node.index);
      Object.assign(node, { isLaid: here === node.index, ply, time: time++ });
      if (node.above !== null) {
        const from = tree.at(node.above);
        const { into } = nodes[here];
        if (!into.some((each) => each.from === from && each.move === node.move)) {
          into.push({ from, share: 1 - WORDS_AT[0] / step, move: node.odds ? `${node.move} (${node.odds})` : node.move });
          nodes[from].out.push(here);
        }
        if (node.isLaid) nodes[from].below.push(node.index);
      }
      if (!whole || left > 0) for (const child of node.children) walk(nodes[child], ply + 1, left - (node.who !== CHANCE));
      node.until = time++;
    };
    walk(nodes[0], 0, tree.limit);
    tree.plies = [];
    const place = (node, at) => {
      (tree.plies[node.ply] ||= []).push(node);
      const below = node.below.map((child) => nodes[child]);
      for (const child of below) at = place(child, at);
      node.slot = below.length ? (below[0].slot + below.at(-1).slot) / 2 : at;
      Object.assign(node, { x: (node.slot + 0.5) * width, y: node.ply * step + 30 });
      return at + (below.length ? COUSINS : 1);
    };
    place(nodes[0], 0);
    const isShared = nodes.some(({ into }) => into.length > 1);
    if (isShared) placeShared();
    tree.broad = tree.plies.flat().reduce((most, { x }) => Math.max(most, x), 0) + width / 2;
    tree.high = (tree.plies.length - 1) * step + data.ply + tree.boardHeight() - 10;
    tree.step = step;
    if (isShared) placeWords();
  };
  // Nodes below those that lead to them, and these above them, by turns, as _place_shared of lolli/cli/trees/picture.py does.
  const placeShared = () => {
    const GAP = 1.25 * width; // between nodes of a ply
    const mean = (places) => places.reduce((sum, each) => sum + nodes[each].x, 0) / places.length;
    for (let turn = 0; turn < 10; turn++) {
      const isUp = turn % 2 === 1;
      for (const ply of isUp ? [...tree.plies].reverse() : tree.plies) {
        const wanted = new Map(ply.map((node) => {
          const near = isUp ? node.out : node.into.map(({ from }) => from);
          return [node, near.length ? mean(near) : node.x];
        }));
        if (!isUp) ply.sort((one, other) => wanted.get(one) - wanted.get(other));
        const pools = [];
        ply.forEach((node, place) => {
          let pool = [wanted.get(node) - place * GAP, 1]; // the sum of what is wanted for the first place, of how many
          while (pools.length && pools.at(-1)[0] / pools.at(-1)[1] > pool[0] / pool[1]) {
            const [sum, count] = pools.pop();
            pool = [sum + pool[0], count + pool[1]];
          }
          pools.push(pool);
        });
        const starts = pools.flatMap(([sum, count]) => Array(count).fill(sum / count));
        ply.forEach((node, place) => { node.x = starts[place] + place * GAP; });
      }
    }
    const left = tree.plies.flat().reduce((least, { x }) => Math.min(least, x), Infinity) - width / 2;
    for (const node of tree.plies.flat()) node.x -= left;
    for (const ply of tree.plies) ply.sort((one, other) => one.x - other.x);
  };
  // The words of edges that meet go up their edges to where the fewest words are in the way.
  const placeWords = () => {
    const CELL = 7;
    const taken = new Set(); // "column row" of a grid under words
    const put = ({ x, y, into }) => into.forEach((each) => {
      const from = nodes[each.from];
      const [down, half] = [y - from.y, 3.3 * each.move.length + 2];
      const spots = WORDS_AT.map((pixels) => {
        const part = pixels / Math.abs(down);
        const share = down > 0 ? 1 - part : down < 0 ? part : 0.5; // an equal position may be nearer to the root
        const cells = [];
        for (let right = -half; right < half + CELL; right += CELL) {
          const column = Math.floor((from.x + share * (x - from.x) + Math.min(right, half)) / CELL);
          for (const lower of [-1, 0, 1]) cells.push(`${column} ${Math.floor((from.y + share * down) / CELL) + lower}`);
        }
        return { share, cells, cost: cells.filter((cell) => taken.has(cell)).length };
      });
      const best = spots.reduce((one, other) => (other.cost < one.cost ? other : one));
      each.share = best.share;
      for (const cell of best.cells) taken.add(cell);
    });
    tree.plies.flat().forEach(put);
  };

  // Searching again.
  tree.search = (algorithm = tree.algorithm) => {
    const payoffs = nodes.filter(({ who }) => who === OVER).map(({ values }) => values[maxPlayer]);
    const bounds = data.bounds || [Math.min(...payoffs), Math.max(...payoffs)];
    return searchTree(nodes.map((node) => ({ ...node, player: node.who })), algorithm, tree.limit, { maxPlayer, bounds });
  };
  tree.average = () => { // the estimate in a tree of numbers: the mean of what is below
    for (const node of [...nodes].reverse()) {
      if (!node.children.length) continue;
      const share = (child) => (node.who === CHANCE ? nodes[child].likely : 1 / node.children.length);
      node.values = names.map((_, player) => node.children.reduce((sum, child) => sum + share(child) * nodes[child].values[player], 0));
    }
  };
  // The signs of the nodes under an algorithm.
  tree.sign = (algorithm) => {
    tree.algorithm = algorithm;
    if (!whole) return;
    const left = [];
    for (const node of nodes) {
      left[node.index] = node.above === null ? tree.limit : left[node.above] - (nodes[node.above].who !== CHANCE);
      const isLeaf = node.who === OVER || left[node.index] <= 0;
      const side = algorithm === "maxn" ? "player" : node.who === maxPlayer ? "max" : "min";
      node.shape = isLeaf ? "leaf" : node.who === CHANCE ? "chance" : side;
      const several = names.length > 2 && side === "min" ? `MIN ${names[node.who]}` : side.toUpperCase();
      node.player = node.who < 0 ? (node.who === CHANCE ? "chance" : "end") : side === "player" ? names[node.who] : several;
      const worth = node.values && (algorithm === "maxn" ? node.values : node.values[maxPlayer]);
      if (isLeaf && worth !== null) node.leaf = worthText(worth);
    }
  };
  // Each node's children in an order; `value` is that of a node under an algorithm that prunes nothing.
  tree.order = (name) => {
    const values = [];
    if (name === "best" || name === "worst") {
      const exact = { alphabeta: "minimax", paranoid: "minimax", star1: "expectiminimax" }[tree.algorithm] || tree.algorithm;
      for (const { act, node, value } of tree.search(exact).steps) if (act === "return" || act === "estimate") values[node] = value;
    }
    for (const node of nodes) {
      node.children.sort((one, other) => one - other);
      if (name === "reversed") node.children.reverse();
      if (!values.length || node.who < 0 || node.children.some((child) => values[child] === undefined)) continue;
      const good = (child) => (Array.isArray(values[child]) ? values[child][node.who] : values[child] * (node.who === maxPlayer ? 1 : -1));
      node.children.sort((one, other) => (name === "best" ? good(other) - good(one) : good(one) - good(other)));
    }
  };
  tree.recorded = () => ({
    steps: data.steps.map(([act, node, value, window, more]) => ({ act: data.acts[act], node, value, window, more })),
    best: nodes.filter(({ best }) => best).map(({ index }) => index),
  });
  tree.again = (algorithm) => {
    const { steps, line } = tree.search(algorithm);
    const windows = [];
    const told = steps.map(({ act, node, value, window, more }) => {
      if (act === "inherit") windows[node] = window;
      const [alpha, beta] = windows[node] || [-Infinity, Infinity];
      const sign = act === "return" && value <= alpha && alpha > -Infinity ? "≤ " : act === "return" && value >= beta && beta < Infinity ? "≥ " : "";
      const cut = act === "cut" ? [more.map((child) => nodes[child].move).join(" "), more] : more;
      return { act, node, value: value === null ? "" : sign + worthText(value), window: windowText(window), more: cut };
    });
    return { steps: told, best: [0, ...line] };
  };
  if (sampling) tree.limit = Infinity;
  tree.layout();
  return tree;
}

// One tree on the screen. `told(pane)` is called after each step, `tapped(pane, index)` when a node is clicked.
function makePane(section, { told, tapped }) {
  const NEAR = 0.28; // the scale below which words could not be read and only lines are drawn
  const READABLE = 0.42; // the scale from which on a whole tree is shown at first
  const MOST = 600; // nodes that are drawn with words
  const LINES = 4; // steps that are listed before and after this one
  const SQUARE = 3.5; // pixels of a square of a board below which it is not drawn
  const APART = 100; // steps between those to go back to
  const TAP = 6; // pixels that a finger may move in a click
  const SHAPES = {
    max: "M0-16 19 16H-19Z", min: "M0 16 19-16H-19Z",
    chance: "M-16 0a16 16 0 1 0 32 0a16 16 0 1 0-32 0Z",
  };
  const NAME_AT = { max: 11, min: -3, chance: 4 };
  const SHORT_NAME = 3;
  const part = (name) => section.querySelector(`.${name}`);
  const fresh = { seen: false, value: "", window: "", cut: false, pruned: false, visits: 0, mean: 0 };
  const stage = part("stage");
  const picture = part("picture");
  const layer = drawn("g", {}, picture);
  const farLayers = ["unseen", "seen", "pruned", "path"].map((name) => drawn("path", { class: `far ${name}` }, layer));
  const [edgeLayer, nodeLayer, labelLayer] = [drawn("g", {}, layer), drawn("g", {}, layer), drawn("g", {}, layer)]; // words above edges
  const shapes = new Map(); // index -> {parts, looks} of what is drawn
  const camera = { x: 0, y: 0, scale: 1 };
  const pane = { section, part, selected: null, typed: new Map(), marks: new Map(), code: [], steps: [], at: 0 };
  let tree = null;
  let nodes = [];
  let known = [];
  const kept = []; // what was known at these steps
  let marked = []; // the path to the node of this step
  let best = new Set(); // the line of best play, at the end
  let bestLine = [];

  // The search at one step: what is known of each node. A step changes one node, and those that it prunes.

  function set(index, change) {
    known[index] = { ...known[index], ...change };
  }

  function forward() {
    if (pane.at % APART === 0) kept[pane.at / APART] = [...known];
    const { act, node, value, window, more } = pane.steps[pane.at++];
    const change = { seen: true, pruned: false };
    if (window) change.window = window;
    if (act === "back up") Object.assign(change, { visits: more, mean: value, value: short(value) });
    else if (act !== "simulate" && value !== "") change.value = value;
    if (act === "cut") {
      change.cut = true;
      for (const child of more[1]) prune(child);
    }
    set(tree.at(node), change);
  }

  function prune(index) {
    const here = tree.at(index);
    if (!known[here].seen) set(here, { pruned: true });
    for (const child of nodes[index].children) prune(child);
  }

  // Words.

  const SOURCES = { payoff: "the game ends here", estimate: "an estimate", table: "known from the table" };
  const short = (number) => String(Math.round(number * 1000) / 1000).replace("-", "−");

  function bound(index) {
    const { exploration, base, evaluated } = tree.data;
    const above = nodes[index].above;
    if (exploration === null || above === null || nodes[above].shape === "chance") return "";
    const { visits, mean } = known[tree.at(index)];
    if (!visits) return "";
    const all = known[tree.at(above)].visits;
    const weight = (exploration + Math.log((all + base + 1) / base)) * Math.sqrt(all);
    const more = evaluated ? (nodes[index].prior * weight) / (1 + visits) : exploration * Math.sqrt(Math.log(all) / visits);
    return short(mean + more);
  }

  function line({ act, node, value, window, more }) {
    const texts = {
      enter: () => `${nodes[node].shape === "leaf" ? "leaf" : nodes[node].player}, depth ${more}`,
      estimate: () => `${value} (${more})`,
      cut: () => `${window} prunes ${more[0]}`,
      "back up": () => `visits ${more}, mean ${short(value)}`,
    };
    const words = texts[act] ? texts[act]() : `${value} ${window}`.trim();
    return `${"  ".repeat(nodes[node].ply)}${act} ${tree.nameOf(node)}${words ? `: ${words}` : ""}`;
  }

  pane.sentence = ({ act, node, value, window, more }) => {
    const { player, shape, notes } = nodes[node];
    const { evaluated } = tree.data;
    const name = nodes[node].name || tree.nameOf(node);
    const [alpha, beta] = window ? window.slice(1, -1).split(", ") : [];
    const asks = notes.find((note) => note.startsWith("asks"));
    switch (act) {
      case "enter":
        if (shape === "leaf") return `Visit ${name}, a leaf.`;
        return `Visit ${name}: ${player === "chance" ? "chance decides" : `${player} is to move`}, ${several(more, "ply", "plies")} left.`;
      case "inherit": return `${name} starts with alpha ${alpha} and beta ${beta}${asks ? `, and ${asks}` : ""}.`;
      case "estimate": return `${name} is worth ${value}: ${SOURCES[more]}.`;
      case "update": return `${value} is the best for ${player} at ${name} so far${window ? `: alpha ${alpha}, beta ${beta}` : ""}.`;
      case "cut": return `Cut at ${name}: alpha ${alpha} ≥ beta ${beta}. The other moves cannot change the result.`
        + ` Pruned: ${more[0].split(" ").join(", ")}.`;
      case "return": return `${name} returns ${value}.`;
      case "select":
        if (!bound(node)) return `Go on to ${name}.`;
        return `${name} has the highest upper bound, ${bound(node)}: mean ${short(known[node].mean)}, ${several(known[node].visits, "visit", "visits")}`
          + `${evaluated ? `, P ${short(nodes[node].prior)}` : ""}.`;
      case "expand": return `${name} is new in the tree.`;
      case "simulate":
        if (evaluated) return `${name} is worth ${value} to the player who moved there.`;
        return `A random game from ${name} ends with ${value} for the player who moved there.`;
      default: return `${name}: ${several(more, "visit", "visits")}, mean ${short(value)}.`;
    }
  };

  // The picture. Only what can be seen is drawn.

  function text(parent, words, name, x, y) {
    drawn("text", { class: name, x, y }, parent).textContent = words;
  }

  // What hides the edges behind words whose middle is at x.
  function plate(parent, x, top, wide, height) {
    drawn("rect", { class: "plate", x: x - wide / 2, y: top, width: wide, height }, parent);
  }

  function classOf(index) {
    const state = known[index];
    const names = [state.pruned ? "pruned" : state.seen ? "seen" : isUntried(index) ? "untried" : "unseen"];
    if (state.cut) names.push("cut");
    if (best.has(index)) names.push("best");
    else if (marked.includes(index)) names.push("path");
    if (index === marked[0]) names.push("here");
    if (index === pane.selected) names.push("selected");
    if (pane.marks.has(index)) names.push(pane.marks.get(index));
    return names.join(" ");
  }

  // A move of a node that a policy has judged, without a visit.
  function isUntried(index) {
    const { above, prior } = nodes[index];
    return prior !== null && above !== null && known[above].seen && !known[index].seen;
  }

  const isHidden = (index) => tree.data.sampling && !known[index].seen && !isUntried(index);

  // What a drawing of a node hangs on; one that is not `inView` only has edges that may be seen.
  const looksOf = (index, inView) => [
    inView, known[index], classOf(index), bound(index), pane.typed.get(index), areBoardsSeen(),
    nodes[index].into.map(({ from }) => `${isAside(nodes[index], from)} ${known[from].pruned}`).join(),
  ];
  const isAside = ({ into }, from) => into.length > 1 && !(best.size ? best.has(from) : marked.includes(from));

  // A node, its edges and what stands at them.
  function draw(index, looks) {
    const old = shapes.get(index);
    const node = nodes[index];
    const [inView, state, name] = looks;
    const group = drawn("g", { class: name, transform: `translate(${node.x} ${node.y})`, "data-node": tree.nameOf(index), "data-index": index });
    if (inView && !isHidden(index)) drawNode(group, node, state);
    const [edge, label] = [drawn("g", { class: name }), drawn("g", { class: name })];
    if (!isHidden(index)) node.into.forEach((each) => drawEdge(edge, label, node, each));
    const parts = [group, edge, label];
    if (old) old.parts.forEach((each, place) => each.replaceWith(parts[place]));
    else [nodeLayer, edgeLayer, labelLayer].forEach((where, place) => where.append(parts[place]));
    shapes.set(index, { parts, looks });
  }

  function erase(index) {
    for (const each of shapes.get(index).parts) each.remove();
    shapes.delete(index);
  }

  // Boards whose squares would be too small are left out.
  const areBoardsSeen = () => tree.boardHeight() > 0 && tree.data.squares.size * camera.scale >= SQUARE;

  function drawNode(group, node, state) {
    const inside = node.shape === "leaf";
    const typed = pane.typed.get(node.index);
    const value = typed ? typed.value : inside ? state.value || node.leaf || "" : state.value;
    const half = inside ? Math.max(13, Math.round(4.1 * value.length) + 5) : Math.max(18, Math.round(4.1 * (node.player.length + 1)));
    const outlines = { player: `M0-18 ${half} 0 0 18-${half} 0Z`, leaf: `M-${half}-13H${half}V13H-${half}Z` };
    const board = tree.boardHeight();
    drawn("path", { class: `shape ${node.shape}`, d: outlines[node.shape] || SHAPES[node.shape] }, group);
    if (node.shape === "player") text(group, node.player, "small", 0, 4);
    const isInside = node.name && node.shape in NAME_AT && node.name.length <= SHORT_NAME;
    if (isInside) text(group, node.name, "inside", 0, NAME_AT[node.shape]);
    if (areBoardsSeen()) drawBoard(drawn("g", { transform: `translate(0 ${inside ? 17 : 20})` }, group), node.board, tree.data.squares);
    const window = !typed ? state.window : typed.alpha || typed.beta ? `[${typed.alpha}, ${typed.beta}]` : "";
    const noted = [node.name && !isInside ? node.name : "", tree.boards && tree.data.boards === "text" ? node.board : "", window];
    if (state.seen || isUntried(node.index)) noted.push(...node.notes);
    if (tree.data.sampling && state.visits) noted.push(`n ${state.visits}`, bound(node.index) && `≤ ${bound(node.index)}`);
    if (node.leftOut && state.seen) noted.push(`… ${node.leftOut} more`);
    const words = noted.filter(Boolean);
    if ((value || words.length) && !inside) {
      const broadest = Math.max(8.2 * value.length, ...words.map((each) => 6.6 * each.length));
      plate(group, 0, 22 + board, broadest, 12 * words.length + 15);
    }
    text(group, value, inside ? "value" : "value halo", 0, inside ? 5 : 33 + board);
    let y = (inside ? 33 : 46) + board;
    for (const each of words) {
      text(group, each, each === window ? "small halo window" : "small halo", 0, y);
      y += 12;
    }
  }

  function drawEdge(edge, label, node, { from, move, share }) {
    const above = nodes[from];
    drawn("path", { class: isAside(node, from) ? "edge aside" : "edge", d: `M${above.x} ${above.y}L${node.x} ${node.y}` }, edge);
    const between = (share) => [above.x + share * (node.x - above.x), above.y + share * (node.y - above.y)];
    const [x, y] = between(share);
    plate(label, x, y - 6, 6.6 * move.length, 12);
    text(label, move, "move halo", x, y + 4);
    if (!known[node.index].pruned || known[from].pruned) return;
    const [left, top] = between(1 - 42 / tree.step);
    drawn("path", { class: "strike", d: `M${left - 9} ${top + 3}l18-6m-18 10l18-6` }, edge);
  }

  // From afar a tree would be as flat as a line: then its plies keep a distance.
  const tall = (scale = camera.scale) => Math.max(scale, Math.min(NEAR, (0.85 * stage.clientHeight) / tree.high));

  // The nodes to be drawn, each with whether it is in view; null for only lines.
  function visible() {
    const found = [];
    if (camera.scale < NEAR) return null;
    const { width } = tree.data;
    const room = tree.data.ply + tree.boardHeight();
    const left = -camera.x / camera.scale - width;
    const right = (stage.clientWidth - camera.x) / camera.scale + width;
    const top = -camera.y / camera.scale - room;
    const bottom = (stage.clientHeight - camera.y) / camera.scale + room;
    for (const ply of tree.plies) {
      if (ply[0].y < top || ply[0].y > bottom) continue;
      for (const { x, index } of ply) if (x >= left && x <= right) found.push(index);
      if (found.length > MOST) return null;
    }
    const shown = new Map();
    for (const index of [...found.flatMap((each) => nodes[each].below), ...marked]) {
      if (nodes[index].isLaid) shown.set(index, false); // an edge may come in from outside
    }
    for (const index of found) shown.set(index, true);
    return shown.size > 4 * MOST ? null : shown;
  }

  function drawFar() {
    const parts = [[], [], [], []];
    for (const ply of tree.plies) {
      for (const { index } of ply) {
        const state = known[index];
        if (!isHidden(index)) parts[state.pruned ? 2 : state.seen ? 1 : 0].push(segments[index]);
      }
    }
    parts[3] = [...(best.size ? best : marked)].map((index) => segments[index]);
    parts.forEach((lines, place) => farLayers[place].setAttribute("d", lines.join("")));
  }
  let segments = [];

  pane.render = () => {
    if (!tree) return;
    layer.setAttribute("transform", `translate(${camera.x} ${camera.y}) scale(${camera.scale} ${tall()})`);
    const shown = visible();
    if (shown === null) drawFar();
    else farLayers.forEach((path) => path.setAttribute("d", ""));
    for (const index of shapes.keys()) if (!shown?.has(index)) erase(index);
    for (const [index, inView] of shown || []) {
      const looks = looksOf(index, inView);
      if (looks.some((each, place) => each !== shapes.get(index)?.looks[place])) draw(index, looks);
    }
  };

  // Which part is seen.

  function fit() {
    const scale = Math.min(stage.clientWidth / (tree.broad + 20), (stage.clientHeight - 8) / tree.high, 1.6);
    Object.assign(camera, { scale, x: (stage.clientWidth - tree.broad * scale) / 2, y: Math.max(4, (stage.clientHeight - tree.high * tall(scale)) / 2) });
  }

  pane.zoom = (factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) => {
    const scale = Math.min(4, Math.max(0.001, camera.scale * factor));
    camera.x = x - ((x - camera.x) * scale) / camera.scale;
    camera.y = y - ((y - camera.y) * tall(scale)) / tall();
    camera.scale = scale;
    pane.render();
  };
  pane.fitted = () => { fit(); pane.render(); };

  // Bring a node to where it can be seen, if it is not.
  function follow(node) {
    const [x, y] = [node.x * camera.scale + camera.x, node.y * tall() + camera.y];
    const [broadness, height] = [stage.clientWidth, stage.clientHeight];
    const isWhole = (from, size, room) => from >= 0 && from + size <= room;
    const aside = x < 0.1 * broadness || x > 0.9 * broadness;
    if (aside && !isWhole(camera.x, tree.broad * camera.scale, broadness)) camera.x += broadness / 2 - x;
    const below = y < 0.05 * height || y > 0.85 * height;
    if (below && !isWhole(camera.y, tree.high * tall(), height)) camera.y += height * 0.45 - y;
  }

  function begin() {
    fit();
    if (camera.scale < READABLE) {
      Object.assign(camera, { scale: 1, x: stage.clientWidth / 2 - nodes[0].x, y: 10 });
    }
  }

  // Steps.

  pane.go = (target) => {
    const wanted = Math.max(0, Math.min(pane.steps.length, target));
    if (pane.at > wanted) {
      pane.at = wanted - (wanted % APART);
      known = [...kept[pane.at / APART]];
    }
    while (pane.at < wanted) forward();
    const step = pane.steps[pane.at - 1];
    marked = step ? tree.pathTo(step.node).map(tree.at) : [];
    best = new Set(step && pane.at === pane.steps.length ? bestLine.map(tree.at) : []);
    follow(nodes[marked[0] ?? 0]);
    pane.render();
    tell(step);
    told(pane);
  };

  function tell(step) {
    part("sentence").textContent = step ? pane.sentence(step) : pane.steps.length ? "Before the search. → is the first step." : "";
    const first = Math.max(0, Math.min(pane.at - 1 - LINES, pane.steps.length - 2 * LINES - 1));
    const items = pane.steps.slice(first, first + 2 * LINES + 1).map((each, place) => {
      const item = made("li", { title: line(each).trim(), className: first + place === pane.at - 1 ? "here" : "" }, line(each));
      item.dataset.step = first + place + 1;
      return item;
    });
    part("lines").replaceChildren(...items);
    const when = step ? [step.act, `${step.act}:${nodes[step.node].shape}`] : [];
    pane.code.forEach(({ item, tags }) => item.classList.toggle("here", tags.some((tag) => when.includes(tag))));
    const here = part("code").querySelector(".here");
    if (here) part("code").scrollTop = here.offsetTop - part("code").offsetTop - part("code").clientHeight / 2;
    pane.showBoard(step ? step.node : 0);
  }

  pane.showBoard = (index) => {
    const { squares, boards } = tree.data;
    const place = part("board");
    place.hidden = !boards;
    if (place.hidden) return;
    if (boards !== "squares") place.textContent = nodes[index].board;
    else {
      const picture = drawn("svg", { viewBox: `0 0 ${10 * squares.columns} ${10 * squares.rows}`, role: "img", "aria-label": `The board at ${tree.nameOf(index)}` });
      drawBoard(drawn("g", { transform: `translate(${5 * squares.columns} 0)` }, picture), nodes[index].board, { ...squares, size: 10 });
      place.replaceChildren(picture);
    }
  };

  // A board whose upper edge has its middle at the origin. The marks come from the program, with their drawings.
  function drawBoard(group, board, { columns, size, marks }) {
    const scale = size / 10;
    group.innerHTML = [...board].map((each, place) => {
      const [row, column] = [Math.floor(place / columns), place % columns];
      const [x, y] = [(column - columns / 2) * size, row * size];
      return `<g transform="translate(${x} ${y}) scale(${scale})">${marks[each.charCodeAt(0) - 48][(row + column) % 2]}</g>`;
    }).join("");
  }

  // Take a search of a tree, at its beginning; it is seen after `begin` and `go`.
  pane.show = (newTree, { steps, best: line }) => {
    tree = pane.tree = newTree;
    nodes = tree.nodes;
    known = nodes.map(() => fresh);
    kept.length = 0;
    [pane.at, pane.steps, bestLine, marked] = [0, steps, line, []];
    best = new Set();
    pane.typed.clear();
    pane.marks.clear();
    if (pane.selected !== null && !nodes[pane.selected]?.isLaid) pane.selected = null;
    segments = nodes.map(({ x, y, into, isLaid }) => (!isLaid ? "" : into.map(({ from }) => `M${Math.round(nodes[from].x)} ${nodes[from].y}L${Math.round(x)} ${y}`).join("")));
    const lines = pseudoCode(/^(uct|puct|montecarlo)/.test(tree.algorithm) ? "uct" : pane.algorithm || tree.algorithm);
    pane.code = lines.filter(({ text }) => text && (!/chance/.test(text) || nodes.some(({ who }) => who === CHANCE))).map(({ when, text: words }) => ({ item: made("li", {}, words), tags: when }));
    part("code").replaceChildren(...pane.code.map(({ item }) => item));
    for (const index of shapes.keys()) erase(index);
  };
  pane.known = (index) => known[tree.at(index)];
  pane.begin = begin;
  pane.select = (index) => {
    pane.selected = index;
    if (index !== null) follow(nodes[index]);
    pane.render();
  };

  // Fingers and the mouse: drag to move, pinch or turn the wheel for the size, tap a node to select it.

  const fingers = new Map();
  let pressed = null;
  const gap = () => {
    const [one, other] = [...fingers.values()];
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, wide: Math.hypot(one.x - other.x, one.y - other.y) };
  };
  const spot = (event) => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  stage.addEventListener("pointerdown", (event) => {
    if (event.button) return; // a menu may open, and no pointerup come
    const node = event.target.closest("[data-index]");
    pressed = fingers.size || !node ? null : { index: Number(node.dataset.index), ...spot(event) };
    stage.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, spot(event));
  });
  stage.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.size === 2 ? gap() : fingers.get(event.pointerId);
    fingers.set(event.pointerId, spot(event));
    const now = fingers.size === 2 ? gap() : spot(event);
    if (pressed && Math.hypot(now.x - pressed.x, now.y - pressed.y) < TAP) return;
    pressed = null;
    camera.x += now.x - before.x;
    camera.y += now.y - before.y;
    if (fingers.size === 2 && before.wide > 0) pane.zoom(now.wide / before.wide, now.x, now.y);
    else pane.render();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    stage.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      if (pressed && end === "pointerup") tapped(pane, pressed.index);
      pressed = null;
    });
  }
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, y } = spot(event);
    pane.zoom(Math.exp(-event.deltaY / 500), x, y);
  }, { passive: false });

  let size = "";
  new ResizeObserver(() => {
    const now = `${stage.clientWidth} ${stage.clientHeight}`;
    if (now === size || !tree || !stage.clientWidth) return;
    size = now;
    if (matchMedia("print").matches) fit();
    else begin();
    follow(nodes[marked[0] ?? 0]);
    pane.render();
  }).observe(stage);
  let screenCamera = null;
  addEventListener("beforeprint", () => { if (tree) { screenCamera = { ...camera }; pane.fitted(); } });
  addEventListener("afterprint", () => { if (screenCamera) Object.assign(camera, screenCamera); pane.render(); });
  return pane;
}
