/** A worker thread that patches rulesets which it receives. */
import { parentPort } from 'node:worker_threads';
import type { Rule } from '../../src/resolver/rule.ts';
import { openRuleset, type SharedRuleset } from '../../src/resolver/ruleset.ts';

export interface Patch {
  base: SharedRuleset;
  remove: string[];
  add: Rule[];
  /** counts down; all threads begin when it is 0 */
  gate: Int32Array;
  /** never seal the draft */
  abandon: boolean;
}

parentPort?.on('message', ({ base, remove, add, gate, abandon }: Patch) => {
  const draft = openRuleset(base).fork();
  Atomics.sub(gate, 0, 1);
  while (Atomics.load(gate, 0) > 0);
  for (const key of remove) draft.remove(key);
  for (const rule of add) draft.add(rule);
  parentPort?.postMessage(abandon ? undefined : draft.seal().share());
});
