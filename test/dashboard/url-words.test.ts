import { expect, test } from 'vitest';
import type { PushedUrls, WebsiteUrl } from '../../dashboard/src/api/client/wire.ts';
import {
  lossText,
  pushLines,
  removedQuestion,
  stateText,
  untilText,
  versionText,
  weightText,
  wholeFolder,
} from '../../dashboard/src/screens/urls/url-words.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');

const url = (fields: Partial<WebsiteUrl>): WebsiteUrl => ({
  id: '1',
  url: '/a',
  raw_url: '/a',
  state: 'living',
  answered: 'living',
  redirect_id: null,
  reason: null,
  ends_at: null,
  title: null,
  description: null,
  headline: null,
  lists: [],
  sources: [],
  first_seen_at: '2026-11-01T00:00:00Z',
  last_seen_at: '2026-11-01T00:00:00Z',
  removed_at: null,
  clicks: null,
  links: null,
  hits: null,
  bot_hits: null,
  assistant_hits: null,
  weight: 0,
  ...fields,
});

test('a lost URL with a redirect says where it ends', () => {
  const lost = url({ answered: 'lost', redirect_id: '7' });
  expect(lossText({ ...lost, reason: 'loop' })).toBe('Its redirects loop');
  expect(lossText({ ...lost, reason: 'dead_end', ends_at: '/z' })).toBe('Its redirects end at /z, which is lost');
  expect([lossText(url({ answered: 'lost' })), lossText(url({ answered: 'gone', redirect_id: '7' }))]).toEqual([
    '',
    '',
  ]);
});

const pushed = (urls: Partial<PushedUrls['urls']>, more: Partial<PushedUrls> = {}): PushedUrls => ({
  urls: {
    total: 0,
    added: 0,
    revived: 0,
    removed: 0,
    unchanged: 0,
    merged: 0,
    ignored: 0,
    invalid: 0,
    not_living: 0,
    ...urls,
  },
  list_version: 1,
  merged_examples: [],
  merged_parameters: [],
  ignored_hosts: [],
  invalid_examples: [],
  ...more,
});

test.each([
  ['Living, in blog, docs and main', url({ lists: ['blog', 'docs', 'main'] })],
  ['Removed 2 hr ago', url({ state: 'removed', removed_at: '2026-11-27T10:00:00Z' })],
  ['Known from former redirects and visitors', url({ state: 'known', sources: ['redirect', 'visitors'] })],
])('a state in words: %s', (text, row) => expect(stateText(row, NOW)).toBe(text));

test('a weight names only the numbers that count', () => {
  expect(weightText({ links: 1, clicks: 1_200, hits: 0 })).toBe('1 link, 1,200 clicks');
  expect(weightText({ links: null, clicks: null, hits: null })).toBe('');
});

test('the effect of a push says what changes, and which rows do not count', () => {
  const result = pushed(
    { total: 12, added: 4, revived: 1, unchanged: 7, merged: 2, ignored: 3, invalid: 1, not_living: 5 },
    {
      merged_examples: ['/a'],
      merged_parameters: ['ref', 'utm_source'],
      ignored_hosts: [
        { host: 'cdn.example.com', rows: 2, reason: 'other_host' },
        { host: 'old.example.com', rows: 1, reason: 'domain_redirect' },
      ],
      invalid_examples: [{ line: 4, value: 'http://[', code: 'VALIDATION_ERROR' }],
    },
  );
  expect(pushLines(result)).toEqual([
    { text: '12 living URLs: 4 added, 1 living again, 7 unchanged.', details: [] },
    { text: '2 rows merged with an earlier one of the same URL, without ref and utm_source.', details: ['/a'] },
    {
      text: '3 rows ignored, on other hosts.',
      details: ['cdn.example.com: 2 rows, not a host of the website', 'old.example.com: 1 row, redirects as a whole'],
    },
    { text: '1 invalid row, left out.', details: ['Line 4: http://['] },
    { text: '5 pages not living: noindex, another canonical, or another status than 200.', details: [] },
  ]);
  expect(pushLines(pushed({ total: 1, added: 1 }))).toHaveLength(1);
  const [first] = pushLines(pushed({ total: 1, removed: 1 }));
  expect(first).toEqual({ text: '1 removed: lost unless a redirect answers it.', details: [], isWarning: true });
});

test('a push asks before more leaves the list than the service allows by default', () => {
  expect(removedQuestion(pushed({ total: 10, removed: 10, unchanged: 10 }))).toBeUndefined();
  expect(removedQuestion(pushed({ total: 900, removed: 100, unchanged: 900 }))).toBeUndefined();
  expect(removedQuestion(pushed({ total: 899, removed: 101, unchanged: 899 }))).toBe(
    'The file is complete: remove 101 of 1,000 URLs from the list',
  );
  // A list without living URLs always asks.
  expect(removedQuestion(pushed({ total: 0, removed: 1 }))).toBe(
    'The file is complete: remove all 1 URL from the list',
  );
});

test('a version and an end in words', () => {
  expect(versionText({ total: 120, added: 4, removed: 0 })).toBe('120 URLs, 4 added');
  expect(versionText({ total: 1, added: 0, removed: 2 })).toBe('1 URL, 2 removed');
  expect(untilText(null)).toBe('Without end');
  expect(untilText('2027-01-02T10:00:00Z', NOW)).toMatch(/^Until .*2027/);
  expect(untilText('2026-01-02T10:00:00Z', NOW)).toMatch(/^Ended .*2026/);
});

test('selected URLs are a folder if they share one that has no other listed URL', () => {
  const listed = ['/old/a', '/old/b/c', '/old/b/d', '/older', '/x?q=/y/1', '/x?q=/y/2', '/z/*/1', '/z/*/2', '/top'];
  const folder = (...selected: string[]) => wholeFolder(selected, listed);
  expect(folder('/old/b/d', '/old/b/c')).toBe('/old/b/');
  expect(folder('/old/a', '/old/b/c', '/old/b/d')).toBe('/old/');
  expect(folder('/old/a', '/old/b/c')).toBeUndefined();
  expect(folder('/old/a')).toBeUndefined();
  expect(folder(...listed)).toBeUndefined();
  expect(folder('/x?q=/y/1', '/x?q=/y/2')).toBeUndefined();
  expect(folder('/z/*/1', '/z/*/2')).toBeUndefined();
});
