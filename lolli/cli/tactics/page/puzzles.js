// Exercises to solve. What is right and what is legal stands in the block of JSON; see lolli/cli/tactics/__init__.py.
(() => {
  const REPLY = 500; // milliseconds until the opponent answers
  const PIECES = { q: "Queen", r: "Rook", b: "Bishop", n: "Knight" };
  const element = (id) => document.getElementById(id);
  const { name, kind, puzzles } = JSON.parse(element("data").textContent);
  const board = createBoard(false);

  // What has become of each puzzle: "solved" without help, or "failed". The first attempt counts.
  const results = new Map();
  try {
    for (const [index, result] of JSON.parse(localStorage.getItem(name) || "[]")) results.set(index, result);
  } catch {
    // pages from a file may not be allowed to remember
  }

  let current = 0;
  let ply = 0; // of the solution: even where the solver is to move
  let other = null; // the step after a right move that is not the one of the solution
  let origin = null; // the square of the chosen piece
  let waiting = 0; // the timer of the opponent's reply
  let remembering = 0;
  let typing = false; // rather than clicking

  const puzzle = () => puzzles[current];
  const answer = () => puzzle().answers[ply / 2];
  const isOver = () => ply >= puzzle().steps.length - 1;
  const isAsking = () => !isOver() && ply % 2 === 0;
  // Castling by clicks: in chess on the king's target, which is its usual name; in Chess960 there or on the rook.
  const castled = (move) => (puzzle().chess960 ? answer().castling[move] : undefined);
  const names = () => [...Object.keys(answer().legal), ...Object.keys(answer().castling).filter(castled)];

  function settle(result) {
    if (results.has(current)) return;
    results.set(current, result);
    try {
      localStorage.setItem(name, JSON.stringify([...results]));
    } catch {
      // as above
    }
    list();
  }

  function say(text, kind = "") {
    element("message").textContent = text;
    element("message").className = `message ${kind}`;
  }

  // The board.

  function mark(kind, squares) {
    for (const [square, node] of board.squares) node.classList.toggle(kind, squares.includes(square));
  }

  function choose(square) {
    origin = square;
    const moves = square && isAsking() ? names().filter((move) => move.startsWith(square)) : [];
    mark("chosen", square ? [square] : []);
    mark("target", moves.map((move) => move.slice(2, 4)));
    mark("wrong", []);
    element("promotion").hidden = true;
  }

  function show(drawings = []) {
    choose(null);
    const step = other || puzzle().steps[ply];
    board.draw({ ...step, drawings: [...(step.drawings || []), ...drawings] });
    element("hint").disabled = element("show").disabled = element("typed").disabled = !isAsking();
    element("about").hidden = !isOver();
  }

  function open(index) {
    if (!puzzles[index]) return;
    clearTimeout(waiting);
    [current, ply, other] = [index, 0, null];
    board.turn(!puzzle().white);
    element("task").textContent = `${index + 1}. ${puzzle().task}`;
    element("typed").value = "";
    for (const id of ["line", "others", "reason", "story", "origin"]) element(id).textContent = puzzle()[id];
    element("previous").disabled = index === 0;
    element("next").disabled = index === puzzles.length - 1;
    say("");
    show();
    list();
    clearTimeout(remembering); // browsers limit how often an address may change
    remembering = setTimeout(() => history.replaceState(null, "", `#${index + 1}`), 300);
  }

  function openInSight(index) {
    open(index);
    element("panel").scrollIntoView({ block: "nearest" });
  }

  function step() {
    clearTimeout(waiting); // a solution under way, when the reader goes on alone
    board.glide(true);
    ply++;
    show();
  }

  function reply() {
    step();
    say("Right. And now?", "good");
    if (typing) element("typed").focus(); // a field that is disabled meanwhile loses it
  }

  function play(move) {
    const { uci, legal } = answer();
    const san = legal[move];
    element("typed").value = "";
    other = answer().also[move] || null;
    const isMate = san.endsWith("#"); // any is right
    if (isMate) ply = puzzle().steps.length - 2;
    else if (move !== uci && !other) {
      settle("failed");
      choose(null);
      mark("wrong", [move.slice(0, 2), move.slice(2, 4)]);
      say(`${san} is not it. Try again.`, "bad");
      return;
    }
    step();
    if (isOver()) {
      settle("solved");
      const best = other && !isMate ? ` The best is ${legal[uci]}.` : "";
      say(`${san} is right.${best}${results.get(current) === "solved" ? " Solved." : ""}`, "good");
    } else {
      say(`${san} is right.`, "good");
      waiting = setTimeout(reply, REPLY);
    }
  }

  function attempt(from, to) {
    const castling = castled(from + to);
    const moves = castling ? [castling] : Object.keys(answer().legal).filter((move) => move.startsWith(from + to));
    if (moves.length === 1) play(moves[0]);
    else if (moves.length) promote(moves);
    else choose(null);
  }

  function promote(moves) {
    const inOrder = Object.keys(PIECES).flatMap((letter) => moves.filter((move) => move[4] === letter));
    const buttons = inOrder.map((move) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = PIECES[move[4]];
      button.dataset.move = move;
      button.addEventListener("click", () => play(move));
      return button;
    });
    element("promotion").replaceChildren(...buttons);
    element("promotion").hidden = false;
  }

  function click(event) {
    typing = false;
    const square = board.squareAt(event);
    if (!square || !isAsking()) return;
    const moves = names();
    if (origin && moves.some((move) => move.startsWith(origin + square))) attempt(origin, square);
    else choose(square !== origin && moves.some((move) => move.startsWith(square)) ? square : null);
  }

  // Only letters, digits and the case count: `Qxf7+` is also `Qf7`.
  const bare = (text) => text.replace(/0/g, "O").replace(/[^A-Za-z1-8]/g, "").replace(/x/g, "");

  function type(event) {
    event.preventDefault();
    typing = true;
    const typed = element("typed").value.trim();
    if (!typed || !isAsking()) return;
    const { legal, castling } = answer();
    const named = castling[typed] || typed;
    const found = Object.entries(legal).filter(([uci, san]) => uci === named || bare(san) === bare(typed));
    if (found.length === 1) {
      play(found[0][0]);
    } else {
      say(`${typed} is not a legal move.`, "bad");
      element("typed").select(); // the next letter replaces it
    }
  }

  // Help and turning of pages.

  function hint() {
    if (!isAsking()) return;
    settle("failed");
    const square = answer().uci.slice(0, 2);
    show([[square, square, "green"]]);
    say("It is a move of this piece.");
  }

  function reveal() {
    if (!isAsking()) return;
    settle("failed");
    say(`The solution: ${puzzle().line}`);
    const go = () => {
      step();
      if (!isOver()) waiting = setTimeout(go, REPLY);
    };
    go();
  }

  function list() {
    const items = puzzles.map((each, index) => {
      const [item, button] = [document.createElement("li"), document.createElement("button")];
      const result = results.get(index) || "";
      button.type = "button";
      button.className = result;
      button.textContent = `${index + 1}${{ solved: " ✓", failed: " ✗" }[result] || ""}`;
      button.setAttribute("aria-label", `${kind} ${index + 1}${result && `, ${result}`}`);
      if (index === current) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => openInSight(index));
      item.append(button);
      return item;
    });
    const isFocused = element("list").contains(document.activeElement);
    element("list").replaceChildren(...items);
    if (isFocused) element("list").querySelector("[aria-current]").focus({ preventScroll: true });
    const solved = [...results.values()].filter((result) => result === "solved").length;
    element("tally").textContent = results.size ? `${solved} of ${results.size} solved at the first attempt` : "";
  }

  const actions = { previous: () => open(current - 1), next: () => open(current + 1), hint, show: reveal, flip: board.flip };
  const keys = { ArrowLeft: "previous", ArrowRight: "next", h: "hint", s: "show", f: "flip" };
  for (const [id, action] of Object.entries(actions)) element(id).addEventListener("click", action);
  document.addEventListener("keydown", (event) => {
    const id = keys[event.key];
    if (!id || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.target.matches("input")) return;
    event.preventDefault();
    actions[id]();
  });
  board.node.addEventListener("click", click);
  element("answer").addEventListener("submit", type);
  element("board").replaceChildren(board.node);
  for (const id of ["answer", "controls"]) element(id).hidden = false;
  // `#3` is the third exercise.
  function goToAddress() {
    const index = Number(location.hash.slice(1)) - 1;
    if (puzzles[index]) openInSight(index);
    else open(0);
  }
  window.addEventListener("hashchange", goToAddress);
  goToAddress();
})();
