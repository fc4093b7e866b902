// What keys and buttons do.
let view = "form";
let items = [];
let index = 0;
const list = new SuggestionList(byId("list"), (chosen) => {
  goTo(chosen);
  showSide(false);
});

function isDecided(item) {
  return view === "form" ? isFormDecided(item.id) : !!decisionAt(item.id);
}

function say(text) {
  byId("said").textContent = text;
}

function describeItem() {
  const { kind, score, group } = suggestions[card.place];
  return `${groups[group].form}, ${card.draft.label}, ${kind}, ${percent(score)}`;
}

function goTo(to) {
  const isEmpty = !items.length;
  byId("empty").hidden = !isEmpty;
  byId("card").firstElementChild.hidden = isEmpty;
  for (const button of document.querySelectorAll(".actions button"))
    button.disabled = isEmpty && button.id !== "undo";
  if (isEmpty) {
    card.item = null;
    return drawProgress();
  }
  index = Math.max(0, Math.min(to, items.length - 1));
  showItem(items[index], view);
  list.choose(index);
  byId("card").scrollTop = 0;
  drawProgress();
}

function drawProgress() {
  const { share, text } = describeProgress(view);
  byId("progress").textContent = text;
  byId("bar").firstElementChild.style.width = `${100 * share}%`;
  byId("bar").setAttribute("aria-valuenow", Math.round(100 * share));
  byId("position").textContent = items.length
    ? `${format(index + 1)} of ${format(items.length)}` : "";
  byId("count").textContent = `${countOf(items.length, view)} shown`;
  byId("clear").hidden = !isFiltered();
  byId("unsaved").textContent = unsaved ? `(${format(unsaved)}) ` : "";
  byId("undo").disabled = !log.length;
}

// The next one that is not decided, from the present one on and around.
function nextOpen() {
  for (let i = 1; i <= items.length; i += 1) {
    const at = (index + i) % items.length;
    if (!isDecided(items[at])) return at;
  }
  return -1;
}

function goToNextOpen(said = "") {
  const next = nextOpen();
  if (next < 0) {
    goTo(index);
    say(`${said} All that is shown here is decided.`);
  } else {
    goTo(next);
    say(`${said} ${describeItem()}`);
  }
}

function filterItems() {
  items = view === "form" ? filteredGroups() : filteredPlaces();
  list.setItems(items, view);
}

function refilter() {
  const place = card.place;
  filterItems();
  const now = place === null ? -1 : findItem(place);
  list.element.scrollTop = 0;
  goTo(Math.max(0, now));
}

function findItem(place) {
  const id = view === "form" ? suggestions[place].group : place;
  return items.findIndex((item) => item.id === id);
}

function chooseView(to) {
  view = to;
  byId("by-form").setAttribute("aria-pressed", view === "form");
  byId("by-place").setAttribute("aria-pressed", view === "place");
}

function setView(to) {
  chooseView(to);
  refilter();
  say(view === "form" ? "By form" : "By place");
}

function secondsSpent() {
  return Math.round(Math.min(600, (performance.now() - card.since) / 1000) * 10) / 10;
}

function changes(answer, withBounds) {
  if (answer !== "accept") return {};
  const place = suggestions[card.place];
  const { label, start, end } = card.draft;
  const change = {};
  if (label !== place.label) change.label = label;
  if (withBounds && hasMovedBounds()) Object.assign(change, { start, end, label });
  return change;
}

function decide(answer) {
  if (card.item === null) return;
  if (view === "form" && !(answer === "accept" && hasMovedBounds())) {
    decideForm(answer);
  } else {
    const key = `p${card.place}`;
    addEntries([{ key, answer, seconds: secondsSpent(), ...changes(answer, true) }]);
    const said = `${sentence(ANSWER_NAMES[answer])}.`;
    if (view === "form" && !isDecided(card.item)) {
      goTo(index);
      say(`${said} ${describeItem()}`);
    } else {
      goToNextOpen(said);
    }
  }
}

function decideForm(answer) {
  if (card.item === null) return;
  if (answer === "accept" && hasMovedBounds()) return acceptMovedEverywhere();
  const key = `f${suggestions[card.place].group}`;
  addEntries([{ key, answer, seconds: secondsSpent(), ...changes(answer, false) }]);
  goToNextOpen(`${sentence(ANSWER_NAMES[answer])} everywhere.`);
}

// Other bounds hold for each place where the text around the form reads the same.
function acceptMovedEverywhere() {
  const batch = Date.now();
  const change = changes("accept", true);
  const entries = placesWithDraft().map((place) => ({
    key: `p${place.id}`, answer: "accept", ...change, ...movedSpan(place), batch,
  }));
  entries[0].seconds = secondsSpent();
  addEntries(entries);
  goToNextOpen(`Accepted at ${countOf(entries.length, "place")}.`);
}

// A decision about another place of the form that is shown.
function decideHere(place, answer) {
  addEntries([{ key: `p${place}`, answer }]);
  drawCard();
  list.draw();
  drawProgress();
  say(`${sentence(ANSWER_NAMES[answer])} here.`);
}

function undo() {
  const undone = takeBack();
  if (!undone.length) return say("Nothing to undo.");
  const { key } = undone[undone.length - 1];
  const id = Number(key.slice(1));
  const place = key[0] === "p" ? id : key[0] === "f" ? groups[id].members[0] : null;
  const at = place === null ? -1 : findItem(place);
  goTo(at < 0 ? index : at);
  if (at >= 0 && key[0] === "p") showPlace(place);
  say(card.item === null ? "Undone." : `Undone. ${describeItem()}`);
}

function sentence(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function setType(label) {
  if (card.item === null) return;
  changeDraft({ label });
  focusCard();
  say(`Type ${label}`);
}

// Left is back, but in a text that runs from right to left it is on.
function move(side, step) {
  if (card.item === null) return;
  const { text } = suggestions[card.place];
  const isRightToLeft = getComputedStyle(byId("text")).direction === "rtl";
  changeDraft(moveBound(text, card.draft, side, isRightToLeft ? -step : step));
  say(sliceText(text, card.draft.start, card.draft.end));
}

function step(by) {
  goTo(index + by);
  if (card.item !== null) say(describeItem());
}

function showSide(isShown) {
  document.body.classList.toggle("side-shown", isShown);
  byId("show-side").setAttribute("aria-expanded", isShown);
  if (isShown) list.choose(index);
}

function save() {
  const count = saveDecisions();
  drawProgress();
  say(`${countOf(count, "decision")} saved.`);
}

const openTypes = setUpTypeDialog(setType);
const KEYS = [
  { names: ["a"], shown: ["a"], help: "Accept", act: () => decide("accept"), button: "accept" },
  { names: ["x"], shown: ["x"], help: "Reject", act: () => decide("reject"), button: "reject" },
  { names: [" "], shown: ["space"], help: "Ignore", act: () => decide("ignore"), button: "ignore" },
  { names: ["Backspace"], shown: ["⌫"], help: "Undo", act: undo, button: "undo" },
  { names: ["shift+a"], shown: ["A"], help: "Accept this form everywhere", act: () => decideForm("accept"), button: "accept-form" },
  { names: ["shift+x"], shown: ["X"], help: "Reject this form everywhere", act: () => decideForm("reject"), button: "reject-form" },
  { names: ["t"], shown: ["t"], help: "Change the type", act: () => card.item && openTypes(), button: "type" },
  { names: [..."123456789"], shown: ["1", "…", "9"], help: "Change the type to one of the first nine", act: ({ key }) => allLabels()[key - 1] && setType(allLabels()[key - 1]) },
  { names: ["ArrowLeft"], shown: ["←"], help: "Move the start to the left", act: () => move("start", -1), repeats: true, button: "start-left" },
  { names: ["ArrowRight"], shown: ["→"], help: "Move the start to the right", act: () => move("start", 1), repeats: true, button: "start-right" },
  { names: ["shift+ArrowLeft"], shown: ["⇧", "←"], help: "Move the end to the left", act: () => move("end", -1), repeats: true, button: "end-left" },
  { names: ["shift+ArrowRight"], shown: ["⇧", "→"], help: "Move the end to the right", act: () => move("end", 1), repeats: true, button: "end-right" },
  { names: ["r"], shown: ["r"], help: "Take the next reading", act: () => card.item && takeNextReading() },
  { names: ["ArrowDown", "j"], shown: ["↓", "j"], help: "Next", act: () => step(1), repeats: true, button: "next" },
  { names: ["ArrowUp", "k"], shown: ["↑", "k"], help: "Previous", act: () => step(-1), repeats: true, button: "previous" },
  { names: ["n"], shown: ["n"], help: "Next one that is not decided", act: () => items.length && goToNextOpen(), button: "next-open" },
  { names: ["o"], shown: ["o"], help: "Show or hide other places with this form", act: () => card.item && toggleOthers(), button: "more" },
  { names: ["v"], shown: ["v"], help: "By form or by place", act: () => setView(view === "form" ? "place" : "form") },
  { names: ["/"], shown: ["/"], help: "Filter by form", act: () => { showSide(true); byId("find").focus(); } },
  { names: ["s"], shown: ["s"], help: "Save the decisions to a file", act: save, button: "save" },
  { names: ["l"], shown: ["l"], help: "Open a file of decisions", act: () => byId("file").click(), button: "open" },
  { names: ["d"], shown: ["d"], help: "Dark or light", act: () => say(toggleTheme()), button: "theme" },
  { names: ["?"], shown: ["?"], help: "All keys", act: () => openHelp(KEYS), button: "help" },
];

for (const { button, act } of KEYS)
  if (button) byId(button).addEventListener("click", act);
byId("by-form").addEventListener("click", () => setView("form"));
byId("by-place").addEventListener("click", () => setView("place"));
byId("whole").addEventListener("click", () => {
  card.isWhole = true;
  drawCard();
});
byId("show-side").addEventListener("click", () =>
  showSide(!document.body.classList.contains("side-shown")));
byId("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  const said = await openDecisions(file);
  event.target.value = "";
  goTo(index);
  list.draw();
  tellAlert(said);
});
byId("text").addEventListener("mouseup", () => {
  const span = selectedSpan(byId("text"), suggestions[card.place].text);
  if (!span) return;
  getSelection().removeAllRanges();
  changeDraft(span);
});
// Another window of the same page has decided something.
addEventListener("storage", (event) => {
  if (!event.key?.startsWith(STORE)) return;
  startLog(readStoredLog());
  refilter();
});
setUpKeys(KEYS);
setUpFilters(refilter);

for (const entry of toEntries(page.decisions)) {
  given.push(entry);
  apply(entry);
}
startLog(readStoredLog());
// What was drawn at random is judged one by one, in its order.
if (page.isDrawn) chooseView("place");
filterItems();
const firstOpen = items.findIndex((item) => !isDecided(item));
goTo(Math.max(0, firstOpen));
focusCard();
