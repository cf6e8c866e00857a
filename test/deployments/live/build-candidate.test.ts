import { expect, test } from 'vitest';
import {
  applyChanges,
  type Candidate,
  isSameRule,
  replaceRules,
} from '../../../src/deployments/live/build-candidate.ts';
import type { RuleChange } from '../../../src/deployments/live/database/rules-at.ts';
import type { Rule } from '../../../src/resolver/rule.ts';
import { ruleOf, rulesetOf } from '../../resolver/rules.ts';

const change = (oldKey: string | null, rule: Rule | null): RuleChange => ({ oldKey, oldPath: '', rule });

async function* batchesOf<T>(...batches: T[][]): AsyncGenerator<T[]> {
  yield* batches;
}

const rulesIn = ({ ruleset }: Candidate): string[] =>
  [...ruleset.rules()].map(({ id, key, newPath }) => `${id} ${key} ${newPath}`).toSorted();

test('changes are applied to a fork, counted by kind, and name the keys to check for loops', async () => {
  const live = rulesetOf(['/a -> /x', '/b -> /x', '/c -> /x']);
  const candidate = await applyChanges(
    live,
    batchesOf([change('/a', ruleOf('/a -> /y', 1)), change('/b', null)], [change(null, ruleOf('/d -> /x', 4))]),
  );
  expect(rulesIn(candidate)).toEqual(['1 /a /y', '3 /c /x', '4 /d /x']);
  expect(candidate).toMatchObject({ added: 1, changed: 1, removed: 1, startKeys: ['/a', '/b', '/d'] });
  expect(live.size).toBe(3);
  expect(live.get('/a')?.newPath).toBe('/x');
});

test('an edit that was reverted before the deployment does not count as a change', async () => {
  const live = rulesetOf(['/a -> /x']);
  const candidate = await applyChanges(live, batchesOf([change('/a', ruleOf('/a -> /x', 1))]));
  expect(candidate).toMatchObject({ added: 0, changed: 0, removed: 0, startKeys: [] });
});

test('a change of the window alone counts as a change', async () => {
  const live = rulesetOf(['/a -> /x']);
  const scheduled = { ...ruleOf('/a -> /x', 1), window: { from: 5, until: null } };
  const candidate = await applyChanges(live, batchesOf([change('/a', scheduled)]));
  expect(candidate).toMatchObject({ added: 0, changed: 1, removed: 0, ruleset: { isScheduled: true } });
  expect(await replaceRules(candidate.ruleset, batchesOf([scheduled]))).toMatchObject({ changed: 0 });
  expect(await replaceRules(candidate.ruleset, batchesOf([ruleOf('/a -> /x', 1)]))).toMatchObject({ changed: 1 });
});

test('two rules may exchange their paths in one candidate', async () => {
  const live = rulesetOf(['/a -> /x', '/b -> /y']);
  const swapped = [change('/a', ruleOf('/b -> /x', 1)), change('/b', ruleOf('/a -> /y', 2))];
  const candidate = await applyChanges(live, batchesOf(swapped));
  expect(rulesIn(candidate)).toEqual(['1 /b /x', '2 /a /y']);
  expect(candidate).toMatchObject({ added: 0, changed: 2, removed: 0 });
});

test('a changed pattern means that loops may start at every key', async () => {
  const live = rulesetOf(['/a -> /x']);
  const candidate = await applyChanges(live, batchesOf([change(null, ruleOf('~/p(.*) -> /x', 2))]));
  expect(candidate).toMatchObject({ startKeys: 'all', startPatterns: ['/p(.*)'] });
});

test('replaced rules are compared with the live ones by id and content', async () => {
  const live = rulesetOf(['/a -> /x', '/b -> /x', '/c -> /x', '/gone -> /x']);
  const rules = [ruleOf('/a -> /x', 1), ruleOf('/b -> /y', 2), ruleOf('/c -> /x', 33), ruleOf('/new -> /x', 5)];
  const candidate = await replaceRules(live, batchesOf(rules.slice(0, 2), rules.slice(2)));
  expect(candidate).toMatchObject({ added: 2, changed: 1, removed: 2, startKeys: 'all' });
  expect(candidate.ruleset.size).toBe(4);
});

test.each<[string, Partial<Rule>]>([
  ['id', { id: 2 }],
  ['target', { newPath: '/y' }],
  ['status', { statusCode: 302 }],
  ['kind', { isRegex: true }],
])('a rule with another %s is not the same rule', (_, other) => {
  const rule = ruleOf('/a -> /x', 1);
  expect(isSameRule(rule, { ...rule })).toBe(true);
  expect(isSameRule(rule, { ...rule, ...other })).toBe(false);
  expect(isSameRule(undefined, rule)).toBe(false);
});
