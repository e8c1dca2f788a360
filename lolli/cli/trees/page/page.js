"use strict";
// The controls of a page: steps, two searches side by side, searching again, and what the student decides.
function makePage() {
  const PAUSE = 700; // milliseconds between steps that play by themselves
  const NEAR_ENOUGH = 0.006; // two decimals are enough
  const PRUNING = ["alphabeta", "star1", "paranoid"];
  const template = document.querySelector(".pane");
  template.after(template.cloneNode(true));
  const [main, other] = [...document.querySelectorAll(".pane")].map((section) => makePane(section, { told, tapped }));
  let tree = null;
  let data = null;
  let ticks = []; // how many steps of each search are done at each tick
  let position = 0;
  let isEdited = false;
  let isByHand = false; // the order of the moves
  const mode = () => element("mode").value;
  const isBeside = () => !other.section.hidden;
  const panes = () => (isBeside() ? [main, other] : [main]);
  const prunes = () => main.steps.some(({ act }) => act === "inherit");

  // Steps. Two searches of a tree walk through it together: each waits where the other visits what it prunes.

  function keysOf({ steps }) {
    const met = new Map();
    let now = 0;
    return steps.map(({ act, node }) => {
      if (act === "enter") now = tree.nodes[node].time;
      else if (act === "return" || act === "estimate") now = tree.nodes[node].until;
      met.set(now, (met.get(now) || 0) + 1);
      return now + met.get(now) / 1000;
    });
  }

  function compare() {
    const keys = [main, other].map(keysOf);
    const done = [0, 0];
    return [...new Set(keys.flat())].sort((one, two) => one - two).map((key) => {
      keys.forEach((each, place) => { if (each[done[place]] === key) done[place]++; });
      return [...done];
    });
  }

  const before = (tick) => ticks[tick - 1] || [0, 0]; // the steps that are done then

  function go(target) {
    position = Math.max(0, Math.min(ticks.length, target));
    const done = before(position);
    panes().forEach((pane, place) => pane.go(done[place]));
  }

  let noting = null;
  function told(pane) {
    if (pane !== main) return;
    if (!isBeside()) position = main.at;
    element("slider").max = ticks.length;
    element("slider").value = position;
    element("count").textContent = `${position} of ${ticks.length}`;
    clearTimeout(noting);
    if (mode() === "watch" && data.hasAddress) noting = setTimeout(() => history.replaceState(null, "", `#${position}`), 300); // browsers do not like it often
  }

  let timer = null;
  function play(wanted) {
    clearInterval(timer);
    timer = wanted ? setInterval(() => (position < ticks.length ? go(position + 1) : play(false)), PAUSE) : null;
    element("play").setAttribute("aria-pressed", String(wanted));
    element("play").textContent = wanted ? "stop" : "play";
  }

  function nextCut() {
    const isCut = (tick) => panes().some(({ steps }, place) => steps.slice(before(tick - 1)[place], before(tick)[place]).some(({ act }) => act === "cut"));
    let next = position + 1;
    while (next < ticks.length && !isCut(next)) next++;
    go(next);
  }

  // Searching again: with another algorithm, depth or order, or after a leaf was changed.

  function renew(target = 0) {
    const algorithm = element("algorithm").value;
    const isRecorded = algorithm === data.searcher && !isEdited && !element("order").value && tree.limit === data.depth;
    tree.sign(algorithm);
    const again = !isRecorded && tree.isKnown();
    if (data.whole && tree.isKnown() && !isByHand) tree.order(element("order").value);
    tree.layout();
    main.algorithm = algorithm;
    const found = again ? tree.again(algorithm) : tree.recorded();
    main.show(tree, found);
    decision = found.best[1];
    const nodes = main.steps.filter(({ act }) => act === "enter").length;
    element("title").textContent = again
      ? `${nameOf(algorithm)}, ${data.game}: ${nodes} nodes, value ${main.steps.at(-1).value}, move ${decision === undefined ? "none" : tree.nodes[decision].move}`
      : data.title;
    const beside = element("beside").value;
    other.section.hidden = !beside || mode() !== "watch" || algorithm === "maxn" || !tree.isKnown();
    element("panes").classList.toggle("two", isBeside());
    for (const [pane, name] of [[main, algorithm], [other, beside]]) {
      pane.part("name").hidden = !isBeside();
      pane.part("name").textContent = nameOf(name);
    }
    if (isBeside()) {
      other.algorithm = beside;
      other.show(tree, tree.again(beside));
    }
    ticks = isBeside() ? compare() : main.steps.map((_, at) => [at + 1]);
    element("cut").hidden = !panes().some(({ steps }) => steps.some(({ act }) => act === "cut"));
    for (const pane of panes()) pane.begin();
    go(target);
    startMode();
    const isOpen = !data.whole || tree.isKnown();
    for (const each of document.querySelectorAll(".whole > :is(select, input)")) each.disabled = !isOpen;
  }

  const nameOf = (algorithm) => Object.fromEntries(data.algorithms)[algorithm] || data.label;

  // What is asked of the student stands in a form beside the tree.

  const form = main.part("entry");
  let asked = null; // { fields: {name: expected}, buttons }
  function ask(text, fields, buttons, submitted) {
    asked = { fields, submitted };
    form.hidden = false;
    form.querySelector(".prompt").textContent = text;
    const inputs = Object.entries(fields).map(([name, value]) => {
      const input = made("input", { name, value, autocomplete: "off", size: 6 });
      return made("label", {}, name, " ", input);
    });
    const pushed = Object.entries(buttons).map(([name, action]) => {
      const button = made("button", { type: action === submitted ? "submit" : "button" }, name);
      if (action !== submitted) button.addEventListener("click", action);
      return button;
    });
    form.querySelector(".fields").replaceChildren(...inputs);
    form.querySelector(".pushed").replaceChildren(...pushed);
    if (inputs.length && !matchMedia("(pointer: coarse)").matches) form.querySelector("input").focus();
  }
  function unask() {
    asked = null;
    form.hidden = true;
    form.querySelector(".pushed").replaceChildren();
  }
  const typed = () => Object.fromEntries([...form.querySelectorAll("input")].map(({ name, value }) => [name, value.trim()]));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    asked?.submitted(typed());
  });
  const isBlank = (told) => Object.values(told).includes("") && (verdict("Type all values first.", "wrong"), true);

  function verdict(text, kind = "") {
    const place = main.part("verdict");
    place.textContent = text;
    place.className = `verdict ${kind}`;
  }

  const isSame = (told, expected) => {
    if (String(told).trim() === String(expected).trim()) return true; // such as "?" of a leaf that is not known
    const [ours, theirs] = [told, expected].map((text) => String(text).trim().replace(/^(<=|>=|≤|≥)\s*/, "").split(/[\s,;]+(?=\S)/).map(typedNumber));
    return ours.length === theirs.length && ours.every((each, place) => each !== null && theirs[place] !== null && (each === theirs[place] || Math.abs(each - theirs[place]) < NEAR_ENOUGH));
  };
  const windowOf = (text) => (text ? text.slice(1, -1).split(", ") : ["", ""]);
  const called = (index) => tree.nodes[index].name || tree.nameOf(index);

  // Predict each step.

  const score = { asked: 0, right: 0, isFirst: true, so: -1 };
  function judge(isRight, why, step = 1) {
    if (score.isFirst) score.asked++;
    if (isRight && score.isFirst) score.right++;
    score.isFirst = isRight;
    verdict(`${isRight ? "Right." : `No${why ? `: ${why}` : ", try again"}.`} ${score.right} of ${score.asked} right at once`, isRight ? "right" : "wrong");
    if (isRight) proceed(step);
  }

  function proceed(step) {
    if (!step) score.so = main.at;
    else main.go(main.at + step);
    predict();
  }

  function reveal(step = 1) {
    if (score.isFirst) score.asked++;
    score.isFirst = true;
    verdict(step ? main.sentence(main.steps[main.at]) : "Nothing has changed there.");
    proceed(step);
  }

  function predict() {
    while (main.at === 0 || ["estimate", "expand", "simulate"].includes(main.steps[main.at]?.act)) main.go(main.at + 1);
    const [last, next] = [main.steps[main.at - 1], main.steps[main.at]];
    if (!next) {
      unask();
      verdict(`That was the whole search: ${score.right} of ${score.asked} right at once.`);
      return;
    }
    const { act, node, value, window, more } = next;
    const fields = (text, expected, step = 1) => {
      const names = Object.keys(expected);
      const submitted = (told) => {
        if (isBlank(told)) return;
        const wrong = names.filter((name) => !isSame(told[name], expected[name]));
        judge(!wrong.length, wrong.length === names.length ? "" : `${wrong.join(" and ")} ${wrong.length > 1 ? "are" : "is"} wrong`, step);
      };
      ask(text, Object.fromEntries(names.map((name) => [name, ""])), { "That is it": submitted, "Show me": () => reveal(step) }, submitted);
    };
    if (act === "inherit") {
      const [alpha, beta] = windowOf(window);
      return fields(`With which alpha and beta does ${called(node)} start?`, { alpha, beta });
    }
    if (act === "back up") return fields(`Visits and mean of ${called(node)} now?`, { n: more, mean: value });
    const above = ["estimate", "return"].includes(last.act) ? tree.nodes[last.node].above : null;
    if (above !== null && tree.nodes[above].shape !== "chance" && score.so !== main.at && !data.sampling) {
      const isUpdate = act === "update";
      const state = main.known(above);
      const [alpha, beta] = windowOf(isUpdate ? window : state.window);
      return fields(`What is the best at ${called(above)} so far${alpha ? ", and alpha and beta" : ""}?`, { best: isUpdate ? value : state.value, ...(alpha ? { alpha, beta } : {}) }, isUpdate ? 1 : 0);
    }
    const submitted = ({ value: told }) => {
      if (isBlank({ told })) return;
      if (act !== "return") return judge(false, act === "cut" ? "it does not look at all moves, and says so" : "there is another move to look at");
      return judge(isSame(told, value), "the value is another one");
    };
    const cuts = () => judge(act === "cut", "alpha is below beta, so another move may matter");
    const buttons = data.sampling ? {} : { "It returns": submitted, ...(prunes() ? { "It prunes the rest": cuts } : {}) };
    const here = data.sampling || act !== "enter" ? node : tree.nodes[node].above;
    ask(`What comes next${data.sampling ? "" : ` at ${called(here)}`}? Click the node that is visited${data.sampling ? "" : ", or choose"}.`, data.sampling ? {} : { value: "" }, { ...buttons, "Show me": () => reveal() }, submitted);
  }

  function visits(index) {
    const { act, node } = main.steps[main.at] || {};
    if (!asked || !act || Object.keys(asked.fields).some((name) => name !== "value")) return;
    const why = act === "cut" ? "alpha is not below beta, so the other moves cannot matter" : act === "return" ? "all moves have been looked at" : "not that node";
    judge(["enter", "select"].includes(act) && tree.at(node) === index, why);
  }

  // Fill in the whole tree.

  let solution = [];
  let decision; // the node after the move, if there is one
  const filled = main.typed; // index -> {value, alpha, beta, move}
  const isStruck = (leaf) => Boolean(main.marks.get(leaf)?.startsWith("struck"));
  const isPruned = (index) => leavesBelow(index).every(isStruck);
  function fill() {
    main.go(Infinity);
    solution = tree.nodes.map(({ index }) => main.known(index));
    main.go(0);
    choose(0);
    verdict(prunes() ? "Click the leaves that are pruned." : "");
  }

  const inner = () => tree.plies.flat().filter(({ shape }) => shape !== "leaf").map(({ index }) => index);
  const leavesBelow = (index) => {
    const { below } = tree.nodes[index];
    return below.length ? below.flatMap(leavesBelow) : [index];
  };

  function choose(index) {
    main.select(index);
    const { shape } = tree.nodes[index];
    const isLeaf = shape === "leaf";
    const written = filled.get(index) || {};
    const names = isLeaf ? [] : ["value", ...(prunes() ? ["alpha", "beta"] : []), ...(index ? [] : ["move"])];
    const keep = (told) => {
      if (!isLeaf) {
        filled.set(index, told);
        main.render();
      }
      const all = inner().reverse(); // the lowest first, as values come from below
      const rest = all.filter((each) => !filled.has(each) && !isPruned(each));
      if (rest.length) choose(rest[0]);
      else verdict("All is filled in: check it.");
    };
    const buttons = isLeaf ? {} : { Keep: keep };
    if (prunes() && index) buttons[isPruned(index) ? "Not pruned" : "Pruned"] = () => { prune(index); choose(index); };
    const text = isLeaf ? `Leaf ${called(index)}.` : `${called(index)}: its value${prunes() ? ", alpha and beta at last" : ""}${index ? "" : ", and the move"}.`;
    ask(text, Object.fromEntries(names.map((name) => [name, written[name] || ""])), { ...buttons, "Check all": check, Solution: solve }, keep);
  }

  function prune(index) {
    const isOff = isPruned(index);
    for (const leaf of leavesBelow(index)) {
      if (isOff) main.marks.delete(leaf);
      else main.marks.set(leaf, "struck");
    }
    main.render();
  }

  function check() {
    const told = typed();
    if (main.selected !== null && tree.nodes[main.selected].shape !== "leaf" && told.value) filled.set(main.selected, told);
    const count = { value: [0, 0], window: [0, 0], pruned: [0, 0], move: [0, 0], wrong: 0 };
    const struck = new Set(leavesBelow(0).filter(isStruck)); // before marks are set, as an inner node may have nothing drawn below
    const tally = (place, isRight) => { count[place][0] += isRight; count[place][1]++; return isRight; };
    for (const index of inner().filter((each) => solution[each].seen)) {
      const { value = "", alpha = "", beta = "" } = filled.get(index) || {};
      let isRight = tally("value", isSame(value, solution[index].value));
      if (solution[index].window) isRight = tally("window", [alpha, beta].every((each, place) => isSame(each, windowOf(solution[index].window)[place]))) && isRight;
      main.marks.set(index, isRight ? "good" : "bad");
    }
    for (const leaf of leavesBelow(0)) {
      const [isOff, should] = [struck.has(leaf), solution[leaf].pruned];
      if (should) tally("pruned", isOff);
      else if (isOff) count.wrong++;
      if (isOff || should) main.marks.set(leaf, `${isOff ? "struck " : ""}${isOff === should ? "good" : "bad"}`);
    }
    const of = (place, what) => (count[place][1] ? `${what} ${count[place][0]} of ${count[place][1]}` : "");
    const pruned = of("pruned", "pruned leaves") + (count.wrong ? `${count.pruned[1] ? "," : "pruned leaves"} ${count.wrong} wrong` : "");
    const named = (filled.get(0)?.move || "").toLowerCase();
    const asGood = (child) => child === decision || solution[child].value === solution[0].value;
    const chosen = decision === undefined || tally("move", tree.nodes[0].children.some((child) => asGood(child) && tree.nodes[child].move.toLowerCase() === named));
    const isRight = !count.wrong && ["value", "window", "pruned", "move"].every((place) => count[place][0] === count[place][1]);
    verdict(`${isRight ? "All right: " : "Right: "}${[of("value", "values"), of("window", "windows"), pruned, decision === undefined ? "" : `the move is ${chosen ? "right" : "wrong"}`].filter(Boolean).join(", ")}.`, isRight ? "right" : "wrong");
    main.render();
  }

  function solve() {
    element("mode").value = "watch";
    renew(Infinity);
  }

  // Change the tree: a leaf's value, or the place of a move.

  function edit(index) {
    const { above, shape, values, who } = tree.nodes[index];
    const single = data.zeroSum && data.names.length === 2;
    const isLeaf = data.editable && who === OVER && shape === "leaf";
    const set = ({ value }) => {
      const numbers = (value || "").split(/[\s/]+(?=\S)/).map(typedNumber);
      if (numbers.some((each) => each === null || !Number.isFinite(each)) || numbers.length !== (single ? 1 : data.names.length)) {
        return verdict(single ? "A number, such as 3 or −2.5" : `${data.names.length} numbers, such as ${data.names.map((_, place) => place + 3).join(" ")}`, "wrong");
      }
      tree.nodes[index].values = single ? [numbers[0], -numbers[0]] : numbers;
      tree.nodes[index].name = "";
      isEdited = true;
      if (tree.isKnown()) tree.average();
      return changed();
    };
    const move = (by) => () => {
      const { children } = tree.nodes[above];
      const at = children.indexOf(index);
      if (children[at + by] === undefined) return;
      [children[at], children[at + by]] = [children[at + by], children[at]];
      isEdited = isByHand = true;
      changed();
    };
    const buttons = { ...(isLeaf ? { "Search again": set } : {}), ...(above === null ? {} : { "◀ earlier": move(-1), "later ▶": move(1) }) };
    if (!data.whole || !Object.keys(buttons).length) unask();
    else ask(`${called(index)}:`, isLeaf ? { value: values === null ? "" : single ? numberText(values[0]) : worthText(values) } : {}, buttons, set);
    main.showBoard(index);
  }

  function changed() {
    const { selected } = main;
    renew(Infinity);
    main.select(selected);
    verdict(tree.isKnown() ? "Searched again." : `A value is still missing: ${tree.nodes.filter(({ who, values }) => who === OVER && !values).map(({ index }) => called(index)).join(", ")}.`);
  }

  function tapped(pane, index) {
    if (pane !== main) return;
    if (mode() === "fill" && tree.nodes[index].shape === "leaf" && prunes()) prune(index);
    if (mode() === "predict") visits(index);
    else turnTo(index);
    page.tapped?.(index);
  }

  function turnTo(index) {
    if (mode() === "fill") return choose(index);
    main.select(index);
    if (mode() === "watch") edit(index);
  }

  function startMode() {
    document.body.dataset.mode = mode();
    unask();
    verdict("");
    main.select(null);
    if (mode() === "predict") {
      Object.assign(score, { asked: 0, right: 0, isFirst: true, so: -1 });
      predict();
    } else if (mode() === "fill") fill();
  }

  // Controls.

  const actions = {
    first: () => go(0), back: () => go(position - 1), forward: () => go(position + 1), last: () => go(Infinity),
    play: () => play(timer === null), cut: nextCut,
    smaller: () => panes().forEach((pane) => pane.zoom(1 / 1.3)), larger: () => panes().forEach((pane) => pane.zoom(1.3)),
    fit: () => panes().forEach((pane) => pane.fitted()),
  };
  for (const [name, action] of Object.entries(actions)) {
    element(name).addEventListener("click", () => { if (name !== "play") play(false); action(); });
  }
  const WATCHING = {
    ArrowRight: actions.forward, ArrowLeft: actions.back, ArrowDown: () => go(position + 10), ArrowUp: () => go(position - 10),
    Home: actions.first, End: actions.last, c: actions.cut, " ": actions.play,
  };
  const ANYWHERE = { "+": actions.larger, "-": actions.smaller, 0: actions.fit };
  const AROUND = {
    ArrowUp: ({ above }) => (above === null ? null : tree.at(above)), ArrowDown: ({ below }) => below[0],
    ArrowLeft: (node) => tree.plies[node.ply][tree.plies[node.ply].indexOf(node) - 1]?.index,
    ArrowRight: (node) => tree.plies[node.ply][tree.plies[node.ply].indexOf(node) + 1]?.index,
  };
  document.addEventListener("keydown", (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isField = event.target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
    if (event.altKey || event.ctrlKey || event.metaKey || !tree || (isField && !event.shiftKey)) return;
    if (event.shiftKey && key in AROUND && !event.target.matches("select")) {
      const next = main.selected === null ? 0 : AROUND[key](tree.nodes[main.selected]);
      event.preventDefault();
      if (next === undefined || next === null) return;
      main.part("stage").focus(); // so that Enter is for the node
      turnTo(next);
      return;
    }
    if (isField) return;
    const onButton = (key === " " || key === "Enter") && event.target.matches("button, summary, input");
    if (key === "Enter" && !onButton && main.selected !== null) return tapped(main, main.selected);
    const action = (document.body.dataset.mode === "watch" && WATCHING[key]) || ANYWHERE[key];
    if (!action || onButton) return;
    event.preventDefault();
    if (key !== " ") play(false);
    action();
  });
  element("slider").addEventListener("input", (event) => { play(false); go(Number(event.target.value)); });
  for (const pane of [main, other]) {
    pane.part("lines").addEventListener("click", (event) => {
      const step = Number(event.target.dataset.step);
      if (!step || mode() !== "watch") return;
      go(ticks.findIndex((done) => done[panes().indexOf(pane)] >= step) + 1);
    });
  }
  for (const name of ["mode", "algorithm", "beside"]) element(name).addEventListener("change", () => renew());
  element("order").addEventListener("change", () => { isByHand = false; renew(); });
  element("depth").addEventListener("change", ({ target }) => {
    tree.limit = Math.max(1, Math.min(data.depth, Math.round(Number(target.value)) || data.depth));
    target.value = tree.limit;
    renew();
  });
  for (const name of ["boards", "merge"]) {
    element(name).addEventListener("change", ({ target }) => {
      tree[name === "merge" ? "merged" : "boards"] = target.checked;
      const [typed, marks, selected] = [new Map(main.typed), new Map(main.marks), main.selected];
      renew(position);
      if (mode() !== "fill") return;
      for (const [index, written] of typed) main.typed.set(index, written); // only the look has changed
      for (const [index, made] of marks) main.marks.set(index, made);
      choose(tree.nodes[selected]?.isLaid ? selected : 0);
    });
  }
  addEventListener("hashchange", () => tree && data.hasAddress && go(Number(location.hash.slice(1)) || 0));

  // Show the data of a tree; `isLocked` leaves only the picture.
  function open(newData, { isLocked = false, at = 0 } = {}) {
    play(false);
    data = newData;
    tree = makeTree(data);
    isEdited = isByHand = false;
    main.selected = null;
    document.body.classList.toggle("locked", isLocked);
    const options = (list) => list.map(([value, text]) => new Option(text, value));
    const searchers = data.algorithms.some(([name]) => name === data.searcher) ? data.algorithms : [[data.searcher, data.label], ...data.algorithms];
    element("algorithm").replaceChildren(...options(searchers));
    element("algorithm").value = data.searcher;
    element("beside").replaceChildren(...options([["", "nothing"], ...data.algorithms.filter(([name]) => name !== "maxn")]));
    Object.assign(element("depth"), { value: data.depth, max: data.depth });
    element("mode").value = "watch";
    element("order").value = "";
    for (const each of document.querySelectorAll(".whole")) each.hidden = !data.whole;
    element("depth").parentElement.hidden = !data.whole || data.depth < 2;
    element("mode").querySelector("[value=fill]").hidden = data.sampling || data.nodes.length > 200;
    element("merge").checked = tree.merged;
    element("merge").parentElement.hidden = tree.nodes.every(({ same, index }) => same === index);
    element("boards").checked = tree.boards;
    element("boards").parentElement.hidden = !["squares", "text"].includes(data.boards);
    element("position").textContent = data.position;
    renew(at);
  }
  const page = { open, tapped: null, main, element };
  return page;
}
