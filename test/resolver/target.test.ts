import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderLocation, targetReferences } from '../../src/resolver/target.ts';
import { inSoak } from '../support/soak.ts';

test.each([
  ['/x', { groups: [], names: [], invalid: [] }],
  ['/$1/$2/$1', { groups: [1, 2], names: [], invalid: [] }],
  ['/$10$999', { groups: [10, 99], names: [], invalid: [] }],
  ['/${a}/${b_2}', { groups: [], names: ['a', 'b_2'], invalid: [] }],
  ['/${12}', { groups: [12], names: [], invalid: [] }],
  ['/$$1', { groups: [], names: [], invalid: [] }],
  ['/$$$1', { groups: [1], names: [], invalid: [] }],
  ['/$0', { groups: [], names: [], invalid: ['$0'] }],
  ['/$x', { groups: [], names: [], invalid: ['$x'] }],
  ['/a$', { groups: [], names: [], invalid: ['$'] }],
  ['/${', { groups: [], names: [], invalid: ['${'] }],
  ['/${a', { groups: [], names: [], invalid: ['${a'] }],
  ['/${}', { groups: [], names: [], invalid: ['${}'] }],
  ['/${a-b}', { groups: [], names: [], invalid: ['${a-b}'] }],
  ['/${100}', { groups: [], names: [], invalid: ['${100}'] }],
  ['/${0}', { groups: [], names: [], invalid: ['${0}'] }],
])('the references of %s', (target, references) => {
  expect(targetReferences(target)).toEqual(references);
});

const captures = (...values: (string | undefined)[]): Parameters<typeof renderLocation>[1] => ({
  values,
  names: { n: 1 },
});

test('names of built-in object properties are not groups', () => {
  expect(renderLocation('/${constructor}${__proto__}x', captures('/a'), null, 'pass', [])).toBe('/x');
});

test('invalid references stay as written', () => {
  expect(renderLocation('/$0/$x/${', captures('/a'), null, 'pass', [])).toBe('/$0/$x/${');
});

const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom('/', '\\', '\r', '\n', '\t', '\0', '//', '@', ':', 'http:', '$1', '${n}', 'é', '?', '#', '&'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
  )
  .map((pieces) => pieces.join(''));

test('a Location has no space, no control character and only ASCII', () => {
  fc.assert(
    fc.property(nasty, nasty, nasty, fc.constantFrom('pass', 'drop', 'exact'), (target, capture, query, mode) => {
      expect(renderLocation(`/${target}`, captures('', capture), query, mode, [])).toMatch(/^[\x21-\x7e]*$/);
    }),
    { numRuns: inSoak(5_000, 500) },
  );
});

test('a target without host never redirects to another host', () => {
  fc.assert(
    fc.property(nasty, nasty, nasty, (target, capture, query) => {
      const location = renderLocation(`/${target}`, captures('', capture), query, 'pass', []);
      expect(new URL(location, 'https://own.example').host).toBe('own.example');
    }),
    { numRuns: inSoak(5_000, 500) },
  );
});

test('captures and queries never change the host of an absolute target', () => {
  fc.assert(
    fc.property(nasty, nasty, (capture, query) => {
      for (const target of ['https://other.example/$1', 'https://other.example/${n}?x=$1#$1']) {
        const location = renderLocation(target, captures('', capture), query, 'pass', []);
        expect(new URL(location).host).toBe('other.example');
      }
    }),
    { numRuns: inSoak(5_000, 500) },
  );
});

test('passing on a query of 8 KiB takes linear time', () => {
  const query = Array.from({ length: 4_000 }, (_, i) => i % 10).join('&');
  const started = performance.now();
  expect(renderLocation('/b', null, query, 'pass', [])).toBe(`/b?${query}`);
  expect(performance.now() - started).toBeLessThan(200);
});
