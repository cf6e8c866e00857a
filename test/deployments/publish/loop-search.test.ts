/** The search for loops in a candidate, without a database. */
import { expect, test } from 'vitest';
import { applyChanges } from '../../../src/deployments/live/build-candidate.ts';
import { findLoops } from '../../../src/deployments/publish/loops.ts';
import { optionsFrom, ruleOf, rulesetOf } from '../../resolver/rules.ts';

const names = Array.from({ length: 40 }, (_, i) => `n${i}`);

/** Each rule redirects a request with all names to itself, so each step of a search tries all rules. */
async function slowCandidate() {
  const keys = names.flatMap((one, i) => names.slice(i + 1).map((other) => `/p?${one}&${other}`));
  const rules = keys.map((key, i) => ({ ...ruleOf(`/p -> /p?${names.join('&')}`, i + 1), key }));
  async function* batches() {
    yield rules.map((rule) => ({ oldKey: null, oldPath: '', rule }));
  }
  return applyChanges(rulesetOf([]), batches());
}

test('a search that reaches its time limit ends with what it found', async () => {
  const candidate = await slowCandidate();
  const search = { options: optionsFrom(), hosts: [], environment: 'production' as const, known: undefined };
  expect(await findLoops(candidate, search, 10)).toMatchObject({ starts: undefined, isCutShort: true });
  expect(await findLoops(candidate, search)).toMatchObject({ isCutShort: false });
});

test('a loop takes rules with a window as existing, and says that it has one', async () => {
  const window = { from: null, until: 1 };
  async function* batches() {
    yield [
      { oldKey: null, oldPath: '', rule: { ...ruleOf('/a -> /b', 1), window } },
      { oldKey: null, oldPath: '', rule: ruleOf('/b -> /a', 2) },
      { oldKey: null, oldPath: '', rule: ruleOf('/c -> /d', 3) },
      { oldKey: null, oldPath: '', rule: ruleOf('/d -> /c', 4) },
    ];
  }
  const candidate = await applyChanges(rulesetOf([]), batches());
  const { loops } = await findLoops(candidate, {
    options: optionsFrom(),
    hosts: [],
    environment: 'production' as const,
    known: undefined,
  });
  expect(loops.map(({ rules, isScheduled }) => [rules[0]?.key, isScheduled]).toSorted()).toEqual([
    ['/a', true],
    ['/c', false],
  ]);
});
