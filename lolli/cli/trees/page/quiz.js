// The questions of a quiz, one after the other: an answer is checked as lolli/cli/questions/answers.py does.

const NUMBER = /^(?:[+-]?[0-9]{1,9}(?:\.[0-9]{0,9}|\/0*[1-9][0-9]{0,8})?|[+-]?\.[0-9]{1,9})$/;
const RESULTS = { win: 1, won: 1, 1: 1, "+1": 1, draw: 0, drawn: 0, 0: 0, loss: -1, lose: -1, lost: -1, "-1": -1 };

// Whether what was typed is right, and what of it is; null if it is not an answer.
function checkAnswer({ kind, right, names, one }, typed) {
  const words = typed.replace(/−/g, "-").replace(/[,;]/g, " ").toLowerCase().split(/\s+/).filter(Boolean);
  const plain = (text) => text.toLowerCase().replace(/^(\d{1,2})-(\d{1,2})$/, (_, ...piles) => piles.slice(0, 2).sort((a, b) => b - a).join("-"));
  const read = (word) => names.find((name) => plain(name) === plain(word));
  const isNone = words.length === 1 && words[0] === "none" && !one;
  if (kind === "numbers") {
    if (words.length !== right.length || !words.every((word) => NUMBER.test(word))) return null;
    const value = (word) => word.split("/").reduce((above, below, place) => (place ? above / below : Number(below)), 0);
    const hits = words.filter((word, place) => Math.abs(value(word) - right[place]) < 0.006).length;
    return { isRight: hits === right.length, partly: hits ? `${hits} of ${right.length} right` : "" };
  }
  if (kind === "letters" || kind === "moves") {
    const told = new Set(isNone ? [] : (kind === "letters" ? [...words.join("")] : words).map(read));
    if (!words.length || told.has(undefined) || (one && words.length > 1)) return null;
    const hits = right.filter((each) => told.has(each)).length;
    const wrong = told.size - hits;
    return { isRight: hits === right.length && !wrong, partly: hits ? `${hits} of ${right.length} found${wrong ? `, ${wrong} wrong` : ""}` : "" };
  }
  const results = words.filter((word) => Object.hasOwn(RESULTS, word));
  const moves = words.filter((word) => !Object.hasOwn(RESULTS, word)).map(read);
  if (results.length !== 1 || moves.length !== 1 || moves[0] === undefined) return null;
  const [said, isBest] = [RESULTS[results[0]] === right[0], right.slice(1).includes(moves[0])];
  return { isRight: said && isBest, partly: said ? "the result is right" : isBest ? "the move is right" : "" };
}

(() => {
  const { questions } = JSON.parse(element("data").textContent);
  const page = makePage();
  const results = questions.map(() => null); // whether the answer was right; null before it
  let at = 0;

  function show(place) {
    at = Math.max(0, Math.min(questions.length - 1, place));
    const { title, text, how, asked, solution, reasons, command } = questions[at];
    const isDone = results[at] !== null;
    const shown = isDone ? solution : asked;
    const isText = typeof shown === "string";
    element("heading").textContent = `${at + 1}. ${title}`;
    element("text").textContent = text;
    element("given").hidden = !isText;
    element("given").textContent = isText ? shown : "";
    element("how").textContent = isDone ? command : `Type ${how}.${!isText && questions[at].check.kind === "letters" ? " Or click the leaves." : ""}`;
    element("number").textContent = `${at + 1} of ${questions.length}`;
    element("typed").value = "";
    for (const each of element("answer").querySelectorAll("label, button:not([aria-label])")) each.hidden = isDone;
    element("judged").textContent = "";
    element("reasons").replaceChildren(...(isDone ? reasons : []).map((reason) => made("li", {}, reason)));
    document.body.classList.toggle("without-tree", isText);
    if (!isText) page.open(shown, isDone ? { at: Infinity } : { isLocked: true, at: asked.sampling ? Infinity : 0 });
    element("title").textContent = isDone && !isText ? solution.title : `${results.filter((each) => each).length} of ${results.filter((each) => each !== null).length} right`;
  }

  function end(isRight, partly = "") {
    if (results[at] === null) results[at] = isRight;
    show(at);
    const { answer } = questions[at];
    judge(isRight ? `Right: ${answer}.` : `No, the answer is ${answer}.${partly ? ` ${partly[0].toUpperCase()}${partly.slice(1)}.` : ""}`, isRight);
  }
  const judge = (text, isRight) => Object.assign(element("judged"), { textContent: text, className: `verdict ${isRight ? "right" : "wrong"}` });

  element("answer").addEventListener("submit", (event) => {
    event.preventDefault();
    const checked = checkAnswer(questions[at].check, element("typed").value);
    if (checked) return end(checked.isRight, checked.partly);
    judge(`Not an answer: type ${questions[at].how}.`, false);
  });
  element("reveal").addEventListener("click", () => end(false));
  element("previous").addEventListener("click", () => show(at - 1));
  element("following").addEventListener("click", () => show(at + 1));
  page.tapped = (index) => {
    const { check, asked } = questions[at];
    const letter = page.main.tree.nodes[index].name;
    if (check.kind !== "letters" || results[at] !== null || typeof asked === "string" || !letter) return;
    const { marks } = page.main;
    if (!marks.delete(index)) marks.set(index, "struck");
    page.main.render();
    element("typed").value = [...marks.keys()].map((each) => page.main.tree.nodes[each].name).sort().join(" ") || "none";
  };
  show(0);
})();
