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
  const search = { options: optionsFrom(), ownHosts: [], known: undefined };
  expect(await findLoops(candidate, search, 10)).toMatchObject({ starts: undefined, isCutShort: true });
  expect(await findLoops(candidate, search)).toMatchObject({ isCutShort: false });
});
