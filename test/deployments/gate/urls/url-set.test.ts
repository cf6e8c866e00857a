import { expect, test } from 'vitest';
import { createUrlSet } from '../../../../src/deployments/gate/urls/url-set.ts';

const TEXTS = ['/a', '/a/', '/a/b', '/ab', '/b', '/A', '/', '/a%20', '/z'];

function setOf(texts: string[]) {
  const urls = createUrlSet();
  for (const text of texts) urls.put(text, 'living', 0);
  return urls;
}

test.each([
  ['ASCII', TEXTS],
  ['any', [...TEXTS, '/é', '/日本', '/𝒳']],
])('%s texts are read, found, and compared as strings are', (_, texts) => {
  const urls = setOf(texts);
  expect(texts.map((_, index) => urls.text(index))).toEqual(texts);
  expect(texts.map((text) => urls.indexOf(text))).toEqual(texts.map((_, index) => index));
  for (const [index, text] of texts.entries())
    for (const other of texts) expect([text, other, urls.isAfter(index, other)]).toEqual([text, other, text > other]);
});

test('texts keep their first weight and their last state, also while the set grows', () => {
  const urls = createUrlSet();
  for (let n = 0; n < 5_000; n++) urls.put(`/page-${n}`, 'known', n);
  urls.put('/page-7', 'removed', 99);
  expect(urls.size).toBe(5_000);
  expect([urls.stateOf('/page-7'), urls.weight(7), urls.stateOf('/page-5000')]).toEqual(['removed', 7, undefined]);
});
