import { expect, test } from 'vitest';
import { effectOf, followRules } from '../../../src/suggestions/rules/effect.ts';

const WEBSITE = { caseSensitive: true, trailingSlash: 'ignore', query: 'pass' } as const;

test('counts what a rule does, and the conditions that it breaks', async () => {
  const rows = {
    decided: [
      { url: '/old/a', decision: 'redirect', target: '/new/a' },
      { url: '/old/b', decision: 'redirect', target: '/elsewhere' },
      { url: '/old/c', decision: 'gone', target: null },
      { url: '/old/d', decision: 'keep', target: null },
      { url: '/old/e', decision: 'skip', target: null },
      { url: '/older/a', decision: 'keep', target: null },
    ] as const,
    undecided: ['/old/f', '/old/g?x=1', '/old/h', '/other'],
    living: ['/old/page', '/new/f'],
    isCandidate: (target: string) => ['/new/f', '/new/g?x=1'].includes(target),
    website: WEBSITE,
  };
  const counted = (...examples: string[]) => ({ count: examples.length, examples });
  expect(await effectOf({ pattern: '/old/(.*)', target: '/new/$1' }, rows)).toEqual({
    covers: counted('/old/f', '/old/g?x=1', '/old/h'),
    agrees: counted('/old/a'),
    differs: counted('/old/b', '/old/c'),
    living: counted('/old/page'),
    kept: counted('/old/d', '/old/e'),
    noCandidate: counted('/old/h'),
  });
});

test('names up to 5 URLs of each', async () => {
  const undecided = Array.from({ length: 7 }, (_, i) => `/old/${i}`);
  const rows = { decided: [], undecided, living: [], isCandidate: () => true, website: WEBSITE };
  const { covers } = await effectOf({ pattern: '/old/(.*)', target: '/new/$1' }, rows);
  expect(covers).toEqual({ count: 7, examples: undecided.slice(0, 5) });
});

test('follows rules with the precedence of the resolver', () => {
  const rules = [
    { pattern: '/(.*)', target: '/archive/$1' },
    { pattern: '/docs/(.*)', target: '/guide/$1' },
  ];
  const follow = followRules(rules, WEBSITE);
  expect(['/docs/a', '/a?b=c'].map(follow)).toEqual(['/guide/a', '/archive/a?b=c']);
  expect(followRules(rules.slice(1), WEBSITE)('/a')).toBeNull();
});
