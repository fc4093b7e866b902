// Texts with their entities, as displaCy draws them. Whatever a text holds is only ever
// set as text.
const CONTEXT = 400;
const unitOfNode = new WeakMap();

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function makeEntity(form, label, role = "") {
  const mark = make("mark", { class: `entity ${role}` });
  mark.style.setProperty("--label-color", colorOf(label));
  mark.append(make("bdi", {}, form), make("bdi", { class: "label" }, label));
  return mark;
}

// What is annotated and does not touch what is suggested.
function beside(annotated, span) {
  return annotated.filter((other) => other.end <= span.start || span.end <= other.start);
}

// Returns whether all of the text is shown.
function showText(element, textId, span, annotated, context) {
  const text = texts[textId];
  const units = (one) => ({
    ...one, from: toUnit(textId, one.start), to: toUnit(textId, one.end),
  });
  const marks = [
    units({ ...span, role: "suggestion" }),
    ...beside(annotated, span).map((one) => units({ ...one, role: "annotated" })),
  ].sort((a, b) => a.from - b.from);
  const middle = marks.find((mark) => mark.role === "suggestion");
  const first = cutAt(text, middle.from - context, 0);
  const last = cutAt(text, middle.to + context, text.length);
  let done = first;
  const addText = (parent, from, to) => {
    if (from >= to) return;
    const node = document.createTextNode(text.slice(from, to));
    unitOfNode.set(node, from);
    parent.append(node);
  };
  element.replaceChildren();
  if (first > 0) element.append(make("span", { class: "cut" }, "… "));
  for (const mark of marks) {
    if (mark.from < done || mark.to > last) continue;
    addText(element, done, mark.from);
    const drawn = makeEntity("", mark.label, mark.role);
    drawn.firstChild.replaceChildren();
    addText(drawn.firstChild, mark.from, mark.to);
    element.append(drawn);
    done = mark.to;
  }
  addText(element, done, last);
  if (last < text.length) element.append(make("span", { class: "cut" }, " …"));
  return first === 0 && last === text.length;
}

// A place near a unit where a text may be cut: not within a word or a character.
function cutAt(text, unit, end) {
  if (unit <= 0) return 0;
  if (unit >= text.length) return text.length;
  const near = text.slice(unit, unit + 30).search(/\s/);
  if (near >= 0) return unit + near;
  const isHalf = /[\udc00-\udfff]/.test(text[unit]);
  return end === 0 && isHalf ? unit - 1 : isHalf ? unit + 1 : unit;
}

// The span that is selected with the mouse, without spaces around it.
function selectedSpan(element, textId) {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const unitAt = (node, offset) => {
    if (!element.contains(node) || !unitOfNode.has(node)) return null;
    return unitOfNode.get(node) + offset;
  };
  const from = unitAt(range.startContainer, range.startOffset);
  const to = unitAt(range.endContainer, range.endOffset);
  if (from === null || to === null || from >= to) return null;
  const chosen = texts[textId].slice(from, to);
  const start = from + chosen.length - chosen.trimStart().length;
  const end = to - (chosen.length - chosen.trimEnd().length);
  if (start >= end) return null;
  return { start: toPoint(textId, start), end: toPoint(textId, end) };
}
