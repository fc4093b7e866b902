// What is suggested. Offsets are code points; those of JavaScript are UTF-16 units.
const page = JSON.parse(document.getElementById("data").textContent);
const { texts, groups, suggestions } = readPage(page);
const colors = new Map(page.labels.map((label, i) => [label, page.colors[i]]));

function readPage({ labels, texts, suggestions: rows, groups: groupRows }) {
  const readSpan = ([start, end, label]) => ({ start, end, label: labels[label] });
  const suggestions = rows.map(([text, start, end, label, kind, score, line, readings], id) => ({
    id, text, start, end, label: labels[label], kind, score, line, group: -1,
    readings: readings.map(([probability, spans]) => ({ probability, spans: spans.map(readSpan) })),
  }));
  const groups = groupRows.map(([form, label, kind, value, found, marked, outside, members], id) => {
    for (const member of members) suggestions[member].group = id;
    return {
      id, form, label: labels[label], kind, value, found, marked, outside, members,
      score: suggestions[members[0]].score, searched: form.toLowerCase(),
    };
  });
  return { texts, groups, suggestions };
}

function annotatedIn(textId) {
  return page.annotated[textId].map(([start, end, label]) => ({
    start, end, label: page.labels[label],
  }));
}

function colorOf(label) {
  return colors.get(label) ?? "#ddd";
}

// Where each code point of a text begins, in units; null if they are the same.
const unitTables = new Map();
function unitTable(textId) {
  if (!unitTables.has(textId)) {
    const text = texts[textId];
    let table = null;
    if (/[\ud800-\udbff][\udc00-\udfff]/.test(text)) {
      table = [0];
      for (const point of text) table.push(table[table.length - 1] + point.length);
    }
    unitTables.set(textId, table);
  }
  return unitTables.get(textId);
}

function toUnit(textId, point) {
  const table = unitTable(textId);
  return table ? table[point] : point;
}

// The code point that a unit belongs to.
function toPoint(textId, unit) {
  const table = unitTable(textId);
  if (!table) return unit;
  let low = 0;
  let high = table.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (table[middle] <= unit) low = middle;
    else high = middle - 1;
  }
  return low;
}

function sliceText(textId, start, end) {
  return texts[textId].slice(toUnit(textId, start), toUnit(textId, end));
}
