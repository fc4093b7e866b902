// How far the review is, and how fast it goes.
const RECENT = 30;

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function secondsEach() {
  const recent = log.filter((entry) => !entry.batch && entry.seconds !== undefined).slice(-RECENT);
  return recent.length < 3 ? null : Math.max(0.1, median(recent.map((entry) => entry.seconds)));
}

function describeTime(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function describeProgress(view) {
  const total = view === "form" ? groups.length : suggestions.length;
  const done = view === "form" ? decided.forms : decided.places;
  const parts = [`${format(done)} of ${countOf(total, view)}`];
  if (view === "form" && totalValue > 0)
    parts.push(`${Math.round((100 * decided.value) / totalValue)} % of the value`);
  const each = secondsEach();
  if (each !== null) {
    parts.push(`${Math.round(60 / each)} a minute`);
    if (done < total) parts.push(`${describeTime((total - done) * each)} left`);
  }
  return { share: total ? done / total : 1, text: parts.join(" · ") };
}

function countOf(number, noun) {
  return `${format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

function format(number) {
  return number.toLocaleString("en");
}

function percent(share) {
  const value = 100 * share;
  return `${value > 0 && value < 1 ? "<1" : value < 100 && value > 99 ? ">99" : Math.round(value)} %`;
}
