import { expect, test } from 'vitest';
import { fallbackLocation, parseLocation, redirectsToItself } from '../../src/resolver/location.ts';

test.each([
  ['/a?x=1#part', { scheme: undefined, host: undefined, path: '/a', query: 'x=1' }],
  ['/a?', { scheme: undefined, host: undefined, path: '/a', query: '' }],
  ['/a#?x', { scheme: undefined, host: undefined, path: '/a', query: null }],
  ['/a\\..\\b', { scheme: undefined, host: undefined, path: '/b', query: null }],
  ['HTTPS://me@Shop.Example.:443/a', { scheme: 'https', host: 'shop.example', path: '/a', query: null }],
  ['http://shop.example:80', { scheme: 'http', host: 'shop.example', path: '/', query: null }],
  ['https://shop.example:80/a', { scheme: 'https', host: 'shop.example:80', path: '/a', query: null }],
  ['https://shop.example\\a', { scheme: 'https', host: 'shop.example', path: '/a', query: null }],
])('%s is parsed as a browser does', (location, parts) => {
  expect(parseLocation(location)).toEqual(parts);
});

const REQUEST = { path: '/a', query: 'x=1', host: 'shop.example', scheme: 'https' } as const;

test.each([
  ['/a?x=1', true],
  ['/%61?x=1#part', true],
  ['https://shop.example/a?x=1', true],
  ['/b?x=1', false],
  ['/a', false],
  ['/a?x=2', false],
  ['https://other.example/a?x=1', false],
  ['http://shop.example/a?x=1', false],
])('%s repeats its request: %s', (location, expected) => {
  expect(redirectsToItself(location, REQUEST)).toBe(expected);
});

test('the fallback gets the path and query as they were sent, with what a header must not contain escaped', () => {
  expect(fallbackLocation('https://old.example/', '/a%2fB', null)).toBe('https://old.example/a%2fB');
  expect(fallbackLocation('https://old.example/x', '/ü', 'q= 1')).toBe('https://old.example/x/%C3%BC?q=%201');
});
