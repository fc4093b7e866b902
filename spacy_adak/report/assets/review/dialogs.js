// The choice of a type, and the list of keys.
function allLabels() {
  return [...colors.keys()];
}

function setUpTypeDialog(onChoose) {
  const dialog = byId("type-dialog");
  const name = byId("type-name");
  const choose = (label) => {
    dialog.close();
    if (!colors.has(label)) colors.set(label, "#ddd");
    onChoose(label);
  };
  const fitting = () => {
    const asked = name.value.trim().toLowerCase();
    return allLabels().filter((label) => label.toLowerCase().includes(asked));
  };
  const draw = () => {
    const buttons = fitting().map((label) => {
      const place = allLabels().indexOf(label) + 1;
      const key = place <= 9 ? [make("kbd", {}, String(place))] : [];
      const button = make("button", { type: "button", class: "button" }, make("bdi", {}, label), ...key);
      button.style.setProperty("--label-color", colorOf(label));
      button.addEventListener("click", () => choose(label));
      return button;
    });
    byId("type-list").replaceChildren(...buttons);
  };
  name.addEventListener("input", draw);
  name.addEventListener("keydown", (event) => {
    if (/^[1-9]$/.test(event.key) && !name.value && allLabels()[event.key - 1]) {
      event.preventDefault();
      choose(allLabels()[event.key - 1]);
    }
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    const asked = name.value.trim();
    const exact = allLabels().includes(asked) ? asked : fitting()[0] ?? asked;
    if (exact) choose(exact);
  });
  return () => {
    name.value = "";
    draw();
    dialog.showModal();
    name.focus();
  };
}

function openHelp(keys) {
  byId("key-list").replaceChildren(...keys.flatMap(({ shown, help }) => [
    make("dt", {}, ...shown.map((key) => make("kbd", {}, key))),
    make("dd", {}, help),
  ]));
  byId("help-dialog").showModal();
  byId("help-title").focus();
}
