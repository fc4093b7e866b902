// One suggestion, large: what a decision is made on.
const FEW = 3;
const MANY = 50;
const card = {
  item: null,
  place: null,
  draft: null,
  shownOthers: FEW,
  isWhole: false,
  since: performance.now(),
};

function byId(id) {
  return document.getElementById(id);
}

function showItem(item, view) {
  card.item = item;
  card.since = performance.now();
  card.shownOthers = FEW;
  const { members } = view === "form" ? item : { members: [item.id] };
  showPlace(members.find((place) => !decisionOnPlace(place)) ?? members[0]);
}

function showPlace(place) {
  const { label, start, end } = suggestions[place];
  const { label: decidedLabel = label, start: from = start, end: to = end } =
    decisionAt(place) ?? {};
  card.place = place;
  card.draft = { label: decidedLabel, start: from, end: to };
  card.isWhole = false;
  drawCard();
}

function changeDraft(change) {
  Object.assign(card.draft, change);
  drawCard();
}

function hasMovedBounds() {
  const { start, end } = suggestions[card.place];
  return card.draft.start !== start || card.draft.end !== end;
}

// The bounds of the draft, moved alike at another place of the form.
function movedSpan(place) {
  const { start, end } = suggestions[card.place];
  return {
    start: place.start + card.draft.start - start,
    end: place.end + card.draft.end - end,
  };
}

// Places of the form where these bounds hold the same string; that of the draft is first.
function placesWithDraft() {
  const shown = suggestions[card.place];
  const form = sliceText(shown.text, card.draft.start, card.draft.end);
  const others = groups[shown.group].members.map((id) => suggestions[id]).filter((place) => {
    if (place === shown || decisionOnPlace(place.id)) return false;
    const { start, end } = movedSpan(place);
    return start >= 0 && end <= toPoint(place.text, texts[place.text].length)
      && sliceText(place.text, start, end) === form;
  });
  return [shown, ...others];
}

function drawCard() {
  const place = suggestions[card.place];
  const group = groups[place.group];
  const isMissed = place.kind === "missed";
  const form = hasMovedBounds()
    ? sliceText(place.text, card.draft.start, card.draft.end) : group.form;
  byId("kind-name").textContent = isMissed ? "Nobody marked this" : "Marked, but doubtful";
  byId("kind-name").className = place.kind;
  byId("question").replaceChildren(makeEntity(form, card.draft.label));
  // Nothing is counted for predictions that were drawn.
  const counts = page.isDrawn ? [] : [
    `${isMissed ? "found" : "doubted"} ${format(group.found)}×`,
    `marked ${format(group.marked)}×`,
    `stated to be no entity ${format(group.outside)}×`,
  ];
  byId("facts").textContent = [
    `${percent(place.score)} probable`,
    ...counts,
    `text ${format(place.line + 1)}`,
  ].join(" · ");
  const annotated = annotatedIn(place.text);
  const context = card.isWhole ? Infinity : CONTEXT;
  const isWhole = showText(byId("text"), place.text, card.draft, annotated, context);
  byId("whole").hidden = isWhole;
  drawDecision();
  drawChange(place, annotated);
  drawReadings(place);
  drawOthers(group);
}

function drawDecision() {
  const entry = decisionAt(card.place);
  byId("decided").textContent = entry ? ANSWER_NAMES[entry.answer] : "";
  byId("decided").className = entry ? `decided ${entry.answer}` : "";
}

function drawChange(place, annotated) {
  const notes = [];
  if (place.kind === "doubtful")
    notes.push("Accept if the annotation is right, reject if it is wrong.");
  if (card.draft.label !== place.label) notes.push(`The suggested type is ${place.label}.`);
  if (hasMovedBounds()) {
    const others = placesWithDraft().length - 1;
    const everywhere = others
      ? ` Accept everywhere takes them at ${countOf(others, "other place")} that ${others === 1 ? "reads" : "read"} the same, too.`
      : "";
    notes.push(`The suggestion is “${groups[place.group].form}”. Other bounds are for this place.${everywhere}`);
  }
  const isSame = (one) =>
    one.start === place.start && one.end === place.end && one.label === place.label;
  const touched = annotated.filter(
    (one) => !beside([one], card.draft).length && !(place.kind === "doubtful" && isSame(one)));
  for (const { start, end, label } of touched)
    notes.push(`Annotated here: “${sliceText(place.text, start, end)}” as ${label}.`);
  byId("change").hidden = !notes.length;
  byId("change").replaceChildren(...notes.map((note) => make("bdi", {}, note)));
}

// Readings that a decision can take over: those with one entity at the place.
function otherReadings(place) {
  return place.readings.filter(({ spans }) => spans.length === 1);
}

function drawReadings(place) {
  const buttons = otherReadings(place).map(({ probability, spans: [span] }) => {
    const form = sliceText(place.text, span.start, span.end);
    const button = make("button", { type: "button", class: "reading" },
      makeEntity(form, span.label), make("span", {}, percent(probability)));
    button.addEventListener("click", () => changeDraft({ ...span }));
    return button;
  });
  const none = place.readings.find(({ spans }) => !spans.length);
  if (none) buttons.push(make("span", { class: "none" }, `no entity ${percent(none.probability)}`));
  byId("readings").hidden = !buttons.length;
  const key = otherReadings(place).length ? [make("kbd", {}, "r")] : [];
  byId("readings").replaceChildren(make("span", {}, "Other readings ", ...key), ...buttons);
}

function takeNextReading() {
  const place = suggestions[card.place];
  const { label, start, end } = place;
  const choices = [{ label, start, end }, ...otherReadings(place).map(({ spans }) => spans[0])];
  const isNow = (one) => ["label", "start", "end"].every((name) => one[name] === card.draft[name]);
  changeDraft({ ...choices[(choices.findIndex(isNow) + 1) % choices.length] });
}

function drawOthers(group) {
  const others = group.members.filter((place) => place !== card.place);
  const shown = others.slice(0, card.shownOthers);
  byId("others").hidden = !others.length;
  byId("others-title").textContent =
    `${countOf(others.length, "other place")} with this form`;
  byId("occurrences").replaceChildren(...shown.map(makeOccurrence));
  const more = byId("more");
  const isAll = shown.length === others.length;
  more.hidden = others.length <= FEW;
  more.setAttribute("aria-expanded", card.shownOthers > FEW);
  more.replaceChildren(
    isAll ? "Show fewer " : `Show ${format(Math.min(MANY, others.length - shown.length))} more `,
    make("kbd", {}, "o"),
  );
}

function toggleOthers() {
  const others = groups[suggestions[card.place].group].members.length - 1;
  const isAll = card.shownOthers >= others;
  card.shownOthers = isAll ? FEW : card.shownOthers + MANY;
  drawOthers(groups[suggestions[card.place].group]);
}

function makeOccurrence(id) {
  const place = suggestions[id];
  const answer = decisionAt(id)?.answer;
  const text = make("div", { class: "text", dir: "auto" });
  showText(text, place.text, place, annotatedIn(place.text), 60);
  const button = (symbol, name, act) => {
    const made = make("button", { type: "button", "aria-label": name, title: name }, symbol);
    made.addEventListener("click", act);
    return made;
  };
  const mark = make("span", { class: `mark ${answer ?? ""}` }, MARKS[answer] ?? "");
  if (answer) mark.setAttribute("aria-label", ANSWER_NAMES[answer]);
  return make("li", {}, mark, text, make("span", { class: "here" },
    button("✓", "Accept here", () => decideHere(id, "accept")),
    button("✗", "Reject here", () => decideHere(id, "reject")),
    button("⤢", "Look at this place", () => showPlace(id)),
  ));
}
