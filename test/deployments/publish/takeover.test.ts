/**
 * How soon a process deploys what another one, which was killed, has queued or begun. Holds the rules of
 * src/deployments/publish/dequeue.ts and publish-version.ts.
 */
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Db, openDatabase } from '../../../src/db/connection/client.ts';
import { createRulesets } from '../../../src/deployments/live/rulesets.ts';
import { extendTargeting } from '../../../src/redirects/write/extend-targeting.ts';
import { createDeployer } from '../../../src/deployments/publish/deployer.ts';
import { createDeployment } from '../../../src/deployments/publish/request.ts';
import { prepareRulesFrom } from '../../../src/jobs/ruleset-jobs.ts';
import { createLoop, type Loop } from '../../../src/platform/scheduling/loop.ts';
import type { Actor } from '../../../src/vocabulary/actor.ts';
import { createWebsite } from '../../../src/websites/store.ts';
import { storeAccount } from '../../support/account.ts';
import { freshDatabase, type FreshDatabase } from '../../support/database.ts';
import { until } from '../../support/wait.ts';

let database: FreshDatabase;
let own: Db;
let deployer: Loop;
let actor: Actor;
let websiteId: number;
/** of the pool that only the deployer uses: one to read what is due, one for each try */
let acquired = 0;
/** once, after the next rules are prepared */
let afterPreparing: (() => Promise<unknown>) | undefined;
const errors: string[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  own = openDatabase(database.url);
  own.$client.on('acquire', () => acquired++);
  ({ actor } = await storeAccount(database.db, { email: 'takeover@example.com', plan: 'pro' }));
  const website = { isReserved: () => false, needsProof: false };
  ({ id: websiteId } = await createWebsite(database.db, actor, { name: 'Shop' }, website));
  const prepare = prepareRulesFrom(database.db);
  const rulesets = createRulesets(database.db, async (input) => {
    const prepared = await prepare(input);
    const work = afterPreparing;
    afterPreparing = undefined;
    await work?.();
    return prepared;
  });
  deployer = createDeployer({
    db: own,
    rulesets,
    checkGate: () => Promise.resolve({ errors: [], warnings: [] }),
    extendTargeting,
    onPublished: () => {},
    committed: () => {},
    metrics: new Registry(),
    onError: (error) => void errors.push(String(error)),
  });
  deployer.start();
});
afterAll(async () => {
  await deployer.stop();
  await own.$client.end();
  await database.close();
});

/** Queues a deployment as another process does: this deployer is not told. */
const queue = () => createDeployment(database.db, actor, { websiteId, environment: 'production' });

async function ended(): Promise<void> {
  await until(async () => {
    const { rowCount } = await database.db.$client.query(
      `select 1 from deployments where status in ('queued', 'running')`,
    );
    return rowCount === 0;
  }, 20_000);
}

test('what a killed process has queued is found by a poll, four times a second', async () => {
  // A loop with the same pause, because a busy machine slows down both.
  let ticks = 0;
  const tick = () => database.db.$client.query('select 1').then(() => ticks++);
  const reference = createLoop({ name: 'reference', tick, everyMs: 250, onError: () => {} });
  const before = acquired;
  reference.start();
  await until(() => Promise.resolve(acquired >= before + 6), 60_000);
  await reference.stop();
  expect(ticks).toBeLessThan(13);
  await queue();
  await ended();
});

test('while another process holds the lock, this one tries at each poll only', async () => {
  const holder = await database.db.$client.connect();
  await holder.query('select pg_advisory_lock(7003, $1)', [websiteId * 4]);
  await queue();
  const before = acquired;
  const began = performance.now();
  deployer.wake();
  await until(() => Promise.resolve(acquired >= before + 12), 60_000);
  expect(performance.now() - began).toBeGreaterThan(900);
  // As if the holder crashed.
  holder.release(true);
  await ended();
});

test('if the database goes back in time while a version is prepared, it is prepared again', async () => {
  errors.length = 0;
  afterPreparing = () => database.db.$client.query('update versions set history = gen_random_uuid()');
  await queue();
  await ended();
  expect(errors).toEqual([expect.stringMatching(/^Error: version 2 is no longer the live one; .* prepared again$/)]);
  const { rows } = await database.db.$client.query('select status, version from deployments order by version');
  expect(rows).toEqual([1, 2, 3].map((version) => ({ status: 'completed', version })));
});
