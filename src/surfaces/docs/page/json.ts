import { escaped, type Html, raw } from './html.ts';

const PARTS = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?/g;

/** A value as indented, highlighted JSON. */
export function shownJson(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  let shown = '';
  let end = 0;
  for (const found of text.matchAll(PARTS)) {
    const [part, string, colon, word] = found;
    shown += escaped(text.slice(end, found.index));
    end = found.index + part.length;
    if (string !== undefined) {
      shown += `<span class="${colon === undefined ? 'text' : 'key'}">${escaped(string)}</span>${colon ?? ''}`;
    } else shown += `<span class="${word === undefined ? 'number' : 'word'}">${part}</span>`;
  }
  return raw(shown + escaped(text.slice(end)));
}
