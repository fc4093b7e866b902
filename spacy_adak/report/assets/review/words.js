// Where entities may begin and end: at words, and in Chinese and Japanese at characters.
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+|\S/gv;

function moveBound(textId, span, side, step) {
  const bounds = [...texts[textId].matchAll(WORD)].map((match) =>
    toPoint(textId, side === "start" ? match.index : match.index + match[0].length));
  const now = span[side];
  const candidates = step < 0
    ? bounds.filter((bound) => bound < now).slice(-1)
    : bounds.filter((bound) => bound > now).slice(0, 1);
  const moved = { ...span, [side]: candidates[0] ?? now };
  return moved.start < moved.end ? moved : span;
}
