import { expect, test } from 'vitest';
import type { Journey } from '../../src/resolver/follow.ts';
import { growingRound, sampleRequests, startRequests } from '../../src/resolver/growing-loop.ts';
import type { Rule } from '../../src/resolver/rule.ts';

/** A journey over these rules, each on an address that is longer than the one before by `growth` characters. */
const journey = (ruleIds: number[], growth = 1, outcome = 'too-many') =>
  ({ hops: ruleIds.map((ruleId, at) => ({ ruleId, url: `/${'x'.repeat(10 + at * growth)}` })), outcome }) as Journey;

const ALTERNATING = [9, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2];

test('a rule that is used five times on longer addresses is a loop, whose round is returned', () => {
  expect(growingRound(journey([1, 1, 1, 1, 1]))?.map(({ ruleId }) => ruleId)).toEqual([1]);
  expect(growingRound(journey(ALTERNATING))?.map(({ ruleId }) => ruleId)).toEqual([2, 1]);
});

test('a journey that ends, that grows no longer, or that uses no rule often is no loop', () => {
  expect(growingRound(journey(ALTERNATING, 1, 'end'))).toBeUndefined();
  expect(growingRound(journey(ALTERNATING, 0))).toBeUndefined();
  expect(growingRound(journey([1, 1, 1, 1]))).toBeUndefined();
});

test('a pattern starts at samples of its target, a literal at its key, and a target elsewhere nowhere', () => {
  const pattern = { isRegex: true, newPath: '/b/$1?q=$1' } as Rule;
  expect(sampleRequests(pattern)).toEqual([
    { path: '/b/x', query: 'q=x' },
    { path: '/b/1', query: 'q=1' },
    { path: '/b/2024', query: 'q=2024' },
  ]);
  expect(startRequests('^/a(.*)$', pattern)).toHaveLength(3);
  expect(startRequests('/a', { isRegex: false, newPath: '/b' } as Rule)).toEqual([{ path: '/a', query: null }]);
  expect(sampleRequests({ isRegex: true, newPath: 'https://other.example/$1' })).toEqual([]);
});
