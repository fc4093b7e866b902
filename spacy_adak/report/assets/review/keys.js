// Keys, by what is on them. Where the keyboard writes another script, a letter is the
// one at its place.
function nameOfKey({ key, code, shiftKey }) {
  let name = key;
  if (/^[^\x00-\x7f]$/.test(key) && /^Key[A-Z]$/.test(code)) name = code[3];
  const isShifted = shiftKey && (/^[a-z]$/i.test(name) || name.startsWith("Arrow"));
  return `${isShifted ? "shift+" : ""}${name.length === 1 ? name.toLowerCase() : name}`;
}

function setUpKeys(keys) {
  const actions = new Map(keys.flatMap((key) => key.names.map((name) => [name, key])));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    const { target } = event;
    const isWritten = target.matches("select, input:not([type=checkbox])");
    if (isWritten) {
      if (event.key === "Escape" || event.key === "Enter") {
        event.preventDefault();  // or Escape would empty the field
        focusCard();
      }
      return;
    }
    const name = nameOfKey(event);
    if (name === " " && target.matches("button, input")) return;
    const key = actions.get(name);
    if (!key || (event.repeat && !key.repeats)) {
      if (key) event.preventDefault();
      return;
    }
    event.preventDefault();
    key.act(event);
  });
  // A click must not leave the focus where the space bar would press a button.
  document.addEventListener("click", (event) => {
    const isPointer = event.detail > 0;
    if (isPointer && event.target.closest("button, input[type=checkbox], [role=option]") && !document.querySelector("dialog[open]"))
      focusCard();
  });
}

function focusCard() {
  byId("card").focus({ preventScroll: true });
}
