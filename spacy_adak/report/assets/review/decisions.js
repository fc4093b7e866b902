// What was decided: a log, of which the latest entry about a thing counts. The key of a
// thing is "f" and the number of a form, "p" and that of a place, or "r" and what the
// decision itself says if nothing like it is suggested here.
const ANSWERS = ["accept", "reject", "ignore"];
const given = [];
const log = [];
const stacks = new Map();
const decided = { forms: 0, places: 0, value: 0 };
const placesDecidedOf = new Int32Array(groups.length);
const totalValue = groups.reduce((sum, group) => sum + group.value, 0);

function latest(key) {
  const stack = stacks.get(key);
  return stack && stack[stack.length - 1];
}

function decisionOnForm(group) {
  return latest(`f${group}`);
}

function decisionOnPlace(place) {
  return latest(`p${place}`);
}

// What holds at a place: what was decided there, else about its form.
function decisionAt(place) {
  return decisionOnPlace(place) ?? decisionOnForm(suggestions[place].group);
}

function isFormDecided(group) {
  return !!decisionOnForm(group) || placesDecidedOf[group] === groups[group].members.length;
}

// What to show of a form: its own decision, else that of its places if all agree.
function answerOfForm(group) {
  const own = decisionOnForm(group);
  if (own) return own.answer;
  if (!isFormDecided(group)) return null;
  const answers = new Set(groups[group].members.map((place) => decisionOnPlace(place).answer));
  return answers.size === 1 ? [...answers][0] : "mixed";
}

function apply(entry) {
  count(entry.key, () => {
    if (!stacks.has(entry.key)) stacks.set(entry.key, []);
    stacks.get(entry.key).push(entry);
  });
}

function unapply(entry) {
  count(entry.key, () => {
    const stack = stacks.get(entry.key);
    stack.pop();
    if (!stack.length) stacks.delete(entry.key);
  });
}

// Keep the numbers of what is decided while an entry comes or goes.
function count(key, change) {
  const id = Number(key.slice(1));
  const group = key[0] === "f" ? id : key[0] === "p" ? suggestions[id].group : null;
  if (group === null) return change();
  const add = (sign) => {
    const form = isFormDecided(group);
    decided.forms += sign * form;
    decided.value += sign * form * groups[group].value;
    decided.places +=
      sign * (decisionOnForm(group) ? groups[group].members.length : placesDecidedOf[group]);
  };
  add(-1);
  const before = stacks.has(key);
  change();
  if (key[0] === "p") placesDecidedOf[group] += stacks.has(key) - before;
  add(1);
}

function addEntries(entries) {
  for (const entry of entries) {
    log.push(entry);
    apply(entry);
  }
  storeLog(log.length - entries.length);
}

// Take back the last decision, or all of a file that was opened.
function takeBack() {
  const last = log[log.length - 1];
  if (!last) return [];
  const undone = [];
  do {
    undone.push(log.pop());
    unapply(undone[undone.length - 1]);
  } while (last.batch && log.length && log[log.length - 1].batch === last.batch);
  storeLog(log.length);
  return undone;
}

function startLog(entries) {
  while (log.length) unapply(log.pop());
  for (const entry of entries) {
    log.push(entry);
    apply(entry);
  }
}

// All that counts, as it is saved: the last decision on each thing, in their order.
function toRecords() {
  const all = [...given, ...log];
  return all.filter((entry) => latest(entry.key) === entry).map(toRecord);
}

function toRecord(entry) {
  if (entry.raw) return entry.raw;
  const id = Number(entry.key.slice(1));
  const seconds = entry.seconds === undefined ? {} : { seconds: entry.seconds };
  if (entry.key[0] === "f") {
    const { form, label, kind } = groups[id];
    const record = { scope: "form", answer: entry.answer, form, label: entry.label ?? label, kind };
    if (record.label !== label) record.suggested = { label };
    return { ...record, ...seconds };
  }
  const { text, start, end, label, kind, group } = suggestions[id];
  const record = {
    scope: "place", answer: entry.answer, text: texts[text],
    start: entry.start ?? start, end: entry.end ?? end, label: entry.label ?? label,
    form: groups[group].form, kind,
  };
  const hasMoved = record.start !== start || record.end !== end;
  if (hasMoved) record.form = sliceText(text, record.start, record.end);
  if (hasMoved || record.label !== label) record.suggested = { start, end, label };
  return { ...record, ...seconds };
}

// Entries for decisions that were saved. What is none has the value null.
function toEntries(records) {
  const forms = new Map(groups.map((g) => [JSON.stringify([g.form, g.label, g.kind]), g.id]));
  const textIds = new Map(texts.map((text, id) => [text, id]));
  const placeKey = (p) => `${p.text} ${p.start} ${p.end} ${p.kind} ${p.label}`;
  const places = new Map(suggestions.map((place) => [placeKey(place), place.id]));
  return records.map((record) => {
    if (!isDecision(record)) return null;
    const { answer, seconds, suggested = {}, kind = "missed" } = record;
    const was = { label: record.label, start: record.start, end: record.end, ...suggested };
    const id = record.scope === "form"
      ? forms.get(JSON.stringify([record.form, was.label, kind]))
      : places.get(placeKey({ ...was, kind, text: textIds.get(record.text) }));
    if (id === undefined) {
      const what = [record.scope, record.text, was.start, was.end, record.form, was.label, kind];
      return { key: `r${JSON.stringify(what)}`, answer, seconds, raw: record };
    }
    const entry = { key: `${record.scope[0]}${id}`, answer, seconds };
    for (const name of ["label", "start", "end"])
      if (suggested[name] !== undefined) entry[name] = record[name];
    return entry;
  });
}

function isDecision(record) {
  const isText = (value) => typeof value === "string" && value !== "";
  if (typeof record !== "object" || record === null) return false;
  const { scope, answer, form, label, kind = "missed", suggested = {} } = record;
  if (!ANSWERS.includes(answer) || !isText(form) || !isText(label)) return false;
  if (kind !== "missed" && kind !== "doubtful") return false;
  if (typeof suggested !== "object" || suggested === null) return false;
  if (scope === "form") return true;
  const { text, start, end } = record;
  if (scope !== "place" || !isText(text)) return false;
  return Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start < end;
}
