/** A text with the parts marked that a search matched, ignoring case. */
export function Marked({ text, search }: { text: string; search: string }) {
  return markedParts(text, search).map(({ part, isMatch }, at) => (isMatch ? <mark key={at}>{part}</mark> : part));
}

/** The whole search if the text has it, otherwise each of its words. */
export function markedParts(text: string, search: string): { part: string; isMatch: boolean }[] {
  const whole = search.trim();
  const words = whole.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return [{ part: text, isMatch: false }];
  const hasWhole = pattern([whole]).test(text);
  const wanted = pattern(hasWhole ? [whole] : words);
  return text
    .split(wanted)
    .map((part, at) => ({ part, isMatch: at % 2 === 1 }))
    .filter(({ part }) => part !== '');
}

const pattern = (words: string[]): RegExp =>
  new RegExp(`(${words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`, 'i');
