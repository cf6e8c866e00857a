import { describe, expect, test } from 'vitest';
import { jsonEntries } from '../../../src/cli/sync/json-entries.ts';

/** The entries of a text that arrives in chunks of `size` characters; the last element says whether it has a list. */
async function read(text: string, size: number): Promise<unknown[]> {
  async function* chunks(): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
  }
  const entries = jsonEntries(chunks(), 'redirects');
  const found: unknown[] = [];
  for (;;) {
    const { done, value } = await entries.next();
    if (done) return [...found, value];
    expect(value).toMatch(/^[^\n]+\n$/);
    found.push(JSON.parse(String(value)));
  }
}

const ENTRIES = [
  { old_path: '/a', new_path: '/[b],{c}"\\' },
  { nested: [1, { redirects: [2] }], text: 'é\n\u2028' },
  [],
  'x',
  null,
];
const OBJECT = { version: 'redirects', other: { redirects: [1] }, list: [7], redirects: ENTRIES, total: 3, last: [8] };

describe.each([1, 2, 3, 7, 64, 10_000])('in chunks of %i', (size) => {
  test.each([undefined, 2])('the entries are those of the list, with an indent of %s', async (indent) => {
    expect(await read(JSON.stringify(ENTRIES, null, indent), size)).toEqual([...ENTRIES, true]);
    expect(await read(JSON.stringify(OBJECT, null, indent), size)).toEqual([...ENTRIES, true]);
  });

  test.each(['[]', ' [ ] ', '{"redirects": []}'])('%j has no entry', async (text) => {
    expect(await read(text, size)).toEqual([true]);
  });

  test.each(['{}', '7', '{"other": [1]}', '{"a": {"redirects": [1]}}'])('%j has no list', async (text) => {
    expect(await read(text, size)).toEqual([false]);
  });

  test.each(['[1,]', '[1,,2]', '[1', '{"redirects": [1]', '[1}', '["a]', '[{]', ']'])('%j is invalid', async (text) => {
    await expect(read(text, size)).rejects.toThrow(SyntaxError);
  });
});
