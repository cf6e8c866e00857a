import { describe, expect, test } from 'vitest';
import { absorbs, patternAutomaton, sharedPath } from '../../../src/resolver/patterns/pattern-overlap.ts';

const shared = (one: string, other: string, caseSensitive = true, pairs = 10_000): string | undefined =>
  sharedPath(patternAutomaton(one), patternAutomaton(other), caseSensitive, { pairs });

describe('two patterns', () => {
  test.each([
    ['^/blog/(.*)$', '^/blog/2024/(.+)$'],
    ['^/a/([^/]+)/c$', '^/a/b/(.*)$'],
    ['^/(\\d+)$', '^/([0-9a-f]+)$'],
    ['^/x(?:/.*)?$', '^/x$'],
  ])('%s and %s share a path, which both match', (one, other) => {
    const path = shared(one, other);
    expect(path).toMatch(new RegExp(one));
    expect(path).toMatch(new RegExp(other));
  });

  test.each([
    ['^/blog/(.*)$', '^/news/(.*)$'],
    ['^/(.*)-1$', '^/(.*)-2$'],
    ['^/([a-z]+)$', '^/(\\d+)$'],
    ['^/a/([^/]+)$', '^/a/b/(.+)$'],
  ])('%s and %s share none', (one, other) => {
    expect(shared(one, other)).toBeUndefined();
  });

  test('that differ in case share a path only if case is ignored', () => {
    expect(shared('^/Sale/(.*)$', '^/sale/(.*)$')).toBeUndefined();
    expect(shared('^/Sale/(.*)$', '^/sale/(.*)$', false)).toBeDefined();
  });

  test('may share a path, which is unknown, if the budget is used up or a pattern has no automaton', () => {
    expect(shared('^/(.*)-1$', '^/(.*)-2$', true, 3)).toBe('');
    expect(sharedPath(undefined, patternAutomaton('^/a$'), true, { pairs: 10 })).toBe('');
  });

  test('take the pairs of their states from the budget', () => {
    const budget = { pairs: 10_000 };
    sharedPath(patternAutomaton('^/(.*)-1$'), patternAutomaton('^/(.*)-2$'), true, budget);
    expect(budget.pairs).toBeLessThan(10_000);
    expect(budget.pairs).toBeGreaterThan(9_000);
  });
});

test('a pattern absorbs the paths with a beginning only if it matches all of them', () => {
  expect(absorbs(patternAutomaton('^/blog/(.*)$'), '/blog/2024/', true)).toBe(true);
  expect(absorbs(patternAutomaton('^/blog/([^/]+)$'), '/blog/2024/', true)).toBe(false);
  expect(absorbs(patternAutomaton('^/blog/(.*)$'), '/blo', true)).toBe(false);
});
