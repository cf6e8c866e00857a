import { expect, test } from 'vitest';
import type { Page } from '../../../src/resolver/literals/arena.ts';
import {
  hasKey,
  hasPlainTarget,
  hasWindow,
  matchPlainEntry,
  nextInChain,
  readEntry,
  readTarget,
  sizeOf,
  writeEntry,
} from '../../../src/resolver/literals/entries.ts';

const rule = { id: 300, key: '/old', isRegex: false, newPath: '/new', statusCode: 301 };

test.each([
  ['a plain target', rule, undefined],
  ['no target', { ...rule, newPath: null, statusCode: 410 }, undefined],
  ['the largest id', { ...rule, id: Number.MAX_SAFE_INTEGER }, undefined],
  ['a non-ASCII target', { ...rule, newPath: 'https://example.com/ä€😀' }, undefined],
  ['a link to the next entry', rule, 4_000_000_000],
  ['a window', { ...rule, window: { from: 1, until: 253_402_300_799_999 } }, undefined],
  ['a window without end, and a link', { ...rule, window: { from: 253_402_300_799_998, until: null } }, 4_000_000_000],
  ['a window without start', { ...rule, window: { from: null, until: 1 } }, undefined],
])('an entry with %s is read as it was written', (_, written, next) => {
  const pages: Page[] = [];
  const reference = writeEntry(pages, 1, written, next);
  expect(readEntry(pages, reference)).toEqual(written);
  expect(readTarget(pages, reference)).toBe(written.newPath);
  expect([hasKey(pages, reference, '/old'), hasKey(pages, reference, '/odd')]).toEqual([true, false]);
  expect(sizeOf(pages, reference)).toBe((pages[0]?.used ?? 0) - reference);
  if (next !== undefined) expect(nextInChain(pages, reference)).toBe(next);
});

test.each([
  ['/new', true],
  ['/new?a=1', false],
  ['/new#a', false],
  ['//host', false],
  ['/a b', false],
  ['/%7e', false],
  ['https://example.com/', false],
])('the target %s is plain: %s', (newPath, expected) => {
  const pages: Page[] = [];
  expect(hasPlainTarget(pages, writeEntry(pages, 1, { ...rule, newPath }, undefined))).toBe(expected);
});

test('the fast match is the Location unchanged, and not a redirect to itself', () => {
  const pages: Page[] = [];
  const reference = writeEntry(pages, 1, rule, undefined);
  const match = { id: 300, key: '/old', statusCode: 301, location: '/new', isRegex: false, kind: 'exact' };
  expect(matchPlainEntry(pages, reference, '/old', '/old')).toEqual(match);
  expect(matchPlainEntry(pages, reference, '/old', '/new')).toBeUndefined();
  const scheduled = writeEntry(pages, 1, { ...rule, window: { from: 1, until: 2 } }, undefined);
  expect(matchPlainEntry(pages, scheduled, '/old', '/old')).toBeUndefined();
  expect([hasWindow(pages, reference), hasWindow(pages, scheduled)]).toEqual([false, true]);
});
