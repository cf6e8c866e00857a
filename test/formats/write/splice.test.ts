import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCopyText } from '../../../src/db/copy/copy-text.ts';
import { jsonFormat, ndjsonFormat } from '../../../src/formats/write/json.ts';
import { createRowReader } from '../../../src/redirects/export/rows.ts';
import { createSplicer } from '../../../src/formats/write/splice.ts';

interface Cells {
  id: number;
  oldPath: string;
  newPath: string;
  status: number;
  group: string;
  notes: string;
  rev: number;
}

function copyText(rows: Cells[]): Buffer {
  const text = createCopyText();
  for (const { id, oldPath, newPath, status, group, notes, rev } of rows)
    text.add([id, oldPath, newPath, status, 'f', group, notes, rev, rev, 0, 0, '2026-11-21 10:00:00.5+00']);
  return Buffer.concat(text.take());
}

const path = fc.string({ unit: fc.constantFrom('a', 'Z', '/', '%', '7', 'é', '中', '😀', '-') });
const cells = fc.record({
  id: fc.integer({ min: 1, max: 2 ** 40 }),
  oldPath: path.map((text) => `/${text}`),
  newPath: fc.oneof(
    fc.constant(''),
    path.map((text) => `/${text}`),
  ),
  status: fc.constantFrom(301, 302, 410),
  group: fc.constantFrom('', 'spring', 'größe'),
  notes: fc.constantFrom('', 'a note', "it's"),
  rev: fc.constantFrom(1, 12, 123),
});

test.each([
  ['json', jsonFormat],
  ['ndjson', ndjsonFormat],
])('%s entries of the fast path equal those of the slow path', (_name, format) => {
  const { frame } = format;
  let spliced = 0;
  fc.assert(
    fc.property(fc.array(cells, { minLength: 1, maxLength: 40 }), (batch) => {
      const bytes = copyText(batch);
      const rows = createRowReader()(bytes);
      const splicer = createSplicer(frame);
      expect(splicer.splice(bytes)).toBeUndefined();
      splicer.learn(bytes, (at) => {
        const row = rows[at];
        return row && frame.endOf(row, '2026-11-20T09:00:00Z');
      });
      const entries = rows.map((row) => format.separator + format.entry(row, '2026-11-20T09:00:00Z'));
      const result = splicer.splice(bytes);
      expect(result?.text.toString()).toBe(entries.join(''));
      expect(result?.count).toBe(batch.length);
      spliced += batch.length;
    }),
  );
  expect(spliced).toBeGreaterThan(200);
});

const plain: Cells = { id: 7, oldPath: '/a', newPath: '/b', status: 301, group: '', notes: '', rev: 1 };

test.each([
  ['a quote', { ...plain, newPath: '/say-"hi"' }],
  ['a backslash', { ...plain, newPath: '/back\\slash' }],
  ['a line break in the notes', { ...plain, notes: 'one\ntwo' }],
  ['a target on another host', { ...plain, newPath: 'https://shop.example/b' }],
  ['an end that is not cached', { ...plain, status: 302 }],
])('rows with %s need the slow path', (_what, row) => {
  const { frame } = jsonFormat;
  const splicer = createSplicer(frame);
  splicer.learn(copyText([plain]), () => ',"end":1}');
  expect(splicer.splice(copyText([plain, plain]))?.count).toBe(2);
  expect(splicer.splice(copyText([plain, row, plain]))).toBeUndefined();
  // An abandoned chunk leaves no bytes behind.
  expect(splicer.splice(copyText([plain]))?.text.toString()).toBe(
    ',{"id":"7","old_path":"/a","new_path":"/b","end":1}',
  );
});
