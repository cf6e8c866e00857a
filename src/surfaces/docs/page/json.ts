import { escaped, type Html, raw } from './html.ts';

/** Strings, with the colon after a key, and other literals. Quotes are escaped already. */
const PARTS = /(&quot;(?:\\.|[^\\])*?&quot;)(:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g;

/** A value as indented, highlighted JSON. */
export function shownJson(value: unknown): Html {
  const text = escaped(JSON.stringify(value, null, 2));
  return raw(
    text.replace(PARTS, (part, string?: string, colon?: string) => {
      if (string === undefined) return `<span class="literal">${part}</span>`;
      return `<span class="${colon ? 'key' : 'text'}">${string}</span>${colon ?? ''}`;
    }),
  );
}
