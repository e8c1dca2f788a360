"use strict";
// The board that can be stepped through. Everything it shows stands in the block of JSON; see protocol/cli/reports/page.py.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const SQUARE = 45; // the size of python-chess's pieces
  const FILES = "abcdefgh";
  const PIECES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const ARROWS = { green: "#2f7d4f", red: "#cc2f2f", yellow: "#d99a00", blue: "#2d6fb3" };
  const SWIPE = 40; // pixels
  const element = (id) => document.getElementById(id);
  const { steps, graph, flipped: startsFlipped } = JSON.parse(element("data").textContent);
  const following = steps.map(() => null);
  for (let index = steps.length - 1; index > 0; index--) following[steps[index].parent] = index;
  const mainLine = steps.flatMap((step, index) => (step.main ? [index] : []));

  let current = 0;
  let flipped = startsFlipped;
  let pieces = new Map(); // square -> {letter, node}

  // The board.

  function make(name, attributes, parent) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (parent) parent.append(node);
    return node;
  }

  function place(square) {
    const file = FILES.indexOf(square[0]);
    const rank = Number(square[1]) - 1;
    return { x: (flipped ? 7 - file : file) * SQUARE, y: (flipped ? rank : 7 - rank) * SQUARE };
  }

  const SIDE = 8 * SQUARE;
  const BORDER = 14; // for the coordinates, left of the squares and below them
  const board = make("svg", { viewBox: `${-BORDER} 0 ${SIDE + BORDER} ${SIDE + BORDER}`, role: "img" });
  const squares = new Map();
  const squareLayer = make("g", {}, board);
  const coordinateLayer = make("g", { class: "coordinates", "aria-hidden": "true" }, board);
  const pieceLayer = make("g", { class: "pieces" }, board);
  const arrowLayer = make("g", {}, board);
  for (const rank of "12345678") {
    for (const file of FILES) {
      const shade = (FILES.indexOf(file) + Number(rank)) % 2 ? "dark" : "light";
      const attributes = { class: shade, width: SQUARE, height: SQUARE, "data-square": file + rank };
      squares.set(file + rank, make("rect", attributes, squareLayer));
    }
  }

  function turnBoard() {
    for (const [square, node] of squares) {
      const { x, y } = place(square);
      node.setAttribute("x", x);
      node.setAttribute("y", y);
    }
    coordinateLayer.replaceChildren();
    for (let number = 0; number < 8; number++) {
      const file = FILES[number];
      const rank = String(number + 1);
      make("text", { x: place(file + rank).x + SQUARE / 2, y: SIDE + BORDER / 2 }, coordinateLayer).textContent = file;
      make("text", { x: -BORDER / 2, y: place(file + rank).y + SQUARE / 2 }, coordinateLayer).textContent = rank;
    }
  }

  // The small boards are drawn in the page already, for readers without scripts.
  function turnDiagram(diagram) {
    for (const node of diagram.querySelectorAll(":scope > *, .coordinates > *")) {
      if (node.tagName === "use") {
        const { e, f } = node.transform.baseVal.consolidate().matrix;
        node.setAttribute("transform", `translate(${SIDE - SQUARE - e}, ${SIDE - SQUARE - f})`);
      } else if (node.tagName === "text") {
        const across = node.classList.contains("file") ? "x" : "y";
        node.setAttribute(across, SIDE - Number(node.getAttribute(across)));
      } else if (node.tagName !== "g") {
        if (node.hasAttribute("transform")) node.removeAttribute("transform");
        else node.setAttribute("transform", `rotate(180 ${SIDE / 2} ${SIDE / 2})`);
      }
    }
  }

  function lettersOf(fen) {
    const letters = new Map();
    fen.split(" ")[0].split("/").forEach((row, index) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") file += Number(letter);
        else letters.set(FILES[file++] + (8 - index), letter);
      }
    });
    return letters;
  }

  function nameOf(letter) {
    return `${letter === letter.toUpperCase() ? "white" : "black"}-${PIECES[letter.toLowerCase()]}`;
  }

  // Pieces that stay keep their nodes, and one that is gone becomes the same piece elsewhere: so moves glide.
  function drawPieces(letters) {
    const placed = new Map();
    const free = [];
    for (const [square, piece] of pieces) {
      if (letters.get(square) === piece.letter) placed.set(square, piece);
      else free.push(piece);
    }
    for (const [square, letter] of letters) {
      if (placed.has(square)) continue;
      const found = free.findIndex((piece) => piece.letter === letter);
      const piece = found >= 0 ? free.splice(found, 1)[0] : { letter, node: make("use", { href: `#${nameOf(letter)}`, "data-piece": letter }, pieceLayer) };
      placed.set(square, piece);
    }
    for (const piece of free) piece.node.remove();
    pieces = placed;
    for (const [square, { node }] of pieces) {
      const { x, y } = place(square);
      node.dataset.square = square;
      node.style.transform = `translate(${x}px, ${y}px)`;
    }
  }

  function drawArrow([tail, head, color], name = "drawn") {
    const paint = ARROWS[color] || ARROWS.green;
    const [from, to] = [place(tail), place(head)];
    const [x1, y1, x2, y2] = [from.x, from.y, to.x, to.y].map((value) => value + SQUARE / 2);
    if (tail === head) {
      make("circle", { cx: x1, cy: y1, r: 20, fill: "none", stroke: paint, "stroke-width": 4, opacity: 0.85, class: name }, arrowLayer);
      return;
    }
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const points = [[8, 4], [length - 26, 4], [length - 26, 14], [length - 4, 0], [length - 26, -14], [length - 26, -4], [8, -4]]
      .map(([along, across]) => `${x1 + dx * along - dy * across},${y1 + dy * along + dx * across}`);
    make("polygon", { points: points.join(" "), fill: paint, opacity: 0.85, class: name }, arrowLayer);
  }

  function description(letters) {
    const pieces = (white) => [...letters]
      .filter(([, letter]) => (letter === letter.toUpperCase()) === white)
      .map(([square, letter]) => `${PIECES[letter.toLowerCase()]} ${square}`)
      .join(", ");
    return `White: ${pieces(true)}. Black: ${pieces(false)}.`;
  }

  function draw() {
    const step = steps[current];
    const letters = lettersOf(step.fen);
    drawPieces(letters);
    for (const [square, node] of squares) {
      node.classList.toggle("last", (step.squares || []).includes(square));
      node.classList.toggle("check", step.check === square);
    }
    arrowLayer.replaceChildren();
    if (step.better) drawArrow(step.better.squares, "better-move");
    (step.drawings || []).forEach((drawing) => drawArrow(drawing));
    board.setAttribute("aria-label", description(letters));
  }

  // What stands about the board.

  function mainBefore(index) {
    while (!steps[index].main) index = steps[index].parent;
    return index;
  }

  function moveCursor() {
    if (!graph) return;
    const [first, last] = [steps[0].ply, steps[mainLine.at(-1)].ply];
    const part = (steps[mainBefore(current)].ply - first) / (last - first);
    const place = Math.max(graph.edge, graph.left + part * (graph.right - graph.left));
    element("cursor").style.left = `${100 * place}%`;
  }

  function describe() {
    const step = steps[current];
    element("label").textContent = step.label || (steps.length > 1 ? "Before the first move" : "The position");
    element("better").textContent = step.better ? `best: ${step.better.move}` : "";
    element("score").textContent = step.score || "";
    element("clock").textContent = step.clock || "";
    element("fen").value = step.fen;
    element("bar").classList.toggle("unknown", step.share === undefined);
    element("bar").style.setProperty("--share", step.share === undefined ? 0.5 : step.share);
    element("bar").setAttribute("aria-valuenow", step.share === undefined ? 0.5 : step.share);
    element("bar").setAttribute("aria-valuetext", step.score || "unknown");
    element("first").disabled = element("previous").disabled = current === 0;
    element("next").disabled = element("last").disabled = following[current] === null;
  }

  // The text follows only where the board stands still, so that no button moves under a finger.
  function followInText(move) {
    const still = [document.querySelector(".stage"), element("panel")].some((node) => {
      const style = getComputedStyle(node);
      return style.position === "sticky" && Math.abs(node.getBoundingClientRect().top - parseFloat(style.top)) < 2;
    });
    if (move && still) move.scrollIntoView({ block: "nearest" });
  }

  let remembering = 0;
  function rememberAddress() {
    clearTimeout(remembering); // browsers limit how often an address may change
    remembering = setTimeout(() => history.replaceState(null, "", current ? `#move-${current}` : "#"), 300);
  }

  function go(index) {
    if (index === null || index === undefined || index === current) return;
    const glides = steps[index].parent === current || steps[current].parent === index;
    board.classList.toggle("glides", glides);
    element(`move-${current}`)?.removeAttribute("aria-current");
    current = index;
    const move = element(`move-${current}`);
    move?.setAttribute("aria-current", "true");
    draw();
    describe();
    moveCursor();
    followInText(move);
    rememberAddress();
  }

  function end() {
    let index = current;
    while (following[index] !== null) index = following[index];
    go(index);
  }

  function flip() {
    flipped = !flipped;
    board.classList.remove("glides");
    element("bar").classList.toggle("flipped", flipped);
    turnBoard();
    draw();
    document.querySelectorAll(".diagram svg").forEach(turnDiagram);
  }

  // What people do.

  const actions = {
    first: () => go(0),
    previous: () => go(steps[current].parent),
    next: () => go(following[current]),
    last: end,
    flip,
  };
  const keys = { Home: "first", ArrowLeft: "previous", ArrowRight: "next", End: "last", f: "flip" };
  for (const name of Object.keys(actions)) element(name).addEventListener("click", actions[name]);

  document.addEventListener("keydown", (event) => {
    const name = keys[event.key];
    if (!name || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.target.matches("input")) return;
    event.preventDefault();
    actions[name]();
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#move-']");
    if (!link) return;
    event.preventDefault();
    go(Number(link.hash.slice("#move-".length)));
    if (!link.closest(".game")) element("panel").scrollIntoView({ block: "nearest" });
  });

  function goOnGraph(event) {
    const box = event.currentTarget.getBoundingClientRect();
    const part = ((event.clientX - box.left) / box.width - graph.left) / (graph.right - graph.left);
    go(mainLine[Math.max(0, Math.min(mainLine.length - 1, Math.round(part * (mainLine.length - 1))))]);
  }
  if (graph) {
    const plot = element("graph").firstElementChild;
    plot.addEventListener("click", goOnGraph);
    plot.addEventListener("pointermove", (event) => event.buttons && goOnGraph(event));
    element("cursor").hidden = false;
  }

  let touched = null;
  element("board").addEventListener("touchstart", (event) => {
    touched = event.touches.length === 1 ? event.touches[0] : null;
  }, { passive: true });
  element("board").addEventListener("touchend", (event) => {
    if (!touched) return;
    const dx = event.changedTouches[0].clientX - touched.clientX;
    const dy = event.changedTouches[0].clientY - touched.clientY;
    if (Math.abs(dx) > SWIPE && Math.abs(dx) > 2 * Math.abs(dy)) actions[dx < 0 ? "next" : "previous"]();
    touched = null;
  });

  element("copy").addEventListener("click", async () => {
    element("fen").select();
    try {
      await navigator.clipboard.writeText(element("fen").value);
    } catch {
      document.execCommand("copy"); // where the clipboard is closed to pages from a file
    }
    element("copy").textContent = "Copied";
    setTimeout(() => { element("copy").textContent = "Copy"; }, 1500);
  });

  function goToAddress() {
    const match = /^#move-(\d+)$/.exec(location.hash);
    if (match && Number(match[1]) < steps.length) go(Number(match[1]));
  }
  window.addEventListener("hashchange", goToAddress);

  element("board").replaceChildren(board);
  for (const id of ["bar", "caption", "controls", "fen-row"]) element(id).hidden = false;
  element("bar").classList.toggle("flipped", flipped);
  turnBoard();
  draw();
  describe();
  moveCursor();
  goToAddress();
})();
