// The list of suggestions. Only the rows in sight are in the page.
const ROW_HEIGHT = 44;
const ROWS_BEYOND = 6;
const MARKS = { accept: "✓", reject: "✗", ignore: "∅", mixed: "±" };
const ANSWER_NAMES = { accept: "accepted", reject: "rejected", ignore: "ignored", mixed: "decided by place" };

class SuggestionList {
  constructor(element, onChoose) {
    this.element = element;
    this.rows = element.firstElementChild;
    this.items = [];
    this.index = 0;
    element.addEventListener("scroll", () => this.draw());
    addEventListener("resize", () => this.draw());
    element.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) onChoose(Number(row.dataset.index));
    });
  }

  setItems(items, view) {
    this.items = items;
    this.view = view;
    this.rows.style.height = `${items.length * ROW_HEIGHT}px`;
  }

  choose(index) {
    this.index = index;
    const top = index * ROW_HEIGHT;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + ROW_HEIGHT > scrollTop + clientHeight)
      this.element.scrollTop = top + ROW_HEIGHT - clientHeight;
    this.draw();
  }

  draw() {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - ROWS_BEYOND);
    const last = Math.min(
      this.items.length, Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + ROWS_BEYOND);
    const rows = [];
    for (let i = first; i < last; i += 1) rows.push(this.makeRow(i));
    this.rows.replaceChildren(...rows);
    const isDrawn = first <= this.index && this.index < last;
    if (isDrawn) this.element.setAttribute("aria-activedescendant", `row-${this.index}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  makeRow(index) {
    const item = this.items[index];
    const isForm = this.view === "form";
    const group = isForm ? item : groups[item.group];
    const answer = isForm ? answerOfForm(item.id) : decisionAt(item.id)?.answer ?? null;
    const badge = make("bdi", { class: "badge" }, item.label);
    badge.style.setProperty("--label-color", colorOf(item.label));
    const mark = make("span", { class: `mark ${answer ?? ""}` }, MARKS[answer] ?? "");
    if (answer) mark.setAttribute("aria-label", ANSWER_NAMES[answer]);
    const row = make(
      "div",
      {
        role: "option", id: `row-${index}`, "data-index": index, class: item.kind,
        "aria-selected": index === this.index, "aria-setsize": this.items.length,
        "aria-posinset": index + 1,
      },
      mark,
      make("bdi", { class: "form", title: group.form }, group.form),
      badge,
      make("span", { class: "number" }, isForm ? `×${format(item.members.length)}` : ""),
      make("span", { class: "number" }, percent(item.score)),
    );
    row.style.top = `${index * ROW_HEIGHT}px`;
    return row;
  }
}
