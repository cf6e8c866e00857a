import { expect, test } from 'vitest';
import { createPageMemory, openPage, type Page, references } from '../../../src/resolver/literals/arena.ts';
import {
  hasKey,
  hasPlainTarget,
  hasWindow,
  matchPlainEntry,
  nextInChain,
  readEntry,
  readKey,
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

/** Pages of which the second has a dictionary. */
function pagesWithDictionary(): Page[] {
  const pages: Page[] = [];
  for (let i = 0; pages.length < 2; i++)
    writeEntry(pages, 1, { ...rule, key: `/news/2024/story-${i}`, newPath: `/en/news/archive/story-${i}` }, undefined);
  return pages;
}

test.each([
  ['like those of the page before', { ...rule, key: '/news/2024/story-7777', newPath: '/en/news/archive/story-7777' }],
  ['without a byte of the dictionary', { ...rule, key: '/ÜÜ'.replaceAll('Ü', '%C3%9C'), newPath: '/q?Z=~!$' }],
  ['with a non-ASCII target', { ...rule, key: '/news/2024/a', newPath: 'https://example.com/news/archive/ä€😀' }],
  ['without a target', { ...rule, key: '/news/2024/gone', newPath: null, statusCode: 410 }],
  ['with a window', { ...rule, key: '/news/2024/w', window: { from: 1, until: 253_402_300_799_999 } }],
  ['of 60,000 characters', { ...rule, key: `/${'news/'.repeat(400)}`, newPath: `/${'~a'.repeat(30_000)}` }],
])('an entry %s is read from a page with a dictionary as it was written', (_, written) => {
  const pages = pagesWithDictionary();
  const before = pages[1]?.used ?? 0;
  const reference = writeEntry(pages, 1, written, 77);
  expect(readEntry(pages, reference)).toEqual(written);
  expect([readKey(pages, reference), readTarget(pages, reference)]).toEqual([written.key, written.newPath]);
  expect(hasKey(pages, reference, written.key)).toBe(true);
  expect(hasKey(pages, reference, `${written.key}x`)).toBe(false);
  expect(hasKey(pages, reference, written.key.slice(0, -1))).toBe(false);
  expect(sizeOf(pages, reference)).toBe((pages[1]?.used ?? 0) - before);
  expect(nextInChain(pages, reference)).toBe(77);
});

test('a dictionary saves two fifths of an entry and more if the rules look alike', () => {
  const like = { ...rule, key: '/news/2024/story-7777', newPath: '/en/news/archive/story-7777' };
  const pages = pagesWithDictionary();
  const packed = sizeOf(pages, writeEntry(pages, 1, like, undefined));
  const alone: Page[] = [];
  expect(packed).toBeLessThan(0.6 * sizeOf(alone, writeEntry(alone, 1, like, undefined)));
});

test('a later page without a dictionary is read, as in files of former versions', () => {
  const pages: Page[] = [];
  const size = sizeOf(pages, writeEntry(pages, 1, rule, undefined));
  const former = openPage(createPageMemory(8 + size), 8 + size);
  former.bytes.set(pages[0]?.bytes.subarray(8, 8 + size) ?? [], 8);
  pages.push(former);
  const reference = 2 ** 20 + 8;
  expect([...references(pages, (at) => sizeOf(pages, at))]).toEqual([8, reference]);
  expect(readEntry(pages, reference)).toEqual(rule);
});
