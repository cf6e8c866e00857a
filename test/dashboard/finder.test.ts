/** The finder before it requests anything: pasted URLs, places, marked matches. */
import { describe, expect, test } from 'vitest';
import type { Website } from '../../dashboard/src/api/client/wire.ts';
import { askedUrl } from '../../dashboard/src/asked-url.ts';
import { filterNames, placesFor } from '../../dashboard/src/frame/finder/places.ts';
import { excerptOf, markedParts, partsBetween } from '../../dashboard/src/ui/text/marked.tsx';

const website = (id: number, name: string, hosts: [hostname: string, environment: string][]) =>
  ({ id, name, hosts: hosts.map(([hostname, environment]) => ({ hostname, environment })) }) as unknown as Website;
const shop = website(1, 'Shop', [
  ['shop.example.com', 'production'],
  ['staging.example.com', 'staging'],
]);
const rest = website(2, 'All others', [
  ['*.example.com', 'production'],
  ['xn--trn-ioa.example', 'production'],
]);
const asked = (text: string) => {
  const { website: found, path, environment, hostname } = askedUrl(text, [shop, rest], shop) ?? {};
  return [path, hostname, found?.name, environment];
};

describe('a URL or path', () => {
  test.each([
    ['/old?x=1#top', ['/old?x=1', undefined, 'Shop', 'production']],
    ['https://shop.example.com/a/b?x=1#top', ['/a/b?x=1', 'shop.example.com', 'Shop', 'production']],
    ['HTTPS://Shop.Example.com:8443', ['/', 'shop.example.com', 'Shop', 'production']],
    ['http://me:secret@staging.example.com/a', ['/a', 'staging.example.com', 'Shop', 'staging']],
    ['shop.example.com/a', ['/a', 'shop.example.com', 'Shop', 'production']],
    ['https://deep.other.example.com/a', ['/a', 'deep.other.example.com', 'All others', 'production']],
    ['https://trün.example/ü', ['/ü', 'xn--trn-ioa.example', 'All others', 'production']],
    ['https://elsewhere.org?x', ['/?x', 'elsewhere.org', undefined, 'production']],
  ])('%s is found', (text, expected) => {
    expect(asked(text)).toEqual(expected);
  });

  test.each(['boots', 'red boots', '//elsewhere.org/a', 'example.com', '/a b', 'https://', 'https://a b/c'])(
    '%j is a text to search for',
    (text) => expect(askedUrl(text, [shop], shop)).toBeUndefined(),
  );
});

describe('places', () => {
  const texts = (text: string, mayEdit = true) =>
    placesFor(text, { websites: [shop, rest], current: shop, mayEdit }).flatMap(({ entries }) =>
      entries.map((entry) => entry.text),
    );

  test('each word of the text begins a word of the name, or of other words for it', () => {
    const reviews = ['production', 'staging'].map((each) => `Review and deploy to ${each}`);
    expect(texts('dep')).toEqual(['Deployments', ...reviews]);
    expect(texts('deploy stag')).toEqual(['Review and deploy to staging']);
    expect(texts('dep', false)).toEqual(['Deployments']);
    expect(texts('NEW red')).toEqual(['New redirect']);
    expect(texts('404')).toEqual(['Not found']);
    expect(texts('users')).toEqual(['Account']);
    for (const logs of ['logs', 'access log', 'log nginx']) expect(texts(logs)).toEqual(['Logs']);
    expect(texts('ployments')).toEqual([]);
  });

  test('a filter that is typed is completed', () => {
    expect(texts('boots status:30')).toEqual(['301', '302', '303', '307', '308'].map((each) => `boots status:${each}`));
    expect(texts('boots status:302')).toEqual([]);
    expect(texts('stat')).toEqual(['Analytics']);
  });

  test('the names of filters that a word begins are offered', () => {
    const names = (text: string) => filterNames(text).flatMap(({ entries }) => entries.map(({ line }) => line));
    expect(names('sta')).toEqual(['status:']);
    expect(names('boots sta')).toEqual(['boots status:']);
    expect(['s', '/sta', 'sta ', 'status:', 'live:sta'].flatMap(names)).toEqual([]);
  });

  test('websites are found by a part of a host', () => {
    expect(texts('aging.exam')).toEqual(['Shop']);
    expect(texts('all')).toEqual(['All websites', 'All activity', 'All others']);
  });

  test('without a text all screens are listed, and viewers see no actions that they may not use', () => {
    expect(texts('')).toEqual(expect.arrayContaining(['Redirects', 'API keys', 'New redirect', 'All others']));
    expect(texts('', false)).not.toContain('New redirect');
    const places = placesFor('', { websites: [shop], current: shop, mayEdit: false, isOwner: false });
    const names = places.flatMap(({ entries }) => entries.map(({ text }) => text));
    expect(names).toContain('Profile');
    expect(names).not.toContain('API keys');
  });
});

const brackets = (parts: ReturnType<typeof markedParts>): string =>
  parts.map(({ part, isMatch }) => (isMatch ? `[${part}]` : part)).join('');

test.each([
  ['/Red-boots/red', 'red', '/[Red]-boots/[red]'],
  ['/red-boots', 'boots red', '/[red]-[boots]'],
  ['/a red boots/red', 'red boots', '/a [red boots]/red'],
  ['/a.b/axb', 'a.b', '/[a.b]/axb'],
  ['/a', ' ', '/a'],
  // Other spellings of the search that find a redirect.
  ['/türen/alt', '/t%C3%BCren', '[/türen]/alt'],
  ['/a%20b/c', 'a b', '/[a%20b]/c'],
  ['/old/boots', 'https://shop.example.com/old', '[/old]/boots'],
  ['https://shop.example.com/old', 'https://shop.example.com/old', '[https://shop.example.com/old]'],
  ['/مقالات/عنوان', 'مقالات', '/[مقالات]/عنوان'],
])('in %s the search %s marks %s', (text, search, expected) => {
  expect(brackets(markedParts(text, search))).toBe(expected);
});

test('a part of a text keeps its marks', () => {
  const parts = markedParts('/winter/boots', 'er/b');
  expect(brackets(partsBetween(parts, 0, 6))).toBe('/wint[e]');
  expect(brackets(partsBetween(parts, 6, 9))).toBe('[r/b]');
  expect(brackets(partsBetween(parts, 9, 99))).toBe('oots');
  expect(partsBetween(parts, 3, 3)).toEqual([]);
});

test('an excerpt of notes has the match, on one line', () => {
  expect(excerptOf('short\nnote', 'note')).toBe('short note');
  const excerpt = excerptOf(`${'before '.repeat(20)}NEEDLE${' after'.repeat(20)}`, 'needle');
  expect(excerpt).toMatch(/^….*NEEDLE.*…$/);
  expect(excerpt.length).toBeLessThan(100);
});
