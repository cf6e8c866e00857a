/**
 * Holds the rules of src/resolver/patterns/automaton/automaton.ts, builder.ts, pair-set.ts, shared-loops.ts, states.ts
 * and src/resolver/patterns/patterns.ts.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passOver } from '../../../src/resolver/patterns/automaton/pass.ts';
import { canonicalPath } from '../../../src/resolver/spelling/canonical-path.ts';
import { foldPath } from '../../../src/resolver/spelling/case-fold.ts';
import { admitPattern, type Pattern } from '../../../src/resolver/patterns/pattern.ts';
import { automatonTree } from '../../../src/resolver/patterns/cost-limit.ts';
import { patternTokens } from '../../../src/resolver/patterns/pattern-form.ts';
import { createLayerBuilder, matchLayer, openLayer, shareLayer } from '../../../src/resolver/patterns/pattern-layer.ts';
import { createPatternLoad } from '../../../src/resolver/patterns/automaton/cost-bound.ts';
import { matchPattern } from './match-pattern.ts';
import { inSoak } from '../../support/soak.ts';

function admitted(text: string): Pattern[] {
  const result = admitPattern(text);
  return result.ok ? [result.pattern] : [];
}

function layerOf(texts: string[]) {
  const builder = createLayerBuilder();
  for (const text of texts) builder.add(text);
  return builder.build();
}

function matched(layer: ReturnType<typeof layerOf>, path: string, caseSensitive: boolean): string[] {
  const indexes = matchLayer(layer, { path, folded: foldPath(path), caseSensitive }, { units: Infinity });
  return indexes.map((index) => layer.texts[index] ?? '');
}

/** The highest cost of a character of a path: its work up to here, without the work up to the previous one. */
function highestCost(layer: ReturnType<typeof layerOf>, path: string): number {
  let highest = 0;
  let before = 0;
  for (let length = 0; length <= path.length; length++) {
    const budget = { units: 1e9 };
    passOver(layer.automaton, path.slice(0, length), false, budget);
    const spent = 1e9 - budget.units;
    // The first step is that of the root, before any character.
    if (length > 0) highest = Math.max(highest, spent - before);
    before = spent;
  }
  return highest;
}

/** A bound without limits. */
function boundOf(texts: string[]): number {
  const load = createPatternLoad({ units: 1e9, states: 1e9, pairs: 1e9, pairsPerPattern: 1e9 });
  for (const text of texts) {
    const tokens = patternTokens(text);
    const tree = 'reason' in tokens ? undefined : automatonTree(tokens);
    if (tree) load.add(tree);
  }
  return load.units;
}

const literals = [
  'a',
  'b',
  'c',
  '/',
  '-',
  'ab',
  '/a',
  '/b',
  'A',
  'ä',
  'Ä',
  'ÿ',
  ' ',
  '%2F',
  '%2f',
  '1',
  '12',
  '\\.',
  '.',
];
const sets = ['[ab]', '[^/]', '[^a]', '[^-]', '\\d', '\\w', '[a-c]', '[[:alpha:]]', '[b-d-]', '\\pL', '[^\\W\\d]'];
const groups = [
  '(a|b)',
  '(?:ab|a)',
  '(a(b|/))',
  '(?P<x>a)',
  '(?:|a)',
  '(?:a|)',
  '(?i:a)',
  '(?-i:B)',
  '((a)b)',
  '(?:ä|b)',
];
const quantifiers = ['', '', '', '?', '*', '+', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?', '??', '{1,2}?'];
const rare = [
  '\\Qa.b\\E',
  '|/',
  '|/a',
  '^',
  '$',
  '(?i)',
  '(?-i)',
  '(?s)',
  '\\b',
  '\\B',
  '\\A',
  '\\z',
  '(?:/|a$)',
  '(^/a|b)',
  '|',
];
const loops = [
  '.*',
  '(.*)',
  '[^/]+',
  '([^/]+)',
  '.+',
  '\\d+',
  '(/.*)?',
  '/?',
  '[a-z0-9-]+',
  '(?:ab)*',
  '(?:a|bc)+',
  '([^-]*)',
];

const quantified = fc
  .tuple(fc.constantFrom(...sets, ...groups, 'a', 'b', '/', '-'), fc.constantFrom(...quantifiers))
  .map((parts) => parts.join(''));
const part = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...literals) },
  { weight: 3, arbitrary: quantified },
  { weight: 3, arbitrary: fc.constantFrom(...loops) },
  { weight: 1, arbitrary: fc.constantFrom(...rare) },
);
const pattern = fc
  .tuple(fc.constantFrom('/', '/', '/a', '/p/', '^/'), fc.array(part, { maxLength: 7 }))
  .map(([start, parts]) => start + parts.join(''));
/** Patterns whose final loops share states in the bound. */
const separated = fc
  .array(fc.constantFrom('a', 'b', '-', '/', ...loops), { maxLength: 8 })
  .map((parts) => `/${parts.join('')}`);
const path = fc
  .array(fc.constantFrom(...literals, ...literals, '/p/', 'aa', 'abab', 'd', '-'), { maxLength: 9 })
  .map((parts) => canonicalPath(`/${parts.join('')}`));

const RUNS = Number(process.env['PATTERN_RUNS'] ?? inSoak(1_500, 150));

describe('one pass finds the patterns that RE2 finds one by one', () => {
  test('for any patterns and paths, with and without case', () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 12 }),
        fc.array(path, { minLength: 10, maxLength: 20 }),
        fc.boolean(),
        (texts, paths, caseSensitive) => {
          const patterns = [...new Set(texts)].flatMap(admitted);
          const layer = layerOf(patterns.map(({ text }) => text));
          for (const each of paths) {
            const expected = patterns.filter((one) => matchPattern(one, each, caseSensitive)).map(({ text }) => text);
            expect([each, matched(layer, each, caseSensitive).sort()]).toEqual([each, expected.sort()]);
          }
        },
      ),
      { numRuns: RUNS },
    );
  }, 120_000);

  test('in another thread, from the shared buffer', () => {
    const texts = ['/p/(.*)-a', '/p/[^/]+', '/p/b\\b.*'];
    const opened = openLayer(structuredClone(shareLayer(layerOf(texts))));
    expect(matched(opened, '/p/b-a', true)).toEqual(['/p/b\\b.*', '/p/(.*)-a', '/p/[^/]+']);
    expect([opened.has('/p/[^/]+'), opened.has('/p/')]).toEqual([true, false]);
  });
});

describe('the bound of a set of patterns', () => {
  test.each([
    ['patterns of all kinds', pattern],
    ['patterns with loops and separators', separated],
  ])(
    'holds for every path: %s',
    (_, kind) => {
      fc.assert(
        fc.property(
          fc.array(kind, { minLength: 1, maxLength: 15 }),
          fc.array(path, { minLength: 10, maxLength: 20 }),
          (texts, paths) => {
            const accepted = [...new Set(texts)].flatMap(admitted).map(({ text }) => text);
            const layer = layerOf(accepted);
            const bound = boundOf(accepted);
            for (const each of paths) expect(highestCost(layer, each)).toBeLessThanOrEqual(bound);
          },
        ),
        { numRuns: RUNS },
      );
    },
    120_000,
  );

  test('holds for the patterns that a limit accepts, in any order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(pattern, separated), { minLength: 2, maxLength: 15 }),
        fc.integer({ min: 10, max: 60 }),
        fc.array(path, { minLength: 10, maxLength: 20 }),
        (texts, units, paths) => {
          const load = createPatternLoad({ units, states: 1e9, pairs: 1e9, pairsPerPattern: 1e9 });
          const accepted = [...new Set(texts)].flatMap(admitted).flatMap(({ text }) => {
            const tokens = patternTokens(text);
            const tree = 'reason' in tokens ? undefined : automatonTree(tokens);
            return tree && load.add(tree) ? [text] : [];
          });
          const layer = layerOf(accepted);
          for (const each of paths) expect(highestCost(layer, each)).toBeLessThanOrEqual(units);
        },
      ),
      { numRuns: RUNS },
    );
  }, 120_000);
});
