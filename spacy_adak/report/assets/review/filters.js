// Which suggestions are shown.
const filters = { find: "", kind: "", state: "", low: 0, high: 1, hidden: new Set() };

function filteredGroups() {
  return groups.filter((group) => fits(group, group, answerOfForm(group.id)));
}

function filteredPlaces() {
  return suggestions.filter((place) =>
    fits(place, groups[place.group], decisionAt(place.id)?.answer ?? null));
}

function fits(item, group, answer) {
  return (
    (!filters.find || group.searched.includes(filters.find))
    && (!filters.kind || item.kind === filters.kind)
    && !filters.hidden.has(item.label)
    && item.score >= filters.low && item.score <= filters.high
    && (!filters.state || (answer ?? "open") === filters.state)
  );
}

function isFiltered() {
  const { find, kind, state, low, high, hidden } = filters;
  return !!(find || kind || state || low > 0 || high < 1 || hidden.size);
}

function setUpFilters(onChange) {
  const byId = (id) => document.getElementById(id);
  const suggested = [...new Set(groups.map((group) => group.label))].sort();
  for (const label of suggested) {
    const box = make("input", { type: "checkbox" });
    box.checked = true;
    box.addEventListener("change", () => {
      if (box.checked) filters.hidden.delete(label);
      else filters.hidden.add(label);
      onChange();
    });
    const name = make("label", { class: "type" }, box, make("bdi", {}, label));
    name.style.setProperty("--label-color", colorOf(label));
    byId("types").append(name);
  }
  const read = () => {
    filters.find = byId("find").value.trim().toLowerCase();
    filters.kind = byId("kind").value;
    filters.state = byId("state").value;
    const share = (id, empty) => (byId(id).value === "" ? empty : Number(byId(id).value) / 100);
    filters.low = share("lowest", 0);
    filters.high = share("highest", 1);
    onChange();
  };
  byId("filters").addEventListener("input", (event) => {
    if (event.target.type !== "checkbox") read();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("clear").addEventListener("click", () => {
    byId("filters").reset();
    filters.hidden.clear();
    read();
  });
}
