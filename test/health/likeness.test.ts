/** Duplicates and shadowed rules: the report is true for every request. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { duplicatesOf, withoutPatterns } from '../../src/health/duplicates.ts';
import { createTimeSlice } from '../../src/platform/scheduling/time-slice.ts';
import { findShadowed } from '../../src/health/shadowed.ts';
import { type CurrentRules, ownRequest } from '../../src/health/current-rules.ts';
import type { MatchOptions } from '../../src/resolver/rule.ts';
import { runToEnd } from '../resolver/rules.ts';
import { chainsOf, type TestRule, currentRulesOf } from './current-rules.ts';
import { followHops } from '../../src/resolver/follow.ts';
import { inSoak } from '../support/soak.ts';

const patternsOf = ({ ruleset }: CurrentRules) => [...ruleset.rules()].filter(({ isRegex }) => isRegex);

async function duplicates(rules: CurrentRules): Promise<number[][]> {
  const literals = await withoutPatterns(rules.ruleset, patternsOf(rules), createTimeSlice());
  const sets = [...literals.rules()].map((rule) => duplicatesOf(rules, literals, rule));
  const named = new Set(sets.filter((ids) => ids.length > 1).map((ids) => ids.join(' ')));
  return [...named].toSorted().map((ids) => ids.split(' ').map(Number));
}

const literals = (...paths: string[]): TestRule[] => paths.map((from, index) => ({ from, to: `/to${index}` }));

describe('duplicates', () => {
  const paths = literals('/a', '/a/', '/A', '/a//', '/b?k=v', '/b/?k=v', '/B', '/', '/c');

  test.each<[string, Partial<MatchOptions>, number[][]]>([
    [
      'slash ignored',
      {},
      [
        [1, 2],
        [5, 6],
      ],
    ],
    [
      'slash and case ignored',
      { caseSensitive: false },
      [
        [1, 2, 3],
        [5, 6],
      ],
    ],
    ['case ignored', { caseSensitive: false, trailingSlash: 'exact' }, [[1, 3]]],
    ['nothing ignored', { trailingSlash: 'exact' }, []],
  ])('are the same path under the options of the website: %s', async (_, options, expected) => {
    expect(await duplicates(currentRulesOf(paths, options))).toEqual(expected);
  });

  test('a pattern with the text of a path is not a duplicate', async () => {
    const rules = currentRulesOf([...literals('/a'), { from: '/a/', to: '/x', isRegex: true }]);
    expect(await duplicates(rules)).toEqual([]);
  });

  test('two rules are duplicates if and only if each matches the path of the other', async () => {
    const path = fc.constantFrom(
      '/',
      '/a',
      '/a/',
      '/A/',
      '/a//',
      '/A',
      '/ä',
      '/Ä',
      '/ä/',
      '/b?k=1',
      '/B/?k=1',
      '/b/?k=2',
    );
    const options = fc.record({
      caseSensitive: fc.boolean(),
      trailingSlash: fc.constantFrom('ignore' as const, 'exact' as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(path, { minLength: 2 }), options, async (from, chosen) => {
        const rules = currentRulesOf(literals(...from), { ...chosen, query: 'drop' });
        const all = [...rules.ruleset.rules()];
        const query = ({ key }: { key: string }) => key.split('?')[1];
        const meets = (one: (typeof all)[number], other: (typeof all)[number]) =>
          query(one) === query(other) &&
          [...rules.ruleset.candidates(ownRequest(rules, one.key), rules.website)].some(({ id }) => id === other.id);
        const told = await duplicates(rules);
        for (const one of all) {
          for (const other of all.filter(({ id }) => id !== one.id)) {
            const isTold = told.some((ids) => ids.includes(one.id) && ids.includes(other.id));
            expect([one.key, other.key, isTold]).toEqual([one.key, other.key, meets(one, other) && meets(other, one)]);
          }
        }
      }),
      { numRuns: inSoak(300, 30), seed: 5 },
    );
  });
});

describe('shadowed', () => {
  const shadowed = async (list: TestRule[], options = {}) => {
    const rules = currentRulesOf(list, options);
    const found = await findShadowed(rules, patternsOf(rules), createTimeSlice());
    return found.map(({ ruleId, byRuleId }) => [ruleId, byRuleId]).toSorted();
  };
  const pattern = (from: string, to: string | null = '/to'): TestRule => ({ from, to, isRegex: true });

  test('a pattern of a single path that a literal rule has', async () => {
    expect(await shadowed([...literals('/about'), pattern('^/about$')])).toEqual([[2, 1]]);
    expect(await shadowed([...literals('/about/'), pattern('/about')])).toEqual([[2, 1]]);
    expect(await shadowed([...literals('/about/'), pattern('/about')], { trailingSlash: 'exact' })).toEqual([]);
    expect(await shadowed([...literals('/About'), pattern('/about')])).toEqual([]);
    expect(await shadowed([...literals('/About'), pattern('/about')], { caseSensitive: false })).toEqual([[2, 1]]);
  });

  test('but not where the literal leaves a request to it, or asks for a query', async () => {
    expect(await shadowed([{ from: '/about/', to: '/about' }, pattern('/about')])).toEqual([]);
    expect(await shadowed([{ from: '/about', to: '/about?v=2' }, pattern('^/about$')])).toEqual([]);
    expect(await shadowed([...literals('/about?k=v'), pattern('/about')])).toEqual([]);
  });

  test('a pattern that says the same as another, which is the longer one', async () => {
    expect(await shadowed([pattern('/n/[0-9]+'), pattern('^/n/[0-9]+$')])).toEqual([[1, 2]]);
    expect(await shadowed([pattern('/N/[0-9]+'), pattern('^/n/[0-9]+$')])).toEqual([]);
    expect(await shadowed([pattern('/n/x'), pattern('^/n/x$', null)])).toEqual([[1, 2]]);
  });

  test('a pattern under one that takes everything behind the same beginning', async () => {
    expect(await shadowed([pattern('/o/(.*)', '/n/$1'), pattern('/o/x?'), pattern('/o/[a-z]{1,30}')])).toEqual([
      [2, 1],
    ]);
    // The beginning of the second is longer, so it goes first.
    expect(await shadowed([pattern('/o/(.*)', '/n/$1'), pattern('/o/x/.*')])).toEqual([]);
    // Requests to /o/end are left to the second.
    expect(await shadowed([pattern('/o/(.*)', '/o/end'), pattern('/o/.*')])).toEqual([]);
  });

  test('never answers any request, whatever the rules and options', async () => {
    const text = fc.constantFrom(
      '/a',
      '^/a$',
      '/a/',
      '/A',
      '/a/.*',
      '/a/(.*)',
      '^/a/(.*)$',
      '/A/(.*)',
      '/a/b?',
      '/a/[a-z]*',
      '/(.*)',
      '/.*',
      '/[ab]+',
      '/a|/b',
      '/a/(b|c)',
    );
    const target = fc.constantFrom(
      '/a',
      '/A',
      '/a/',
      '/b/c',
      '/x',
      '/x/$1',
      '/a/$1',
      '/$1',
      'https://own.example/a/$1',
      'https://x.example/$1',
      null,
    );
    const literal = fc.constantFrom('/a', '/a/', '/A', '/a?k=1', '/b', '/a/b');
    const rule = fc.oneof(
      fc.record({ from: text, to: target, isRegex: fc.constant(true) }),
      fc.record({ from: literal, to: fc.constantFrom('/x', '/a', '/a/', '/A?k=1', '/a/b') }),
    );
    const options = fc.record({
      caseSensitive: fc.boolean(),
      trailingSlash: fc.constantFrom('ignore' as const, 'exact' as const),
      query: fc.constantFrom('pass' as const, 'drop' as const, 'exact' as const),
    });
    const paths = [
      '/',
      '/a',
      '/a/',
      '/A',
      '/A/',
      '/b',
      '/B',
      '/a/b',
      '/a/B',
      '/A/b',
      '/a/c',
      '/a/a/b',
      '/ab',
      '/a/a',
      '/x',
      '/a/x',
    ];
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { minLength: 2, maxLength: 10 }), options, async (list, chosen) => {
        const rules = currentRulesOf(list, chosen);
        const found = await findShadowed(rules, patternsOf(rules), createTimeSlice());
        count += found.length;
        const never = new Set(found.map(({ ruleId }) => ruleId));
        for (const path of paths) {
          for (const query of [null, 'k=1', 'k=2']) {
            const match = rules.ruleset.match({ path, query, host: 'own.example' }, rules.website);
            expect(never.has(match?.id ?? 0)).toBe(false);
          }
        }
      }),
      { numRuns: inSoak(2_000, 200), seed: 17 },
    );
    expect(count).toBeGreaterThan(inSoak(200, 20));
  }, 60_000);
});

test('chains and loops are those that following every rule by itself finds', async () => {
  const path = fc.constantFrom('/a', '/a/', '/A', '/b', '/c', '/d', '/e/x', '/e/y');
  const query = fc.constantFrom('', '', '?k=1', '?k=1&n=2');
  const address = fc.tuple(path, query).map((parts) => parts.join(''));
  const rule = fc.record({ from: address, to: fc.option(address, { freq: 10 }) });
  const options = fc.record({
    caseSensitive: fc.boolean(),
    query: fc.constantFrom('pass' as const, 'drop' as const),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 2, maxLength: 12 }), options, async (list, chosen) => {
      const rules = currentRulesOf([...list, { from: '/e/(.*)', to: '/$1', isRegex: true }], chosen);
      const found = await chainsOf(rules);
      const chains: number[] = [];
      const looping = new Set<number>();
      for (const each of [...rules.ruleset.rules()].filter(({ isRegex }) => !isRegex)) {
        const start = ownRequest(rules, each.key);
        const journey = runToEnd(followHops(rules.ruleset, start, rules.website, rules.hosts, 200));
        const redirects = journey.hops.filter(({ location }) => location !== null);
        const circleAt =
          journey.outcome === 'loop' ? journey.hops.findIndex((hop) => hop.url === journey.finalUrl) : -1;
        const circle = circleAt < 0 ? [] : journey.hops.slice(circleAt).map(({ ruleId }) => ruleId);
        for (const id of circle) looping.add(id ?? 0);
        if (redirects[0]?.ruleId === each.id && redirects.length > 1 && !circle.includes(each.id)) chains.push(each.id);
      }
      expect(found.chains).toEqual(chains.toSorted((a, b) => a - b));
      expect(new Set(found.loops.flat())).toEqual(looping);
    }),
    { numRuns: inSoak(2_000, 200), seed: 23 },
  );
}, 60_000);
