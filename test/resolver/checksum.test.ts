import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addToSum, EMPTY_SUM } from '../../src/resolver/checksum.ts';
import { decodeRuleset, type EncodedRuleset, encodeRuleset } from '../../src/resolver/encode-ruleset.ts';
import type { Rule } from '../../src/resolver/rule.ts';
import { emptyRuleset, openRuleset, type Ruleset } from '../../src/resolver/ruleset.ts';
import { runToEnd } from './rules.ts';

function rulesetOf(rules: Rule[], from = emptyRuleset()): Ruleset {
  const draft = from.fork();
  for (const rule of rules) draft.add(rule);
  return draft.seal();
}

function decoded(ruleset: Ruleset, change: (head: EncodedRuleset) => void = () => {}): Ruleset {
  const { head, blocks } = encodeRuleset(ruleset);
  const copy = JSON.parse(JSON.stringify(head)) as EncodedRuleset;
  change(copy);
  const read = decodeRuleset(copy);
  read.blocks.forEach((block, i) => block.set(blocks[i] ?? []));
  return read.open();
}

const times = fc.option(fc.integer({ min: 0, max: 2 ** 43 }));
const text = fc.string({ unit: fc.constantFrom('a', 'B', '/', '%', '7', '-'), maxLength: 6 });
const rule: fc.Arbitrary<Rule> = fc
  .record({
    id: fc.integer({ min: 1, max: 2 ** 50 }),
    key: fc.oneof(
      text.map((path) => `/${path}`),
      text.map((path) => `/${path}?k=v`),
    ),
    isRegex: fc.boolean(),
    newPath: fc.option(fc.oneof(text, fc.constantFrom('/ü', 'https://example.com/中')).map((path) => `/${path}`)),
    statusCode: fc.constantFrom(301, 302, 410),
    from: times,
    until: times,
  })
  .map(({ from, until, isRegex, key, ...fields }) => ({
    ...fields,
    isRegex,
    key: isRegex ? `^${key.replace('?', '')}(.*)` : key,
    ...((from !== null || until !== null) && { window: { from, until } }),
  }));
const rules = fc.uniqueArray(rule, { selector: ({ key }) => key, maxLength: 12 });

test('equal rules have one checksum, whatever the order and the edits that led to them', () => {
  fc.assert(
    fc.property(rules, rules, (before, after) => {
      const draft = rulesetOf(before).fork();
      for (const { key } of before) draft.remove(key);
      const patched = rulesetOf(after, draft.seal());
      const { checksum } = rulesetOf(after.toReversed());
      expect(checksum).toMatch(/^[0-9a-f]{13}$/);
      expect(patched.checksum).toBe(checksum);
      expect(runToEnd(patched.compact()).checksum).toBe(checksum);
      expect(openRuleset(patched.share()).checksum).toBe(checksum);
      expect(decoded(patched).checksum).toBe(checksum);
    }),
  );
});

test('no rules have the checksum zero, also after the last one is removed', () => {
  const draft = rulesetOf([{ id: 1, key: '/a', isRegex: false, newPath: '/b', statusCode: 301 }]).fork();
  draft.remove('/a');
  expect([emptyRuleset().checksum, draft.seal().checksum]).toEqual(['0000000000000', '0000000000000']);
});

test('each field of a rule changes the checksum', () => {
  const base: Rule = { id: 7, key: '/aaa', isRegex: false, newPath: '/b', statusCode: 301 };
  const others: Partial<Rule>[] = [
    { id: 8 },
    { id: 7 + 2 ** 32 },
    { key: '/aab' },
    { key: '/aa' },
    { key: '/aaa/', newPath: 'b' },
    { isRegex: true },
    { newPath: '/c' },
    { newPath: '/b ' },
    { newPath: '/\u4e2d' },
    { newPath: '/\u4e2e' },
    { newPath: null },
    { newPath: '' },
    { statusCode: 302 },
    { window: { from: 5, until: null } },
    { window: { from: 5 + 2 ** 32, until: null } },
    { window: { from: null, until: 5 } },
    { window: { from: 5, until: 6 } },
  ];
  const checksums = [{}, ...others].map((fields) => rulesetOf([{ ...base, ...fields }]).checksum);
  expect(new Set(checksums).size).toBe(checksums.length);
});

test('two rules that exchange their targets change the checksum', () => {
  const [a, b]: Rule[] = ['/a', '/b'].map((key, i) => ({ id: i, key, isRegex: false, newPath: key, statusCode: 301 }));
  if (!a || !b) throw new Error('two rules');
  const exchanged = [
    { ...a, newPath: '/b' },
    { ...b, newPath: '/a' },
  ];
  expect(rulesetOf(exchanged).checksum).not.toBe(rulesetOf([a, b]).checksum);
});

test('a hundred thousand similar rules have as many hashes, and sums that stay in range', () => {
  const hashes = new Set<number>();
  let sum = EMPTY_SUM;
  for (let id = 1; id <= 100_000; id++) {
    const similar = { id, key: `/p/${id}`, isRegex: false, newPath: `/q/${id}`, statusCode: 301 };
    hashes.add(addToSum(EMPTY_SUM, similar));
    sum = addToSum(sum, similar);
    if (sum < 0 || sum >= 2 ** 52) throw new Error(`${sum} is out of range`);
  }
  expect(hashes.size).toBe(100_000);
});

test('rules of a file without a checksum have none, and neither have their patches', () => {
  const ruleset = rulesetOf([{ id: 1, key: '/a', isRegex: false, newPath: '/b', statusCode: 301 }]);
  const old = decoded(ruleset, ({ literals }) => delete literals.sum);
  expect([old.size, old.checksum, decoded(old).checksum]).toEqual([1, undefined, undefined]);
  const draft = old.fork();
  draft.remove('/a');
  draft.add({ id: 2, key: '/c', isRegex: false, newPath: '/b', statusCode: 301 });
  expect(draft.seal().checksum).toBeUndefined();
});
