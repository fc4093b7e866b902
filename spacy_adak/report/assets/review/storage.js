// The log in the browser's storage, in pieces: a decision rewrites only the last one.
const STORE = `adak-review:${page.id}:`;
const PER_PIECE = 200;
let unsaved = 0;
let unstoredFrom = Infinity;

function storeLog(from) {
  unsaved += 1;
  unstoredFrom = Math.min(unstoredFrom, from);
  try {
    let piece = Math.floor(unstoredFrom / PER_PIECE);
    for (; piece * PER_PIECE < log.length; piece += 1) {
      const entries = log.slice(piece * PER_PIECE, (piece + 1) * PER_PIECE);
      localStorage.setItem(STORE + piece, JSON.stringify(entries));
    }
    for (; localStorage.getItem(STORE + piece) !== null; piece += 1)
      localStorage.removeItem(STORE + piece);
    localStorage.setItem(`${STORE}unsaved`, unsaved);
    unstoredFrom = Infinity;
    tellAlert("");
  } catch (error) {
    tellAlert(
      `This browser can't keep your decisions (${error.name}): they are lost when the page `
      + "is closed. Save them to a file now, and often.",
    );
  }
}

function readStoredLog() {
  const entries = [];
  try {
    for (let piece = 0; ; piece += 1) {
      const stored = localStorage.getItem(STORE + piece);
      if (stored === null) break;
      entries.push(...JSON.parse(stored));
    }
    unsaved = Number(localStorage.getItem(`${STORE}unsaved`) ?? 0);
  } catch (error) {
    tellAlert(`Can't read the decisions that this browser has kept (${error.name}).`);
  }
  return entries;
}

function noteSaved() {
  unsaved = 0;
  try {
    localStorage.setItem(`${STORE}unsaved`, 0);
  } catch {
    // The decisions are in a file now.
  }
}

function tellAlert(text) {
  const element = document.getElementById("alert");
  element.textContent = text;
  element.hidden = !text;
}

addEventListener("beforeunload", (event) => {
  if (unstoredFrom !== Infinity && unsaved) event.preventDefault();
});
