/** Holds the rules of src/resolver/match-rules.ts and precedence.ts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MatchOptions, type MatchRequest, type Rule, ruleKey } from '../../src/resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../../src/resolver/ruleset.ts';
import { PREFIXES, referenceMatch } from './reference.ts';
import { optionsFrom, rulesetOf } from './rules.ts';
import { inSoak } from '../support/soak.ts';

const OPTIONS = optionsFrom();

const literal = (id: number, key: string, newPath: string | null = `/to/${id}`): Rule => ({
  id,
  key,
  isRegex: false,
  newPath,
  statusCode: newPath === null ? 410 : 301,
});

function seal(rules: Iterable<Rule>, onto: Ruleset = emptyRuleset()): Ruleset {
  const draft = onto.fork();
  for (const rule of rules) draft.add(rule);
  return draft.seal();
}

describe('a ruleset matches like a comparison with every rule', () => {
  // Few letters, so that rules compete by case, slash, query and pattern.
  const path = fc.stringMatching(/^\/(?:[aAbB]{1,2}\/?){0,2}$/).map((text) => text.replaceAll(/\/{2,}/g, '/'));
  const pairs = fc.uniqueArray(fc.constantFrom('x=1', 'x=2', 'y=1', 'z'), { maxLength: 3 });
  const query = pairs.map((each) => (each.length === 0 ? null : each.join('&')));
  const pattern = fc.constantFrom(...Object.keys(PREFIXES));
  const target = fc.oneof(path, fc.constantFrom(null, '/x', '/x/y'));
  const rule = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        from: fc.tuple(path, query).map(([p, q]) => (q === null ? p : `${p}?${q}`)),
        to: target,
        isRegex: fc.constant(false),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        from: pattern,
        to: fc.oneof(
          target,
          path.map((p) => `${p}$1`),
        ),
        isRegex: fc.constant(true),
      }),
    },
  );
  const options = fc.record<MatchOptions>({
    caseSensitive: fc.boolean(),
    trailingSlash: fc.constantFrom('ignore', 'exact'),
    query: fc.constantFrom('pass', 'drop', 'exact'),
  });
  const request = fc.record<MatchRequest>({ path, query });
  /** A change of a draft: the rule to add for a key, or undefined to remove it. */
  const edit = fc.record({ rule, remove: fc.boolean(), hasWindow: fc.boolean() });

  test('after any edits, in any forks, under any options', () => {
    const steps = fc.array(fc.record({ edits: fc.array(edit, { maxLength: 12 }), from: fc.nat() }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(steps, fc.array(fc.tuple(request, options), { minLength: 5, maxLength: 15 }), (work, requests) => {
        const versions: { ruleset: Ruleset; rules: Map<string, Rule> }[] = [
          { ruleset: emptyRuleset(), rules: new Map() },
        ];
        let id = 0;
        for (const { edits, from } of work) {
          const base = versions[from % versions.length];
          if (!base) throw new Error('there is always a version');
          const rules = new Map(base.rules);
          const draft = base.ruleset.fork();
          for (const { rule: wanted, remove, hasWindow } of edits) {
            const key = ruleKey(wanted.from, wanted.isRegex);
            expect(draft.remove(key)).toBe(rules.delete(key));
            if (remove) continue;
            const added: Rule = {
              id: ++id,
              key,
              isRegex: wanted.isRegex,
              newPath: wanted.to,
              statusCode: wanted.to === null ? 410 : 301,
              ...(hasWindow && { window: { from: id, until: null } }),
            };
            draft.add(added);
            rules.set(key, added);
          }
          versions.push({ ruleset: draft.seal(), rules });
        }
        for (const { ruleset, rules } of versions) {
          expect(ruleset.isScheduled).toBe([...rules.values()].some(({ window }) => window));
          expect([...ruleset.rules()].sort((a, b) => a.id - b.id)).toEqual(
            [...rules.values()].sort((a, b) => a.id - b.id),
          );
          for (const [asked, under] of requests) {
            const match = ruleset.match(asked, under);
            expect(match && { id: match.id, location: match.location }).toEqual(
              referenceMatch([...rules.values()], asked, under),
            );
            const fired = [...ruleset.candidates(asked, under)].find(({ wins }) => wins);
            expect(fired?.id).toBe(match?.id);
          }
        }
      }),
      { numRuns: inSoak(1_500, 150) },
    );
  }, 60_000);
});

test('an empty ruleset has no rules and no matches', () => {
  expect(emptyRuleset().size).toBe(0);
  expect([...emptyRuleset().rules()]).toEqual([]);
  expect(emptyRuleset().match({ path: '/', query: null }, OPTIONS)).toBeUndefined();
});

test('rules are stored unchanged, also with the largest ids and longest texts', () => {
  const rules: Rule[] = [
    literal(2 ** 53 - 1, `/${'a'.repeat(2_047)}`, `/${'ü'.repeat(1_023)}`),
    literal(1, '/', null),
    literal(127, '/a?x=1'),
    literal(128, '/A'),
    { ...literal(16_384, '/b', 'https://host.example/é$1'), statusCode: 308 },
    { ...literal(5, '^/p/(.*)$', '/$1'), isRegex: true },
  ];
  const ruleset = seal(rules);
  for (const rule of rules) expect(ruleset.get(rule.key)).toEqual(rule);
  expect(ruleset.size).toBe(rules.length);
  expect(ruleset.get('/none')).toBeUndefined();
});

test('an existing key cannot be added again, for literals and patterns', () => {
  const draft = seal([literal(1, '/a'), { ...literal(2, '/b'), isRegex: true }]).fork();
  expect(() => draft.add(literal(3, '/a'))).toThrow('exists');
  expect(() => draft.add({ ...literal(3, '/a'), isRegex: true })).toThrow('exists');
  expect(() => draft.add(literal(3, '/b'))).toThrow('exists');
});

test('a sealed draft cannot change', () => {
  const draft = emptyRuleset().fork();
  draft.seal();
  expect(() => draft.add(literal(1, '/a'))).toThrow('sealed');
  expect(() => draft.remove('/a')).toThrow('sealed');
});

test('an unsealed draft changes nothing for readers', () => {
  const ruleset = seal([literal(1, '/a')]);
  const draft = ruleset.fork();
  draft.remove('/a');
  draft.add(literal(2, '/b'));
  expect(ruleset.get('/a')?.id).toBe(1);
  expect(ruleset.get('/b')).toBeUndefined();
});

test('candidates have their outcome: fired, beaten, or self for a redirect to itself', () => {
  const ruleset = rulesetOf(['/a/ -> /a', '~/(.*) -> /x/$1', '/a?q=1 -> /q', '~/a.* -> /a']);
  expect(
    Array.from(ruleset.candidates({ path: '/a', query: 'q=1' }, OPTIONS), ({ id, wins, read }) => {
      const match = read();
      return [id, match?.kind, match?.outcome, wins];
    }),
  ).toEqual([
    [3, 'query', 'fired', true],
    [1, 'slash', 'self', false],
    [4, 'pattern', 'self', false],
    [2, 'pattern', 'beaten', false],
  ]);
});

test('replaced rules are wasted bytes until the ruleset is compacted', () => {
  let ruleset = seal([literal(1, '/a'), literal(2, '/b'), literal(3, '/B')]);
  const before = ruleset.wastedBytes;
  for (let id = 10; id < 1_000; id++) {
    const draft = ruleset.fork();
    draft.remove('/B');
    draft.add(literal(id, '/B'));
    ruleset = draft.seal();
  }
  expect(ruleset.wastedBytes).toBeGreaterThan(before + 10_000);
  const compact = finish(ruleset.compact());
  expect(compact.wastedBytes).toBe(before);
  expect(compact.bytes).toBeLessThan(ruleset.bytes);
  expect([...compact.rules()].sort((a, b) => a.id - b.id)).toEqual([...ruleset.rules()].sort((a, b) => a.id - b.id));
});

function finish(work: Generator<void, Ruleset>): Ruleset {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

describe('200,000 rules', () => {
  const COUNT = 200_000;
  const keyOf = (i: number): string => `/articles/${(i * 2_654_435_761) % 4_294_967_296}/page`;
  const large = seal(Array.from({ length: COUNT }, (_, i) => literal(i + 1, keyOf(i))));

  test('are found while and after the table grows', () => {
    expect(large.size).toBe(COUNT);
    let found = 0;
    for (let i = 0; i < COUNT; i++) if (large.match({ path: keyOf(i), query: null }, OPTIONS)?.id === i + 1) found++;
    expect(found).toBe(COUNT);
    expect(large.match({ path: '/articles/none', query: null }, OPTIONS)).toBeUndefined();
  });

  test('take at most 120 bytes each', () => {
    expect(large.bytes / COUNT).toBeLessThan(120);
  });

  test('an edit is cheap and does not change earlier rulesets', () => {
    const versions = [large];
    const started = performance.now();
    for (let i = 0; i < 200; i++) {
      const draft = (versions.at(-1) ?? large).fork();
      draft.remove(keyOf(i));
      draft.add(literal(COUNT + i, keyOf(i), '/edited'));
      versions.push(draft.seal());
    }
    expect((performance.now() - started) / 200).toBeLessThan(5);
    for (const [at, version] of versions.entries()) {
      for (const i of [0, 1, 50, 198, 199, 5_000]) {
        expect(version.get(keyOf(i))?.newPath).toBe(i < at ? '/edited' : `/to/${i + 1}`);
      }
    }
  });

  test('can all be removed', () => {
    const draft = large.fork();
    for (let i = 0; i < COUNT; i++) draft.remove(keyOf(i));
    const empty = draft.seal();
    expect([empty.size, [...empty.rules()].length, large.size]).toEqual([0, 0, COUNT]);
    expect(empty.match({ path: keyOf(7), query: null }, OPTIONS)).toBeUndefined();
  });
});

test('100,000 rules with the same path are found by their query in constant time', () => {
  const rules = Array.from({ length: 100_000 }, (_, i) => literal(i + 1, ruleKey(`/index.php?cat=1&id=${i}`, false)));
  const ruleset = seal(rules);
  const started = performance.now();
  for (let i = 0; i < 1_000; i++) {
    expect(ruleset.match({ path: '/index.php', query: `id=${i * 100}&cat=1` }, OPTIONS)?.id).toBe(i * 100 + 1);
  }
  expect((performance.now() - started) / 1_000).toBeLessThan(2);
});

test('10,000 patterns with distinct prefixes are matched', () => {
  const rules = Array.from({ length: 10_000 }, (_, i): Rule => ({
    ...literal(i + 1, `^/old-${i}/(\\d+)/(.+)$`, '/new/$1'),
    isRegex: true,
  }));
  const ruleset = seal(rules);
  expect(ruleset.match({ path: '/old-777/12/x', query: null }, OPTIONS)).toMatchObject({
    id: 778,
    location: '/new/12',
  });
  expect(ruleset.match({ path: '/none', query: null }, OPTIONS)).toBeUndefined();
});

test('2,500 patterns with the same prefix are matched', () => {
  const rules = Array.from({ length: 2_500 }, (_, i): Rule => ({
    ...literal(i + 1, `^/p/(\\w+)-${i}$`, '/new/$1'),
    isRegex: true,
  }));
  const ruleset = seal(rules);
  expect(ruleset.match({ path: '/p/abc-1234', query: null }, OPTIONS)).toMatchObject({
    id: 1_235,
    location: '/new/abc',
  });
});
