"use strict";
// A board that shows positions; pages put it before their own script.
//
// createBoard(flipped) returns its `node`, and what it can do. `draw` shows a step: its `fen`, `squares` (origin and target of
// the last move), `check` (a square), `better` (the `squares` of the better move) and `drawings` ([tail, head, colour], equal
// squares for a circle).
const createBoard = (startsFlipped) => {
  const SVG = "http://www.w3.org/2000/svg";
  const SQUARE = 45; // the size of python-chess's pieces
  const FILES = "abcdefgh";
  const PIECES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const ARROWS = { green: "#2f7d4f", red: "#cc2f2f", yellow: "#d99a00", blue: "#2d6fb3" };

  let flipped = startsFlipped;
  let pieces = new Map(); // square -> {letter, node}

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

  let step = null;
  function draw(next) {
    step = next;
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

  // Whether pieces glide to their squares from now on.
  function glide(glides) {
    board.classList.toggle("glides", glides);
  }

  function turn(isFlipped) {
    flipped = isFlipped;
    glide(false);
    turnBoard();
    if (step) draw(step);
  }

  // The square under a pointer, or null.
  function squareAt({ clientX, clientY }) {
    const box = board.getBoundingClientRect();
    const unit = (SIDE + BORDER) / box.width;
    const column = Math.floor(((clientX - box.left) * unit - BORDER) / SQUARE);
    const row = Math.floor(((clientY - box.top) * unit) / SQUARE);
    if (column < 0 || column > 7 || row < 0 || row > 7) return null;
    return flipped ? FILES[7 - column] + (row + 1) : FILES[column] + (8 - row);
  }

  turnBoard();
  return { node: board, squares, draw, glide, turn, squareAt, flip: () => turn(!flipped), isFlipped: () => flipped };
};
