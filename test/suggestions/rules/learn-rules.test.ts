/** Holds the rules of src/suggestions/rules/learn-rules.ts, rewrite.ts, rows.ts, pieces.ts and write-rules.ts. */
import { describe, expect, test } from 'vitest';
import { checkRedirect } from '../../../src/rules/check-redirect.ts';
import { effectOf } from '../../../src/suggestions/rules/effect.ts';
import { learnRules } from '../../../src/suggestions/rules/learn-rules.ts';
import type { DecidedRow, MoveRows } from '../../../src/suggestions/rules/rows.ts';

const WEBSITE = { caseSensitive: true, trailingSlash: 'ignore', query: 'pass' } as const;
const NAMES = ['apple', 'birch', 'cedar', 'date', 'elm', 'fig', 'grape', 'hazel', 'iris', 'juniper', 'kiwi', 'lime'];

const redirect = (url: string, target: string): DecidedRow => ({ url, decision: 'redirect', target });
/** Decisions that show nothing, so that there are ten. */
const FILL = NAMES.slice(0, 10).map((name): DecidedRow => ({ url: `/fill-${name}`, decision: 'skip', target: null }));

interface Example extends Partial<Omit<MoveRows, 'isCandidate'>> {
  decided: DecidedRow[];
  candidates: string[];
}

const rowsOf = ({ candidates, ...rows }: Example): MoveRows => {
  const known = new Set(candidates);
  const decided = [...FILL, ...rows.decided];
  return { undecided: [], living: [], website: WEBSITE, ...rows, decided, isCandidate: (target) => known.has(target) };
};

/** The rules as `pattern target covers/agrees`, each held against the resolver and the checks of a redirect. */
async function learn(example: Example): Promise<string[]> {
  const rows = rowsOf(example);
  const rules = await learnRules(rows);
  for (const { pattern, target, covers, agrees } of rules) {
    const rule = { oldPath: pattern, newPath: target, statusCode: 301, isRegex: true };
    expect(checkRedirect({ ...rule, activeFrom: null, activeUntil: null }, 'any').issues).toEqual([]);
    const effect = await effectOf({ pattern, target }, rows);
    const { differs, living, kept, noCandidate } = effect;
    expect([effect.covers.count, effect.agrees.count], pattern).toEqual([covers, agrees]);
    expect(
      [differs, living, kept, noCandidate].map(({ count }) => count),
      pattern,
    ).toEqual([0, 0, 0, 0]);
  }
  return rules.map(({ pattern, target, covers, agrees }) => `${pattern} ${target} ${covers}/${agrees}`);
}

const below = (folder: string, end = ''): string[] => NAMES.map((name) => `${folder}${name}${end}`);

describe('a rewrite becomes a rule', () => {
  test.each([
    ['a folder is renamed', '/old/', '', '/new/', '', '/old/(.*) /new/$1 11/1'],
    ['a segment is inserted', '/', '', '/archive/', '', '/((?:apple|'],
    ['a segment is removed', '/en/shop/', '', '/shop/', '', '/en/shop/(.*) /shop/$1 11/1'],
    ['an extension is dropped', '/docs/', '.html', '/docs/', '', '/docs/(.*)\\.html /docs/$1 11/1'],
    ['a slash is added', '/a/', '', '/b/', '/', '/a/(.*) /b/$1/ 11/1'],
    ['a prefix of names changes', '/x/img-', '', '/y/pic_', '', '/x/img-(.*) /y/pic_$1 11/1'],
    ['the target is on another host', '/old/', '', 'https://new.example/', '', '/old/(.*) https://new.example/$1 11/1'],
    ['the target has a digit and a dollar', '/a/', '', '/p$1/', '/2$', '/a/(.*) /p$$1/$1/2$$ 11/1'],
  ])('%s', async (_, oldStart, oldEnd, newStart, newEnd, expected) => {
    const [old = '', ...undecided] = below(oldStart, oldEnd);
    const [target = '', ...candidates] = below(newStart, newEnd);
    const [rule = ''] = await learn({ decided: [redirect(old, target)], undecided, candidates });
    if (oldStart === '/') expect(rule).toMatch(/^\/\(.+\)\(\.\*\) \/archive\/\$1\$2 \d+\/1$/);
    else expect(rule).toBe(expected);
  });
});

describe('a rule is narrowed until nothing contradicts it', () => {
  const decided = [redirect('/old/apple', '/new/apple')];
  const candidates = below('/new/');

  test('a row without a candidate', async () => {
    const undecided = [...below('/old/').slice(1), '/old/fir'];
    expect(await learn({ decided, undecided, candidates })).toEqual([
      '/old/(a|b|c|d|e|fig|g|h|i|j|k|l)(.*) /new/$1$2 11/1',
    ]);
  });

  test('a name that begins a wrong one is written whole', async () => {
    const undecided = [...below('/old/').slice(1), '/old/limestone'];
    expect(await learn({ decided, undecided, candidates })).toEqual([
      '/old/(a|b|c|d|e|f|g|h|i|j|k|lime$)(.*) /new/$1$2 11/1',
    ]);
  });

  test.each<[string, Partial<Example>]>([
    ['a living page', { living: ['/old/elk'] }],
    ['a row to keep', { decided: [...decided, { url: '/old/elk', decision: 'keep', target: null }] }],
    ['a row to skip', { decided: [...decided, { url: '/old/elk', decision: 'skip', target: null }] }],
    ['a row that is gone', { decided: [...decided, { url: '/old/elk', decision: 'gone', target: null }] }],
    ['a contradiction', { decided: [...decided, redirect('/old/elk', '/zoo')] }],
  ])('%s', async (_, change) => {
    const undecided = below('/old/').slice(1);
    expect(await learn({ decided, undecided, candidates, ...change })).toEqual([
      '/old/(a|b|c|d|elm|f|g|h|i|j|k|l)(.*) /new/$1$2 11/1',
    ]);
  });

  test('a page whose name was taken', async () => {
    const undecided = below('/old/').slice(1);
    const [rule] = await learn({ decided, undecided, candidates: [...candidates, '/new/iris--2'] });
    expect(rule).toBe('/old/(a|b|c|d|e|f|g|h|j|k|l)(.*) /new/$1$2 10/1');
  });
});

test('the example of the README', async () => {
  const rules = await learn({
    decided: [
      redirect('/shop/tea/green.html', '/store/tea/green'),
      { url: '/shop/offers.html', decision: 'gone', target: null },
    ],
    undecided: ['/shop/tea/black.html', '/shop/tea/white.html', '/shop/tea/old.html', '/shop/cups/blue.html'],
    candidates: ['/store/tea/black', '/store/tea/white', '/store/cups/blue'],
  });
  expect(rules).toEqual(['/shop/(cups/|tea/(?:b|g|w))(.*)\\.html /store/$1$2 3/1']);
});

test('fewer than ten decisions show no rules', async () => {
  const [, ...undecided] = below('/old/');
  const rows = rowsOf({ decided: [redirect('/old/apple', '/new/apple')], undecided, candidates: below('/new/') });
  expect(await learnRules({ ...rows, decided: [...rows.decided].slice(-9) })).toEqual([]);
  expect(await learnRules({ ...rows, decided: [...rows.decided].slice(-10) })).toHaveLength(1);
});

test('a few rows that fit by chance show no rule', async () => {
  const decided = [redirect('/old/apple', '/new/apple')];
  const undecided = below('/old/').slice(1);
  expect(await learn({ decided, undecided, candidates: below('/new/').slice(0, 4) })).toEqual([]);
});

test('a row has one target, that of the rewrite with more decided rows', async () => {
  const decided = [...NAMES.slice(0, 3).map((name) => redirect(`/old/${name}`, `/new/${name}`))];
  const rules = await learn({
    decided: [...decided, redirect('/old/date', '/other/date')],
    undecided: below('/old/').slice(4),
    candidates: [...below('/new/'), ...below('/other/')],
  });
  expect(rules).toEqual(['/old/(a|b|c|e|f|g|h|i|j|k|l)(.*) /new/$1$2 8/3']);
});

test('a rule without case keeps the case of the request', async () => {
  const website = { ...WEBSITE, caseSensitive: false };
  const decided = [redirect('/Old/Sub/Apple', '/New/Sub/Apple')];
  const undecided = ['/old/Sub/Birch', '/OLD/Sub/Cedar', '/old/Sub/DATE', '/old/Sub/Fir'];
  const candidates = ['/New/Sub/Birch', '/New/Sub/Cedar', '/New/Sub/DATE'];
  expect(await learn({ decided, undecided, candidates, website })).toEqual([
    '/old/(sub/(?:a|b|c|d))(.*) /New/$1$2 3/1',
  ]);
});

test('a query is passed on, and the candidate has it', async () => {
  const decided = [redirect('/old/apple?id=1', '/new/apple?id=1')];
  const undecided = ['/old/birch?id=2', '/old/cedar?id=3', '/old/date?id=4'];
  const candidates = ['/new/birch?id=2', '/new/cedar?id=3', '/new/date'];
  expect(await learn({ decided, undecided, candidates })).toEqual(['/old/(a|b|c)(.*) /new/$1$2 2/1']);
});

test('many pieces become several rules, each with a decided row', async () => {
  const names = Array.from({ length: 900 }, (_, i) => `n${(i * 7919) % 1000}`);
  const isMoved = (i: number): boolean => i % 3 > 0;
  const decided = names.slice(0, 12).map((name, i) => redirect(`/old/${name}`, isMoved(i) ? `/new/${name}` : '/'));
  const undecided = names.slice(12).map((name) => `/old/${name}`);
  const candidates = names.flatMap((name, i) => (isMoved(i) ? [`/new/${name}`] : []));
  const rules = await learn({ decided, undecided, candidates });
  expect(rules.length).toBeGreaterThan(1);
  expect(rules.every((rule) => !rule.endsWith('/0'))).toBe(true);
  const covers = rules.map((rule) => Number(/ (\d+)\/\d+$/.exec(rule)?.[1]));
  expect(covers.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(450);
});

test('hostile URLs are read in time, and rules for them are exact', async () => {
  const parts = [
    '/a(b',
    '/a|b',
    '/a*b',
    '/a$b',
    '/a%2Fb',
    '/a%C3%A9',
    '/a%C3%A8',
    '/a//b',
    '/a+b',
    `/${'a-'.repeat(900)}`,
  ];
  const paths = parts.map((part) => `/o.x${part}`);
  const targets = paths.map((path) => path.replace('/o.x', '/n$x'));
  const decided = paths.slice(0, 3).map((path, i) => redirect(path, targets[i] ?? ''));
  const isMissing = (path: string): boolean => path.includes('%C3%A8');
  const rules = await learn({
    decided,
    undecided: [...paths.slice(3), '/oyx/a*b'],
    candidates: targets.filter((target) => !isMissing(target)),
    living: ['/o.x/a', '/o.x/'],
  });
  expect(rules).toHaveLength(1);
  expect(rules[0]).toMatch(/ 6\/3$/);
});
