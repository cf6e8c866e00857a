/**
 * Chains and loops among rules, and what a chain is flattened to: without a database, by the resolver itself. Holds the
 * rules of src/health/walk.ts.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FlatRules, flatTarget } from '../../src/health/flat-target.ts';
import { createTimeSlice } from '../../src/platform/scheduling/time-slice.ts';
import { pathsRequiringQueries } from '../../src/health/query-paths.ts';
import { ownRequest, type CurrentRules } from '../../src/health/current-rules.ts';
import { canonicalPath } from '../../src/resolver/spelling/canonical-path.ts';
import { followHops } from '../../src/resolver/follow.ts';
import { ruleKey, type MatchRequest, type Rule } from '../../src/resolver/rule.ts';
import { runToEnd } from '../resolver/rules.ts';
import { chainsOf, type TestRule, currentRulesOf } from './current-rules.ts';
import { inSoak } from '../support/soak.ts';

const pairs = (...list: [string, string | null][]): TestRule[] => list.map(([from, to]) => ({ from, to }));

describe('chains', () => {
  test('a rule that leads to another rule begins one, the last of them does not', async () => {
    const rules = currentRulesOf(pairs(['/a', '/b'], ['/b', '/c'], ['/c', '/d'], ['/x', '/y']));
    expect(await chainsOf(rules)).toMatchObject({ chains: [1, 2], loops: [] });
  });

  test('one redirect to a page that is gone is not a chain; two are', async () => {
    const rules = currentRulesOf(pairs(['/a', '/b'], ['/b', '/gone'], ['/gone', null]));
    expect((await chainsOf(rules)).chains).toEqual([1]);
  });

  test('are what the options make of them: final slash, case, required query, own host', async () => {
    expect((await chainsOf(currentRulesOf(pairs(['/a', '/b/'], ['/b', '/c'])))).chains).toEqual([1]);
    const exact = { trailingSlash: 'exact' } as const;
    expect((await chainsOf(currentRulesOf(pairs(['/a', '/b/'], ['/b', '/c']), exact))).chains).toEqual([]);
    expect((await chainsOf(currentRulesOf(pairs(['/a', '/B'], ['/b', '/c'])))).chains).toEqual([]);
    const folded = { caseSensitive: false };
    expect((await chainsOf(currentRulesOf(pairs(['/a', '/B'], ['/b', '/c']), folded))).chains).toEqual([1]);
    expect((await chainsOf(currentRulesOf(pairs(['/a', '/b?k=v'], ['/b?k=v', '/c'])))).chains).toEqual([1]);
    expect((await chainsOf(currentRulesOf(pairs(['/a', '/b'], ['/b?k=v', '/c'])))).chains).toEqual([]);
    const absolute = pairs(['/a', 'https://own.example/b'], ['/b', '/c'], ['/d', 'https://other.example/b']);
    expect((await chainsOf(currentRulesOf(absolute))).chains).toEqual([1]);
  });

  test('a pattern is followed to and, where its target is one address, from', async () => {
    const rules = currentRulesOf([
      ...pairs(['/a', '/old/x'], ['/b', '/c']),
      { from: '/old/(.*)', to: '/new/$1', isRegex: true },
      { from: '/gone/(.*)', to: '/b', isRegex: true },
    ]);
    expect((await chainsOf(rules)).chains).toEqual([1, 4]);
  });

  test('a rule whose Location is its own request does not fire, and ends nothing but itself', async () => {
    const rules = currentRulesOf(pairs(['/a', '/a/'], ['/Foo', '/foo']), { caseSensitive: false });
    expect(await chainsOf(rules)).toMatchObject({ chains: [], loops: [] });
  });
});

describe('loops', () => {
  test('are each told once with all their rules; what leads into one is a chain', async () => {
    const rules = currentRulesOf(
      pairs(['/x', '/b'], ['/a', '/b'], ['/b', '/c'], ['/c', '/a'], ['/p', '/q?n=1'], ['/q?n=1', '/p']),
    );
    expect(await chainsOf(rules)).toMatchObject({
      chains: [1],
      loops: [
        [2, 3, 4],
        [5, 6],
      ],
    });
  });

  test('of a hundred thousand rules are found, and so are chains of as many', { timeout: 60_000 }, async () => {
    const long = 100_000;
    const circle = Array.from({ length: long }, (_, i) => ({ from: `/p${i}`, to: `/p${(i + 1) % long}` }));
    const { loops: found, counts } = await chainsOf(currentRulesOf(circle));
    expect([found.length, found[0]?.slice(0, 3), counts]).toEqual([1, [1, 2, 3], [long]]);
    const open = currentRulesOf(circle.map(({ from, to }) => ({ from, to: to === '/p0' ? '/end' : to })));
    const { chains, loops } = await chainsOf(open);
    expect([chains.length, loops]).toEqual([long - 1, []]);
  });

  test('a rule that leads to its own path by a host of the website is a loop', async () => {
    const rules = currentRulesOf(
      pairs(['/h', 'https://own.example/h'], ['/i', 'https://other.example/i'], ['/j', 'https://own.example/j?k=1']),
    );
    expect(await chainsOf(rules)).toMatchObject({ chains: [], loops: [[1]] });
  });

  test('patterns that lead to ever longer paths are loops, and so are patterns that lead to each other', async () => {
    const pattern = (from: string, to: string) => ({ from, to, isRegex: true });
    const rules = currentRulesOf([
      ...pairs(['/a', '/g/']),
      pattern('/g/(.*)', '/g/$1x'),
      pattern('/m/(\\d+)', '/n/1$1'),
      pattern('/n/(\\d+)', '/m/$1'),
      pattern('/p/(.*)', '/q/$1'),
      pattern('/q/(.*)', '/p/$1'),
      pattern('/ends/(.*)', '/$1'),
      pattern('/self/(.*)', '/self/$1'),
    ]);
    expect(await chainsOf(rules)).toMatchObject({ chains: [1], loops: [[2], [3, 4], [5, 6]] });
  });
});

async function flatOf(rules: CurrentRules): Promise<FlatRules> {
  const passes = rules.website.query === 'pass';
  return { rules, requiresQuery: passes ? await pathsRequiringQueries(rules, createTimeSlice()) : undefined };
}

async function flattened(list: TestRule[], options = {}, hosts?: string[]): Promise<unknown> {
  const rules = currentRulesOf(list, options, hosts);
  const first = rules.ruleset.get(ruleKey(list[0]?.from ?? '', list[0]?.isRegex ?? false));
  if (!first) throw new Error('the first rule is not there');
  const flat = flatTarget(await flatOf(rules), first);
  return 'reason' in flat ? flat.reason : flat.newPath;
}

describe('flattening', () => {
  test('takes the last target as its editor wrote it, and the fragment and host of hops before', async () => {
    expect(await flattened(pairs(['/a', '/b'], ['/b', '/c'], ['/c', '/ä x']))).toBe('/ä x');
    expect(await flattened(pairs(['/a', '/b'], ['/b', 'https://else.example/x']))).toBe('https://else.example/x');
    expect(await flattened(pairs(['/a', '/b#top'], ['/b', '/c']))).toBe('/c#top');
    expect(await flattened(pairs(['/a', '/b#top'], ['/b', '/c#end']))).toBe('/c#end');
    expect(await flattened(pairs(['/a', 'https://own.example/b'], ['/b', '/c']))).toBe('https://own.example/c');
    expect(await flattened(pairs(['/a', '/b'], ['/b', '/gone'], ['/gone', null]))).toBe('/gone');
    expect(await flattened([...pairs(['/a', '/o/x']), { from: '/o/(.*)', to: '/n/$1', isRegex: true }])).toBe('/n/x');
    expect(await flattened(pairs(['/a', '/b?x=1'], ['/b', '/c']))).toBe('/c?x=1');
  });

  test('leaves what is temporary later, but not what is temporary itself', async () => {
    const chain = (one: number, two: number) => [
      { from: '/a', to: '/b', status: one },
      { from: '/b', to: '/c', status: two },
    ];
    expect(await flattened(chain(301, 302))).toBe('TEMPORARY');
    expect(await flattened(chain(302, 307))).toBe('TEMPORARY');
    expect(await flattened(chain(302, 301))).toBe('/c');
    expect(await flattened(chain(301, 308))).toBe('/c');
    expect(await flattened(chain(308, 301))).toBe('METHOD');
  });

  test('leaves loops, endless chains, patterns, and what depends on the query', async () => {
    expect(await flattened(pairs(['/x', '/a'], ['/a', '/b'], ['/b', '/a']))).toBe('LOOP');
    const long = Array.from({ length: 120 }, (_, i) => ({ from: `/p${i}`, to: `/p${i + 1}` }));
    expect(await flattened(long)).toBe('TOO_LONG');
    expect(await flattened([{ from: '/o/.*', to: '/b', isRegex: true }, ...pairs(['/b', '/c'])])).toBe('PATTERN');
    const asking = pairs(['/a', '/b'], ['/b', '/c'], ['/b?k=v', '/d']);
    expect(await flattened(asking)).toBe('QUERY');
    expect(await flattened(asking, { query: 'drop' })).toBe('/c');
    expect(await flattened(asking, { query: 'exact' })).toBe('/c');
  });

  test('never changes where a visitor ends, whatever the rules, the options and the query', async () => {
    const path = fc.constantFrom('/', '/a', '/a/', '/A', '/b', '/b/', '/B', '/c', '/d', '/e/x', '/e/y');
    const query = fc.constantFrom('', '', '', '?k=1', '?k=2', '?k=1&n=3', '?n=3');
    const origin = fc.constantFrom('', '', '', '', 'https://own.example', 'https://two.example');
    const address = fc.tuple(path, query).map((parts) => parts.join(''));
    const rule = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ from: address, to: fc.tuple(origin, address).map((all) => all.join('')) }),
      },
      { weight: 1, arbitrary: fc.record({ from: address, to: fc.constant(null) }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          { from: '/e/(.*)', to: '/$1', isRegex: true },
          { from: '/(a|b)', to: '/e/$1', isRegex: true },
          { from: '/[ab]/?', to: '/d', isRegex: true },
        ),
      },
    );
    const options = fc.record({
      caseSensitive: fc.boolean(),
      trailingSlash: fc.constantFrom('ignore' as const, 'exact' as const),
      query: fc.constantFrom('pass' as const, 'drop' as const, 'exact' as const),
    });
    const hosts = ['own.example', 'two.example'];
    let flat = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(rule, { minLength: 3, maxLength: 12 }),
        options,
        fc.array(fc.tuple(address, fc.constantFrom(...hosts)), { minLength: 8, maxLength: 8 }),
        async (list, chosen, visits) => {
          const rules = currentRulesOf(list, chosen, hosts);
          const before = await flatOf(rules);
          const { chains } = await chainsOf(rules);
          const draft = rules.ruleset.fork();
          for (const each of [...rules.ruleset.rules()].filter(({ id }) => chains.includes(id))) {
            const answer = flatTarget(before, each);
            if ('reason' in answer || ruleKey(answer.newPath, false) === each.key) continue;
            flat++;
            draft.remove(each.key);
            draft.add({ ...each, newPath: answer.newPath });
          }
          const after = { ...rules, ruleset: draft.seal() };
          const own = [...rules.ruleset.rules()].filter((each) => !each.isRegex).map((each) => requestOf(rules, each));
          for (const visit of [...own, ...visits.map(visitOf)]) {
            const ends = [rules, after].map((each) => endOf(each, visit));
            if (ends[0] !== 'never') expect(ends[1]).toEqual(ends[0]);
          }
        },
      ),
      { numRuns: inSoak(3_000, 300), seed: 41 },
    );
    expect(flat).toBeGreaterThan(inSoak(500, 50));
  }, 120_000);
});

const requestOf = (rules: CurrentRules, rule: Rule): MatchRequest => ownRequest(rules, rule.key);

function visitOf([address, host]: [string, string]): MatchRequest {
  const mark = address.indexOf('?');
  return { path: canonicalPath(address), query: mark < 0 ? null : address.slice(mark + 1), host };
}

/** The end of a visit: host, path and sorted query, or `never`. */
function endOf(rules: CurrentRules, visit: MatchRequest): string {
  const { outcome, hops, finalUrl } = runToEnd(followHops(rules.ruleset, visit, rules.website, rules.hosts, 50));
  if (outcome === 'loop' || outcome === 'too-many') return 'never';
  const host = hops.reduce((at, hop) => /^https:\/\/([^/]*)/.exec(hop.location ?? '')?.[1] ?? at, visit.host);
  const [path = '', query = ''] = finalUrl.replace(/^https:\/\/[^/]*/, '').split('?');
  return `${outcome} ${host} ${path} ${query.split('&').toSorted().join('&')}`;
}
