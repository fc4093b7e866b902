// Decisions saved to a file, and read from one.
function toLine(record) {
  // Some programs take these for the end of a line.
  return `${JSON.stringify(record)}\n`.replace(/[\u0085\u2028\u2029]/g, (character) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function saveDecisions() {
  const records = toRecords();
  const lines = records.map(toLine);
  const url = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  const link = make("a", { href: url, download: "decisions.jsonl" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  noteSaved();
  return records.length;
}

// Returns what there is to say about a file that was opened.
async function openDecisions(file) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return `${file.name} is not a text file in UTF-8.`;
  }
  const records = [];
  const bad = [];
  text.split(/\r\n|\n|\r/).forEach((line, i) => {
    if (!line.trim()) return;
    try {
      records.push([i + 1, JSON.parse(line)]);
    } catch {
      bad.push(i + 1);
    }
  });
  const entries = toEntries(records.map(([, record]) => record));
  entries.forEach((entry, i) => {
    if (entry === null) bad.push(records[i][0]);
  });
  const sound = entries.filter((entry) => entry !== null);
  const batch = Date.now();
  addEntries(sound.map((entry) => ({ ...entry, batch })));
  const foreign = sound.filter((entry) => entry.raw).length;
  const parts = [`${countOf(sound.length, "decision")} read from ${file.name}`];
  if (foreign)
    parts.push(`${format(foreign)} of them are about other suggestions and are kept as they are`);
  if (bad.length) {
    bad.sort((a, b) => a - b);
    const more = bad.length > 5 ? " and others" : "";
    parts.push(`${countOf(bad.length, "line")} without a decision left out: line ${bad.slice(0, 5).join(", ")}${more}`);
  }
  return `${parts.join("; ")}.`;
}
