/**
 * Compares the resolver with a naive model on whole addresses: Unicode, escapes, dot segments, queries, patterns and
 * windows.
 * ruleset.test.ts does so for ASCII paths after edits. Search longer with FUZZ_REQUESTS, repeat with FUZZ_SEED.
 */
import { expect, test } from 'vitest';
import { splitTarget } from '../../src/resolver/spelling/canonical-path.ts';
import { type MatchOptions, type Rule, ruleKey } from '../../src/resolver/rule.ts';
import { emptyRuleset } from '../../src/resolver/ruleset.ts';
import type { Window } from '../../src/resolver/window.ts';
import { seeded } from '../support/random.ts';
import { PREFIXES, referenceMatch } from './reference.ts';
import { inSoak } from '../support/soak.ts';

const RULESETS = Number(process.env['FUZZ_REQUESTS'] ?? inSoak(400, 60));
const SEED = Number(process.env['FUZZ_SEED'] ?? 13);
const RULES = 12;
const REQUESTS = 25;

/** Characters of a segment, each with other spellings of the same character. */
const LETTERS: readonly (readonly [string, ...string[]])[] = [
  ['a', '%61'],
  ['b', '%62'],
  ['~', '%7E', '%7e'],
  ['%2F', '%2f'],
  ['é', '%C3%A9', '%c3%a9', 'e\u0301'],
  ['%20', ' '],
  ['%25', '%'],
];
const PAIRS = ['x=1', 'x=2', 'y=1', 'z'];

type Random = () => number;

const pick = <T>(random: Random, list: readonly T[]): T => {
  const value = list[Math.floor(random() * list.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
};

/** A path as a list of segments, each a list of indexes into LETTERS. */
type Path = { segments: number[][]; hasSlash: boolean };

function randomPath(random: Random): Path {
  const segments = Array.from({ length: Math.floor(random() * 3) }, () =>
    Array.from({ length: 1 + Math.floor(random() * 2) }, () => Math.floor(random() ** 2 * LETTERS.length)),
  );
  return { segments, hasSlash: segments.length > 0 && random() < 0.3 };
}

/** The canonical text of a path, by the first spelling of each character. */
function canonical({ segments, hasSlash }: Path): string {
  const text = segments.map((segment) => segment.map((at) => LETTERS[at]?.[0] ?? '').join('')).join('/');
  return `/${text}${hasSlash ? '/' : ''}`.replaceAll('é', '%C3%A9');
}

/** Another spelling of the path: escapes, decomposed accents, dot segments. */
function spelled(random: Random, { segments, hasSlash }: Path): string {
  const parts = segments.flatMap((segment) => {
    const text = segment.map((at) => pick(random, LETTERS[at] ?? [''])).join('');
    const detour = random() < 0.15 ? pick(random, [['.'], ['q', '..']]) : [];
    return [...detour, isAmbiguous(text) ? segment.map((at) => LETTERS[at]?.[0] ?? '').join('') : text];
  });
  return `/${parts.join('/')}${hasSlash ? '/' : ''}`;
}

/** A lone `%` before hex digits would be an escape. */
const isAmbiguous = (text: string): boolean => /%(?![0-9A-Fa-f]{2})/.test(text) && /%$|%./.test(text);

const randomQuery = (random: Random): string | null => {
  const pairs = PAIRS.filter(() => random() < 0.2);
  return pairs.length === 0 ? null : pairs.join('&');
};

/** The times of requests, and of the ends of windows. */
const TIMES = 6;

function randomWindow(random: Random): Window | undefined {
  if (random() < 0.6) return undefined;
  const from = random() < 0.3 ? null : 1 + Math.floor(random() * TIMES);
  const until = random() < 0.3 ? null : (from ?? 0) + 1 + Math.floor(random() * TIMES);
  return { from, until };
}

const existing = (rules: Rule[], at: number): Rule[] =>
  rules.filter(({ window }) => !window || ((window.from ?? 0) <= at && at < (window.until ?? Infinity)));

const withQuery = (path: string, query: string | null): string => (query === null ? path : `${path}?${query}`);

function randomRules(random: Random): { rules: Rule[]; paths: Path[] } {
  const rules = new Map<string, Rule>();
  const paths: Path[] = [];
  for (let id = 1; id <= RULES; id++) {
    const isRegex = random() < 0.2;
    const path = randomPath(random);
    const query = randomQuery(random);
    const from = isRegex ? pick(random, Object.keys(PREFIXES)) : withQuery(spelled(random, path), query);
    const key = isRegex ? from : withQuery(canonical(path), query);
    expect(ruleKey(from, isRegex), `the key of ${from}`).toBe(key);
    paths.push(path);
    const target = random() < 0.1 ? null : `/to${id}${isRegex ? '/$1' : ''}`;
    const statusCode = target === null ? 410 : 301;
    if (!rules.has(key))
      rules.set(key, { id, key, isRegex, newPath: target, statusCode, window: randomWindow(random) });
  }
  return { rules: [...rules.values()], paths };
}

test(`${RULESETS} rulesets match like the naive model, in every spelling of an address`, () => {
  const random = seeded(SEED);
  let matches = 0;
  let ends = 0;
  for (let n = 0; n < RULESETS; n++) {
    const { rules, paths } = randomRules(random);
    const draft = emptyRuleset().fork();
    for (const rule of rules) draft.add(rule);
    const ruleset = draft.seal();
    const options: MatchOptions = {
      caseSensitive: random() < 0.5,
      trailingSlash: pick(random, ['ignore', 'exact']),
      query: pick(random, ['pass', 'drop', 'exact']),
    };
    for (let request = 0; request < REQUESTS; request++) {
      const path = random() < 0.7 ? pick(random, paths) : randomPath(random);
      const query = randomQuery(random);
      const address = withQuery(spelled(random, path), query);
      const at = Math.floor(random() * 2 * TIMES);
      const match = ruleset.match(splitTarget(address), options, at);
      const expectedAt = (time: number) =>
        referenceMatch(existing(rules, time), { path: canonical(path), query }, options);
      const expected = expectedAt(at);
      const about = `${address} at ${at} with ${JSON.stringify({ options, rules })}; repeat with FUZZ_SEED=${SEED}`;
      expect(match && { id: match.id, location: match.location }, about).toEqual(expected);
      if (!match) continue;
      matches++;
      const [first] = [...ruleset.candidates(splitTarget(address), options, at)].filter(({ wins }) => wins);
      expect(first?.id, about).toBe(match.id);
      for (let time = at; time < Math.min(match.validUntil ?? Infinity, 3 * TIMES); time++)
        expect(expectedAt(time), `${about} still at ${time}`).toEqual(expected);
      if (match.validUntil !== undefined) ends++;
    }
  }
  expect(matches / (RULESETS * REQUESTS)).toBeGreaterThan(0.3);
  expect(ends / matches).toBeGreaterThan(0.1);
}, 600_000);
