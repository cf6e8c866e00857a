/**
 * How soon a process follows a change whose NOTIFY was never sent, because the process that made it was killed. Holds
 * the rules of src/deployments/live/database/read-sites.ts.
 */
import { expect, test } from 'vitest';
import { listenForChanges } from '../../../src/deployments/live/change-listener.ts';
import { createRulesets } from '../../../src/deployments/live/rulesets.ts';
import { prepareRulesFrom } from '../../../src/jobs/ruleset-jobs.ts';
import { createLoop } from '../../../src/platform/scheduling/loop.ts';
import { createWebsite } from '../../../src/websites/store.ts';
import { storeAccount } from '../../support/account.ts';
import { freshDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

test('a change without a NOTIFY is found by a poll, four times a second', async () => {
  const { db, url, close } = await freshDatabase();
  const { actor } = await storeAccount(db, { email: 'missed@example.com', plan: 'pro' });
  const { id } = await createWebsite(db, actor, { name: 'Shop' }, { isReserved: () => false, needsProof: false });
  const rulesets = createRulesets(db, prepareRulesFrom(db));
  const following = listenForChanges({ url, rulesets }, () => {});
  try {
    await following.start();
    await rulesets.load();
    const isSensitive = () => rulesets.live(id, 'production')?.site.caseSensitive;
    // A loop with the same pause, because a busy machine slows down both.
    let ticks = 0;
    const tick = () => db.$client.query('select 1').then(() => ticks++);
    const reference = createLoop({ name: 'reference', tick, everyMs: 250, onError: () => {} });
    let polls = 0;
    let behind = rulesets.secondsBehind();
    reference.start();
    await until(() => {
      const now = rulesets.secondsBehind();
      if (now < behind) polls++;
      behind = now;
      return Promise.resolve(polls >= 6);
    }, 20_000);
    await reference.stop();
    expect(ticks).toBeLessThan(13);
    await db.$client.query('update websites set case_sensitive = false, changed_at = clock_timestamp()');
    await until(() => Promise.resolve(isSensitive() === false));
  } finally {
    await following.stop();
    await close();
  }
});
