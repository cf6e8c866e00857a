import { expect, test } from 'vitest';
import { decodeRuleset, type EncodedRuleset, encodeRuleset } from '../../src/resolver/encode-ruleset.ts';
import type { Rule } from '../../src/resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../../src/resolver/ruleset.ts';

const KINDS: [string, string | null][] = [
  ['/a', '/b'],
  ['/A', 'https://example.com/ü'],
  ['/a?q=1', null],
  ['^/p/(.*)$', '/$1'],
];

function rulesetOf(count: number): { ruleset: Ruleset; rules: Rule[] } {
  const rules = Array.from({ length: count }, (_, i): Rule => {
    const [path = '', newPath = null] = KINDS[i < 40 ? i % 4 : i % 2] ?? [];
    const key = path.replace(/[aAp]/, (letter) => `${letter}${i}`);
    const statusCode = newPath === null ? 410 : 301;
    const window = i % 5 === 1 || i % 5 === 3 ? { from: i, until: i % 5 === 1 ? null : 9e12 + i } : undefined;
    return { id: i + 1, key, isRegex: path.startsWith('^'), newPath, statusCode, ...(window && { window }) };
  });
  const draft = emptyRuleset().fork();
  for (const rule of rules) draft.add(rule);
  return { ruleset: draft.seal(), rules };
}

function throughBytes(ruleset: Ruleset): Ruleset {
  const { head, blocks } = encodeRuleset(ruleset);
  const copies = blocks.map((block) => Buffer.from(block));
  const decoded = decodeRuleset(JSON.parse(JSON.stringify(head)) as EncodedRuleset);
  decoded.blocks.forEach((block, i) => block.set(copies[i] ?? []));
  return decoded.open();
}

const byId = (a: Rule, b: Rule): number => a.id - b.id;

test.each([0, 1, 50, 30_000])('%i rules are decoded as they were encoded, and can be edited', (count) => {
  const { ruleset, rules } = rulesetOf(count);
  const decoded = throughBytes(ruleset);
  expect(decoded.size).toBe(count);
  expect([...decoded.rules()].sort(byId)).toEqual(rules);
  expect([decoded.wastedBytes, decoded.requiresQueries]).toEqual([ruleset.wastedBytes, count > 2]);
  expect([decoded.isScheduled, ruleset.isScheduled]).toEqual([count > 1, count > 1]);
  for (const { key } of rules) if (!decoded.get(key)) throw new Error(`${key} is lost`);

  const draft = decoded.fork();
  for (const { key } of rules.slice(0, 100)) draft.remove(key);
  const added = rules.slice(0, 50).map((rule) => ({ ...rule, newPath: '/edited' }));
  for (const rule of added) draft.add(rule);
  expect([...draft.seal().rules()].sort(byId)).toEqual([...added, ...rules.slice(100)]);
  expect([...decoded.rules()].sort(byId)).toEqual(rules);
});

test('a ruleset of a version without windows gets its first window', () => {
  const { head, blocks } = encodeRuleset(rulesetOf(1).ruleset);
  const { scheduled: _scheduled, ...literals } = head.literals;
  const decoded = decodeRuleset({ ...head, literals });
  decoded.blocks.forEach((block, i) => block.set(blocks[i] ?? []));
  const draft = decoded.open().fork();
  draft.add({ id: 9, key: '/z', isRegex: false, newPath: '/y', statusCode: 301, window: { from: 5, until: null } });
  const ruleset = draft.seal();
  expect(ruleset.isScheduled).toBe(true);
  const options = { caseSensitive: true, trailingSlash: 'ignore', query: 'pass' } as const;
  const at = (time: number) => ruleset.match({ path: '/z', query: null }, options, time)?.id;
  expect([at(4), at(5)]).toEqual([undefined, 9]);
});

test('the other final slash is found as before the counts of slashes, in edited and in decoded rulesets', () => {
  const options = { caseSensitive: true, trailingSlash: 'ignore', query: 'pass' } as const;
  const twinsOf = (ruleset: Ruleset) =>
    ['/a', '/a/', '/b', '/b/'].map((path) => ruleset.match({ path, query: null }, options)?.key);
  const add = (ruleset: Ruleset, ...keys: string[]): Ruleset => {
    const draft = ruleset.fork();
    for (const [id, key] of keys.entries())
      draft.add({ id: id + 1, key, isRegex: false, newPath: '/x', statusCode: 301 });
    return draft.seal();
  };
  const without = add(emptyRuleset(), '/a', '/a?q=/');
  expect(twinsOf(without)).toEqual(['/a', '/a', undefined, undefined]);
  const both = add(throughBytes(without), '/b/');
  expect(twinsOf(both)).toEqual(['/a', '/a', '/b/', '/b/']);
  const draft = both.fork();
  for (const key of ['/a', '/a?q=/']) draft.remove(key);
  expect(twinsOf(throughBytes(draft.seal()))).toEqual([undefined, undefined, '/b/', '/b/']);

  const { head, blocks } = encodeRuleset(both);
  const { withSlash: _withSlash, ...old } = head;
  const decoded = decodeRuleset(JSON.parse(JSON.stringify(old)) as typeof head);
  decoded.blocks.forEach((block, i) => block.set(blocks[i] ?? []));
  const opened = add(decoded.open(), '/c/');
  expect(twinsOf(opened)).toEqual(['/a', '/a', '/b/', '/b/']);
  expect(twinsOf(throughBytes(opened))).toEqual(['/a', '/a', '/b/', '/b/']);
});

test('an edited ruleset keeps its bytes free for later entries', () => {
  let ruleset = rulesetOf(10).ruleset;
  for (let i = 0; i < 2_000; i++) {
    const draft = throughBytes(ruleset).fork();
    draft.remove('/a0');
    draft.add({ id: 1, key: '/a0', isRegex: false, newPath: `/${i}`, statusCode: 301 });
    ruleset = draft.seal();
  }
  expect(ruleset.get('/a0')?.newPath).toBe('/1999');
  expect(ruleset.bytes).toBeLessThan(200_000);
});
