"use strict";
// A game that can be stepped through; the board is that of board.js. Everything it shows stands in the block of JSON: see
// lolli/cli/reports/page.py.
(() => {
  const SWIPE = 40; // pixels
  const [SQUARE, SIDE] = [45, 360]; // of the small boards
  const element = (id) => document.getElementById(id);
  const { steps, graph, chess960, pgn, flipped: startsFlipped } = JSON.parse(element("data").textContent);
  const hasComments = steps.some((step) => step.comment);
  const following = steps.map(() => null);
  for (let index = steps.length - 1; index > 0; index--) following[steps[index].parent] = index;
  const mainLine = steps.flatMap((step, index) => (step.main ? [index] : []));

  const board = createBoard(startsFlipped);
  let current = 0;

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

  function leadToLichess() {
    const [variant, color] = [chess960 ? "chess960" : "standard", board.isFlipped() ? "black" : "white"];
    const fen = steps[current].fen.replaceAll(" ", "_");
    element("lichess").href = `https://lichess.org/analysis/${variant}/${fen}?color=${color}`;
  }

  function describe() {
    const step = steps[current];
    element("label").textContent = step.label || (steps.length > 1 ? "Before the first move" : "The position");
    element("better").textContent = step.better ? `best: ${step.better.move}` : "";
    element("score").textContent = step.score || "";
    element("phase").textContent = step.phase || "";
    element("spent").textContent = step.spent || "";
    element("clock").textContent = step.clock || "";
    element("reason").textContent = step.comment || "";
    element("fen").value = step.fen;
    leadToLichess();
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
    board.glide(glides);
    element(`move-${current}`)?.removeAttribute("aria-current");
    current = index;
    const move = element(`move-${current}`);
    move?.setAttribute("aria-current", "true");
    board.draw(steps[current]);
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
    board.flip();
    element("bar").classList.toggle("flipped", board.isFlipped());
    document.querySelectorAll(".diagram svg").forEach(turnDiagram);
    leadToLichess();
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

  async function copy(text, button) {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch { // where the clipboard is closed to pages from a file
      const field = document.createElement("textarea");
      field.style.position = "fixed";
      field.value = text;
      document.body.append(field);
      field.select();
      done = document.execCommand("copy");
      field.remove();
      button.focus();
    }
    const name = button.dataset.name || (button.dataset.name = button.textContent);
    button.textContent = done ? "Copied" : "Not allowed";
    setTimeout(() => { button.textContent = name; }, 1500);
  }
  element("copy").addEventListener("click", () => copy(element("fen").value, element("copy")));
  // A page of many games holds its game elsewhere: see lolli/cli/reports/page.py.
  const game = () => pgn || JSON.parse(element("origin").textContent).pgn;
  element("copy-pgn").addEventListener("click", () => copy(game(), element("copy-pgn")));

  function goToAddress() {
    const match = /^#move-(\d+)$/.exec(location.hash);
    if (match && Number(match[1]) < steps.length) go(Number(match[1]));
  }
  window.addEventListener("hashchange", goToAddress);

  element("board").replaceChildren(board.node);
  for (const id of ["bar", "caption", "facts", "controls", "fen-row"]) element(id).hidden = false;
  element("reason").hidden = !hasComments;
  element("bar").classList.toggle("flipped", startsFlipped);
  board.draw(steps[0]);
  describe();
  moveCursor();
  goToAddress();
})();
