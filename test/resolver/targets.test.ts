import { expect, test } from 'vitest';
import { emptyRuleset, type Ruleset } from '../../src/resolver/ruleset.ts';
import type { Rule } from '../../src/resolver/rule.ts';

const rule = (id: number, key: string, newPath: string | null): Rule => ({
  id,
  key,
  newPath,
  isRegex: false,
  statusCode: newPath === null ? 410 : 301,
});
const standing = (ruleset: Ruleset): string[] =>
  [...ruleset.targets()].filter((target) => target.isCurrent()).map(({ newPath }) => newPath);

test('every literal target is listed as stored, in any script, and rules without target are not', () => {
  const draft = emptyRuleset().fork();
  draft.add(rule(1, '/a', '/x?y=1#z'));
  draft.add(rule(2, '/b', '/größe/尺寸'));
  draft.add(rule(3, '/c', null));
  draft.add(rule(300, '/C', '/upper'));
  draft.add({ ...rule(5, '/p/(.*)', '/q/$1'), isRegex: true });
  expect(standing(draft.seal())).toEqual(['/x?y=1#z', '/größe/尺寸', '/upper']);
  expect(standing(emptyRuleset())).toEqual([]);
});

test('a listed target leads to the key of its rule', () => {
  const draft = emptyRuleset().fork();
  draft.add(rule(1, '/a', '/x'));
  draft.add(rule(300, '/C', '/upper'));
  const ruleset = draft.seal();
  const keys = [...ruleset.targets()].map((target) => [target.key(), ruleset.keyAt(target.reference)]);
  expect(keys).toEqual([
    ['/a', '/a'],
    ['/C', '/C'],
  ]);
});

test('the target of a removed or replaced rule is current only in the rulesets before the change', () => {
  const first = emptyRuleset().fork();
  first.add(rule(1, '/a', '/one'));
  first.add(rule(2, '/b', '/two'));
  const before = first.seal();
  const draft = before.fork();
  draft.remove('/a');
  draft.remove('/b');
  draft.add(rule(2, '/b', '/three'));
  const thrownAway = before.fork();
  thrownAway.add(rule(9, '/n', '/never'));
  expect(standing(draft.seal())).toEqual(['/three']);
  expect(standing(before)).toEqual(['/one', '/two']);
});

test('a ruleset of several pages lists each target once', () => {
  const draft = emptyRuleset().fork();
  const count = 60_000;
  for (let i = 0; i < count; i++) draft.add(rule(i + 1, `/old/page/${i}`, `/new/page/of/the/shop/${i}`));
  const listed = standing(draft.seal());
  expect(listed).toHaveLength(count);
  expect(new Set(listed).size).toBe(count);
});
