import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRuleChecksum, EMPTY_CHECKSUM } from '../../src/feed-client/checksum.ts';
import type { Rule } from '../../src/resolver/rule.ts';

const RULE: Rule = { id: 7, key: '/a', isRegex: false, newPath: '/b', statusCode: 301 };

const sumOf = (rules: Rule[]): string => {
  const checksum = createRuleChecksum();
  for (const rule of rules) checksum.add(rule);
  return checksum.text();
};

const anyRule = fc.record({
  id: fc.nat({ max: 2 ** 40 }),
  key: fc.string().map((text) => `/${text}`),
  isRegex: fc.boolean(),
  newPath: fc.option(fc.string({ minLength: 1 }), { nil: null }),
  statusCode: fc.constantFrom(301, 302, 410),
});

test('no rules have the checksum zero, and a known rule has a known one', () => {
  expect(sumOf([])).toBe(EMPTY_CHECKSUM);
  expect(sumOf([RULE])).toBe('613b3b9b13e31a45');
});

test('the order of the rules does not matter', () => {
  fc.assert(fc.property(fc.array(anyRule), (rules) => void expect(sumOf(rules)).toBe(sumOf(rules.toReversed()))));
});

test('a difference leads to the checksum of the result, from the text of the former one', () => {
  fc.assert(
    fc.property(fc.array(anyRule), fc.array(anyRule), (kept, removed) => {
      const checksum = createRuleChecksum(sumOf([...kept, ...removed]));
      for (const rule of removed) checksum.remove(rule);
      expect(checksum.text()).toBe(sumOf(kept));
    }),
  );
});

test('every field of a rule changes the checksum', () => {
  const variants: Rule[] = [
    RULE,
    { ...RULE, id: 8 },
    { ...RULE, key: '/A' },
    { ...RULE, isRegex: true },
    { ...RULE, newPath: '/c' },
    { ...RULE, newPath: null },
    { ...RULE, statusCode: 302 },
    { ...RULE, window: { from: 1, until: null } },
    { ...RULE, window: { from: null, until: 1 } },
  ];
  expect(new Set(variants.map((rule) => sumOf([rule]))).size).toBe(variants.length);
});

test('tens of thousands of similar rules have different hashes', () => {
  const sums = new Set<string>();
  for (let id = 1; id <= 50_000; id++) sums.add(sumOf([{ ...RULE, id, key: `/item-${id % 1_000}` }]));
  expect(sums.size).toBe(50_000);
});
