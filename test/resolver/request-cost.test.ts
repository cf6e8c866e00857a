/** The work that one request may cost is bounded by counts, so each bound shows in the response. */
import { expect, test } from 'vitest';
import { MAX_CHAIN_CHARACTERS } from '../../src/resolver/literals/literals.ts';
import { canonicalPair } from '../../src/resolver/spelling/query.ts';
import { emptyRuleset, type Ruleset } from '../../src/resolver/ruleset.ts';
import type { MatchOptions, Rule } from '../../src/resolver/rule.ts';
import { optionsFrom } from './rules.ts';

const OPTIONS = optionsFrom();
const NAMES = Array.from({ length: 320 }, (_, i) => `n${String(i).padStart(3, '0')}`);

function rulesOf(keys: string[], newPath: string, isRegex = false): Ruleset {
  const draft = emptyRuleset().fork();
  keys.forEach((key, i) => draft.add({ id: i + 1, key, isRegex, newPath, statusCode: 301 } satisfies Rule));
  return draft.seal();
}

/** `/p?x&y` for each two of the names. */
function pairKeys(names: string[]): string[] {
  return names.flatMap((one, i) => names.slice(i + 1).map((other) => `/p?${one}&${other}`));
}

function idFor(rules: Ruleset, target: string, options: MatchOptions = OPTIONS): number | undefined {
  const [path = '', query = null] = target.split('?');
  return rules.match({ path, query }, options)?.id;
}

test('a request whose parameters are in many thousand rules of its path matches none of them, and a literal without query', () => {
  const keys = pairKeys(NAMES);
  expect(keys).toHaveLength(51_040);
  const rules = rulesOf([...keys, '/p'], '/t');
  expect(idFor(rules, `/p?${NAMES.join('&')}`)).toBe(51_041);
  // Fewer of them are read: the first two are the winner's.
  expect(idFor(rules, `/p?${NAMES.slice(0, 10).join('&')}`)).toBe(1);
});

test('a request with a usual number of parameters matches among a million characters of rules for its path', () => {
  const keys = Array.from({ length: 30_000 }, (_, i) => `/p?id=${i}&lang=en&view=article`);
  expect(keys.join('').length).toBeGreaterThan(4 * MAX_CHAIN_CHARACTERS);
  const rules = rulesOf(keys, '/t');
  expect(idFor(rules, '/p?view=article&utm=x&id=29999&lang=en')).toBe(30_000);
});

test('a request with few parameters matches its rule, however many rules of its path have one of them', () => {
  const values = Array.from({ length: 150 }, (_, i) => i);
  const keys = [0, 1].flatMap((brand) =>
    values.flatMap((colour) => values.map((size) => `/p?brand=${brand}&colour=${colour}&size=${size}`)),
  );
  const rules = rulesOf(keys, '/t');
  for (const options of [OPTIONS, optionsFrom({ query: 'exact' })]) {
    for (let i = 0; i < keys.length; i += 997) expect(idFor(rules, keys[i] ?? '', options)).toBe(i + 1);
  }
  expect(idFor(rules, '/p/?size=1&utm=x&colour=1&brand=1')).toBe(150 * 150 + 150 + 2);
});

test('case variants of a path that are too many to read do not match, and the path itself does', () => {
  const variants = Array.from({ length: 2 ** 13 }, (_, i) =>
    Array.from({ length: 13 }, (_letter, bit) => ((i >> bit) & 1 ? 'A' : 'a')).join(''),
  ).map((text) => `/${text}`);
  const loose = optionsFrom({ case_sensitive: false });
  const [, ...upper] = variants;
  expect(idFor(rulesOf(upper.slice(0, 100), '/t'), '/aaaaaaaaaaaaa', loose)).toBeDefined();
  expect(idFor(rulesOf(upper, '/t'), '/aaaaaaaaaaaaa', loose)).toBeUndefined();
  expect(idFor(rulesOf(upper, '/t'), '/AAAAAAAAAAAAA', loose)).toBe(2 ** 13 - 1);
});

test('after many literals that redirect to the request itself, no further rule is tried', () => {
  const query = NAMES.slice(0, 60).join('&');
  const selfish = (count: number): Ruleset => {
    const draft = rulesOf(pairKeys(NAMES.slice(0, count)), `/p?${query}`).fork();
    draft.add({ id: 100_000, key: '/p', isRegex: false, newPath: '/t', statusCode: 301 });
    return draft.seal();
  };
  expect(idFor(selfish(15), `/p?${query}`)).toBe(100_000);
  expect(idFor(selfish(60), `/p?${query}`)).toBeUndefined();
});

test('the query counts among the work for patterns that redirect to the request itself', () => {
  const keys = Array.from({ length: 500 }, (_, i) => `/p(?:-${i})?`);
  const rules = rulesOf([...keys, '/.*'], '/p', true);
  const draft = rules.fork();
  draft.remove('/.*');
  draft.add({ id: 501, key: '/.*', isRegex: true, newPath: '/t', statusCode: 301 });
  const mixed = draft.seal();
  expect(idFor(mixed, '/p?x=1')).toBe(501);
  expect(idFor(mixed, `/p?${'x'.repeat(15_000)}`)).toBeUndefined();
});

test('a pattern whose Location would have more than 65,536 characters does not match', () => {
  const rules = rulesOf(['/a(.*)'], `/${'$1'.repeat(40)}`, true);
  expect(idFor(rules, `/a${'x'.repeat(1_600)}`)).toBe(1);
  expect(idFor(rules, `/a${'x'.repeat(1_700)}`)).toBeUndefined();
});

test('a text of a query that is too long for any rule is not normalized', () => {
  expect(canonicalPair(`a=${'%41'.repeat(1_000)}`)).toBe(`a=${'A'.repeat(1_000)}`);
  expect(canonicalPair(`a=${'%41'.repeat(2_000)}`)).toBe(`a=${'%41'.repeat(2_000)}`);
});
