"use strict";
// A search that can be stepped through. Everything it shows stands in the block of JSON; see lolli/cli/trees/tree_page.py.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const NEAR = 0.28; // the scale below which words could not be read and only lines are drawn
  const MOST = 600; // nodes that are drawn with words
  const LINES = 4; // steps that are listed before and after this one
  const PAUSE = 700; // milliseconds between steps that play by themselves
  const SHAPES = {
    max: "M0-16 19 16H-19Z", min: "M0 16 19-16H-19Z",
    chance: "M-16 0a16 16 0 1 0 32 0a16 16 0 1 0-32 0Z",
  };
  const element = (id) => document.getElementById(id);
  const data = JSON.parse(element("data").textContent);
  const { acts, width, ply: PLY, diamonds, exploration, base, sampling, evaluated } = data; // sizes in pixels
  const steps = data.steps.map(([act, node, value, window, more]) => ({ act: acts[act], node, value, window, more }));
  const nodes = data.nodes.map(([above, x, y, shape, move, player, odds, notes, leftOut, unseen, best, prior], index) => ({
    index, above: above < 0 ? null : above, x: (x + 0.5) * width, y: y * PLY + 30, ply: y,
    shape, move, player, odds, notes, leftOut, unseen, best, prior,
  }));
  const plies = [];
  for (const node of nodes) (plies[node.ply] ||= []).push(node); // from left to right, since nodes stand in their order
  const broad = Math.max(...nodes.map((node) => node.x)) + width / 2;
  const high = plies.length * PLY + 30;

  // The search at one step: what is known of each node. A step changes one node, and those that it prunes.

  const fresh = { seen: false, value: "", window: "", cut: false, pruned: false, visits: 0, mean: 0 };
  const known = nodes.map(() => fresh);
  const undo = [];
  let at = 0; // steps done

  function set(index, change) {
    undo.at(-1).push([index, known[index]]);
    known[index] = { ...known[index], ...change };
    touch(index);
  }

  function touch(index) {
    touched.add(index);
    if (sampling) for (const child of childrenOf[index]) touched.add(child); // upper bounds depend on the visits above
  }

  function forward() {
    const { act, node, value, window, more } = steps[at++];
    undo.push([]);
    const change = { seen: true };
    if (window) change.window = window;
    if (act === "back up") Object.assign(change, { visits: more, mean: value, value: short(value) });
    else if (act !== "simulate" && value !== "") change.value = value;
    if (act === "cut") {
      change.cut = true;
      for (const child of more[1]) prune(child);
    }
    set(node, change);
  }

  function prune(index) {
    set(index, { pruned: true });
    for (const child of childrenOf[index]) prune(child);
  }

  function backward() {
    at--;
    for (const [index, before] of undo.pop().reverse()) {
      known[index] = before;
      touch(index);
    }
  }

  const childrenOf = nodes.map(() => []);
  for (const node of nodes) if (node.above !== null) childrenOf[node.above].push(node.index);

  function pathTo(index) {
    const path = [];
    for (let each = index; each !== null; each = nodes[each].above) path.push(each);
    return path;
  }

  // Words.

  const SOURCES = { payoff: "the game ends here", estimate: "an estimate", table: "known from the table" };
  const several = (number, one, more) => `${number} ${number === 1 ? one : more}`;
  const short = (number) => String(Math.round(number * 1000) / 1000).replace("-", "−");
  const nameOf = (index) => pathTo(index).reverse().slice(1).map((each) => nodes[each].move).join(">") || "root";

  function bound(index) {
    const above = nodes[index].above;
    if (exploration === null || above === null || nodes[above].shape === "chance") return "";
    const { visits, mean } = known[index];
    if (!visits) return "";
    const all = known[above].visits;
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
    return `${"  ".repeat(nodes[node].ply)}${act} ${nameOf(node)}${words ? `: ${words}` : ""}`;
  }

  function sentence({ act, node, value, window, more }) {
    const { player, shape, notes } = nodes[node];
    const name = nameOf(node);
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
  }

  // The picture. Only what can be seen is drawn.

  const stage = element("stage");
  const picture = element("picture");
  const layer = make("g", {}, picture);
  const farLayers = ["unseen", "seen", "pruned", "path"].map((name) => make("path", { class: `far ${name}` }, layer));
  const edgeLayer = make("g", {}, layer);
  const nodeLayer = make("g", {}, layer);
  const labelLayer = make("g", {}, layer); // above all edges
  const drawn = new Map(); // index -> {edge, node}
  const touched = new Set();
  const camera = { x: 0, y: 0, scale: 1 };
  let marked = []; // the path to the node of this step, or the line of best play at the end
  const best = new Set();

  function make(name, attributes, parent) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (parent) parent.append(node);
    return node;
  }

  function text(parent, words, name, x, y) {
    make("text", { class: name, x, y }, parent).textContent = words;
  }

  // What hides the edges behind words whose middle is at x.
  function plate(parent, x, top, wide, height) {
    make("rect", { class: "plate", x: x - wide / 2, y: top, width: wide, height }, parent);
  }

  function classOf(index) {
    const state = known[index];
    const names = [state.pruned ? "pruned" : state.seen ? "seen" : isUntried(index) ? "untried" : "unseen"];
    if (state.cut) names.push("cut");
    if (best.has(index)) names.push("best");
    else if (marked.includes(index)) names.push("path");
    if (index === marked[0]) names.push("here");
    return names.join(" ");
  }

  // A move of a node that a policy has judged, without a visit.
  function isUntried(index) {
    const { above, prior } = nodes[index];
    return prior !== null && above !== null && known[above].seen && !known[index].seen;
  }

  const isHidden = (index) => sampling && !known[index].seen && !isUntried(index);

  function draw(index) {
    const old = drawn.get(index);
    const node = nodes[index];
    const state = known[index];
    const group = make("g", { class: classOf(index), transform: `translate(${node.x} ${node.y})`, "data-node": nameOf(index) });
    if (!isHidden(index)) drawNode(group, node, state);
    const edge = make("g", { class: classOf(index) });
    const label = make("g", { class: classOf(index) });
    if (node.above !== null && !isHidden(index)) drawEdge(edge, label, node, nodes[node.above], state);
    if (old) {
      old.group.replaceWith(group);
      old.edge.replaceWith(edge);
      old.label.replaceWith(label);
    } else {
      nodeLayer.append(group);
      edgeLayer.append(edge);
      labelLayer.append(label);
    }
    drawn.set(index, { group, edge, label });
  }

  function drawNode(group, node, state) {
    const value = state.pruned ? node.unseen || "" : state.value;
    const inside = node.shape === "leaf";
    const half = inside ? Math.max(13, Math.round(4.1 * value.length) + 5) : diamonds[node.player];
    const outlines = { player: `M0-18 ${half} 0 0 18-${half} 0Z`, leaf: `M-${half}-13H${half}V13H-${half}Z` };
    make("path", { class: `shape ${node.shape}`, d: outlines[node.shape] || SHAPES[node.shape] }, group);
    if (node.shape === "player") text(group, node.player, "small", 0, 4);
    const noted = [state.window, ...(state.seen || isUntried(node.index) ? node.notes : [])];
    if (sampling && state.visits) noted.push(`n ${state.visits}`, bound(node.index) && `≤ ${bound(node.index)}`);
    if (node.leftOut && state.seen) noted.push(`… ${node.leftOut} more`);
    const words = noted.filter(Boolean);
    if ((value || words.length) && childrenOf[node.index].length) {
      const broadest = Math.max(8.2 * value.length, ...words.map((each) => 6.6 * each.length));
      plate(group, 0, 22, broadest, 12 * words.length + 15);
    }
    text(group, value, inside ? "value" : "value halo", 0, inside ? 5 : 33);
    let y = inside ? 33 : 46;
    for (const each of words) {
      text(group, each, each === state.window ? "small halo window" : "small halo", 0, y);
      y += 12;
    }
  }

  function drawEdge(edge, label, node, above, state) {
    make("path", { class: "edge", d: `M${above.x} ${above.y}L${node.x} ${node.y}` }, edge);
    const between = (share) => [above.x + share * (node.x - above.x), above.y + share * (node.y - above.y)];
    const [x, y] = between(0.76);
    const words = node.odds ? `${node.move} (${node.odds})` : node.move;
    plate(label, x, y - 6, 6.6 * words.length, 12);
    text(label, words, "move halo", x, y + 4);
    if (!state.pruned || known[above.index].pruned) return;
    const [left, top] = between(0.64);
    make("path", { class: "strike", d: `M${left - 9} ${top + 3}l18-6m-18 10l18-6` }, edge);
  }

  // The first node of a ply whose right end is not left of x.
  function firstFrom(ply, x) {
    let [low, high] = [0, ply.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ply[middle].x < x) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // From afar a tree would be as flat as a line: then its plies keep a distance.
  const tall = (scale = camera.scale) => Math.max(scale, Math.min(NEAR, (0.85 * stage.clientHeight) / high));

  function visible() {
    const found = [];
    if (camera.scale < NEAR) return null;
    const left = -camera.x / camera.scale - width;
    const right = (stage.clientWidth - camera.x) / camera.scale + width;
    const top = -camera.y / camera.scale - PLY;
    const bottom = (stage.clientHeight - camera.y) / camera.scale + PLY;
    for (const ply of plies) {
      if (ply[0].y < top || ply[0].y > bottom) continue;
      for (let place = firstFrom(ply, left); place < ply.length && ply[place].x <= right; place++) found.push(ply[place].index);
      if (found.length > MOST) return null;
    }
    const shown = new Set(found);
    for (const index of found) {
      for (const child of childrenOf[index]) shown.add(child); // an edge may come in from outside
    }
    for (const index of marked) shown.add(index);
    return shown.size > 2 * MOST ? null : shown;
  }

  const segments = nodes.map(({ x, y, above }) => (above === null ? "" : `M${Math.round(nodes[above].x)} ${nodes[above].y}L${Math.round(x)} ${y}`));

  function drawFar() {
    const parts = [[], [], [], []];
    for (let index = 1; index < nodes.length; index++) {
      const state = known[index];
      if (isHidden(index)) continue;
      parts[state.pruned ? 2 : state.seen ? 1 : 0].push(segments[index]);
    }
    parts[3] = [...(best.size ? best : marked)].map((index) => segments[index]);
    parts.forEach((part, place) => farLayers[place].setAttribute("d", part.join("")));
  }

  function render(all) {
    layer.setAttribute("transform", `translate(${camera.x} ${camera.y}) scale(${camera.scale} ${tall()})`);
    const shown = visible();
    if (shown === null) drawFar();
    else farLayers.forEach((path) => path.setAttribute("d", ""));
    for (const [index, { group, edge, label }] of drawn) {
      if (shown !== null && shown.has(index)) continue;
      group.remove();
      edge.remove();
      label.remove();
      drawn.delete(index);
    }
    for (const index of shown || []) {
      if (all || touched.has(index) || !drawn.has(index)) draw(index);
    }
    touched.clear();
  }

  // Which part is seen.

  function fit() {
    const scale = Math.min(stage.clientWidth / (broad + 20), stage.clientHeight / high, 1.6);
    Object.assign(camera, { scale, x: (stage.clientWidth - broad * scale) / 2, y: Math.max(4, (stage.clientHeight - high * tall(scale)) / 2) });
  }

  function zoom(factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
    const scale = Math.min(4, Math.max(0.001, camera.scale * factor));
    camera.x = x - ((x - camera.x) * scale) / camera.scale;
    camera.y = y - ((y - camera.y) * tall(scale)) / tall();
    camera.scale = scale;
    render(false);
  }

  // Bring the node of this step to where it can be seen, if it is not.
  function follow() {
    const node = nodes[marked[0] ?? 0];
    const [x, y] = [node.x * camera.scale + camera.x, node.y * tall() + camera.y];
    const [broadness, height] = [stage.clientWidth, stage.clientHeight];
    const isWhole = (from, size, room) => from >= 0 && from + size <= room;
    const aside = x < 0.1 * broadness || x > 0.9 * broadness;
    if (aside && !isWhole(camera.x, broad * camera.scale, broadness)) camera.x += broadness / 2 - x;
    const below = y < 0.05 * height || y > 0.85 * height;
    if (below && !isWhole(camera.y, high * tall(), height)) camera.y += height * 0.45 - y;
  }

  function begin() {
    fit();
    if (camera.scale < 0.5) {
      Object.assign(camera, { scale: 1, x: stage.clientWidth / 2 - nodes[0].x, y: 10 });
    }
  }

  // Steps.

  function go(target) {
    const wanted = Math.max(0, Math.min(steps.length, target));
    while (at < wanted) forward();
    while (at > wanted) backward();
    for (const index of [...marked, ...best]) touched.add(index);
    best.clear();
    marked = at === 0 ? [] : pathTo(steps[at - 1].node);
    if (at === steps.length) markBest();
    for (const index of [...marked, ...best]) touched.add(index);
    follow();
    render(false);
    tell();
  }

  function markBest() {
    for (const node of nodes) if (node.best) best.add(node.index);
  }

  let noting = null;
  function tell() {
    element("count").textContent = `${at} of ${steps.length}`;
    element("slider").value = at;
    element("sentence").textContent = at === 0 ? "Before the search. → is the first step." : sentence(steps[at - 1]);
    const first = Math.max(0, Math.min(at - 1 - LINES, steps.length - 2 * LINES - 1));
    const items = steps.slice(first, first + 2 * LINES + 1).map((step, place) => {
      const item = document.createElement("li");
      item.textContent = line(step);
      item.title = item.textContent.trim();
      item.dataset.step = first + place + 1;
      if (first + place === at - 1) item.className = "here";
      return item;
    });
    element("lines").replaceChildren(...items);
    clearTimeout(noting);
    noting = setTimeout(() => history.replaceState(null, "", `#${at}`), 300); // browsers do not like it often
  }

  let timer = null;
  function play(wanted) {
    clearInterval(timer);
    timer = wanted ? setInterval(() => (at < steps.length ? go(at + 1) : play(false)), PAUSE) : null;
    element("play").setAttribute("aria-pressed", String(wanted));
    element("play").textContent = wanted ? "stop" : "play";
  }

  function nextCut() {
    const next = steps.findIndex((step, place) => place >= at && step.act === "cut");
    go(next < 0 ? steps.length : next + 1);
  }

  const fitted = () => { fit(); render(false); };
  const actions = {
    first: () => go(0), back: () => go(at - 1), forward: () => go(at + 1), last: () => go(steps.length),
    play: () => play(timer === null), cut: nextCut, smaller: () => zoom(1 / 1.3), larger: () => zoom(1.3), fit: fitted,
  };
  for (const [name, action] of Object.entries(actions)) {
    element(name).addEventListener("click", () => { if (name !== "play") play(false); action(); });
  }
  const KEYS = {
    ArrowRight: actions.forward, ArrowLeft: actions.back, ArrowDown: () => go(at + 10), ArrowUp: () => go(at - 10),
    Home: actions.first, End: actions.last, c: actions.cut, " ": actions.play, "+": actions.larger, "-": actions.smaller, 0: actions.fit,
  };
  document.addEventListener("keydown", (event) => {
    const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const onButton = event.key === " " && event.target.matches("button, summary");
    if (!action || onButton || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (event.key !== " ") play(false);
    action();
  });
  element("slider").max = steps.length;
  element("cut").hidden = !steps.some((step) => step.act === "cut");
  element("slider").addEventListener("input", (event) => { play(false); go(Number(event.target.value)); });
  element("lines").addEventListener("click", (event) => {
    const step = event.target.dataset.step;
    if (step) go(Number(step));
  });

  // Fingers and the mouse: drag to move, pinch or turn the wheel for the size.

  const fingers = new Map();
  const gap = () => {
    const [one, other] = [...fingers.values()];
    return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, wide: Math.hypot(one.x - other.x, one.y - other.y) };
  };
  const spot = (event) => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  stage.addEventListener("pointerdown", (event) => {
    stage.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, spot(event));
  });
  stage.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.size === 2 ? gap() : fingers.get(event.pointerId);
    fingers.set(event.pointerId, spot(event));
    const now = fingers.size === 2 ? gap() : spot(event);
    camera.x += now.x - before.x;
    camera.y += now.y - before.y;
    if (fingers.size === 2 && before.wide > 0) zoom(now.wide / before.wide, now.x, now.y);
    else render(false);
  });
  for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, (event) => fingers.delete(event.pointerId));
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, y } = spot(event);
    zoom(Math.exp(-event.deltaY / 500), x, y);
  }, { passive: false });

  let size = "";
  new ResizeObserver(() => {
    const now = `${stage.clientWidth} ${stage.clientHeight}`;
    if (now === size) return;
    size = now;
    if (matchMedia("print").matches) fit();
    else begin();
    follow();
    render(false);
  }).observe(stage);
  let screenCamera = null;
  addEventListener("beforeprint", () => { screenCamera = { ...camera }; fitted(); });
  addEventListener("afterprint", () => { if (screenCamera) Object.assign(camera, screenCamera); render(false); });
  addEventListener("hashchange", () => go(Number(location.hash.slice(1)) || 0));

  begin();
  go(Number(location.hash.slice(1)) || 0);
})();
