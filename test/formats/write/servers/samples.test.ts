/** The sample requests that a server's configuration names. */
import { expect, test } from 'vitest';
import { literalRule } from '../../../../src/formats/write/servers/literal-rule.ts';
import { patternRule } from '../../../../src/formats/write/servers/pattern-rule.ts';
import { createSamples } from '../../../../src/formats/write/servers/samples.ts';
import type { TargetedRule } from '../../../../src/formats/write/servers/server-format.ts';
import { serverSite, targetedRule } from './server-rule.ts';

function textsOf(rules: Partial<TargetedRule>[]): string[] {
  const site = serverSite();
  const samples = createSamples(site);
  for (const rule of rules.map(targetedRule)) {
    const converted = rule.isRegex ? patternRule(rule, site, 'pcre') : literalRule(rule, site);
    if ('reason' in converted) throw new Error(converted.reason);
    samples.add(rule, converted);
  }
  return samples.texts();
}

const pattern = (id: string, oldPath: string, newPath = '/b') => ({
  id,
  key: oldPath,
  oldPath,
  newPath,
  isRegex: true,
});

test('a sample has the path as browsers send it, and a query if the target has one', () => {
  expect(
    textsOf([
      {},
      { id: '6', key: '/x%5B1%5D%20%7C' },
      { id: '7', newPath: '/b?k=1' },
      { id: '8', newPath: null, statusCode: 410 },
      pattern('9', '^/p/(\\d+)/([^/]+)$'),
      pattern('10', '/q/(.*)', '/b?x=$1'),
      pattern('11', '/none/[xyz]{3}'),
    ]),
  ).toEqual([
    'sample: redirect 5 /a',
    'sample: redirect 6 /x[1]%20|',
    'sample: redirect 7 /a?k=1&detour=sample',
    'sample: redirect 8 /a',
    'sample: redirect 9 /p/1/1',
    'sample: redirect 10 /q/a?x=1&detour=sample',
  ]);
});

test('three rules of each kind are chosen, the same ones in any order', () => {
  const rules = Array.from({ length: 100 }, (_, at) => ({ id: String(at), key: `/a${at}` }));
  const chosen = textsOf(rules);
  expect(chosen).toHaveLength(3);
  expect(textsOf(rules.toReversed())).toEqual(chosen);
});
