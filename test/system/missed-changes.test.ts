/** A process that could not read the database for longer than its polls look back still finds missed changes. */
import { expect, test } from 'vitest';
import { type Db, openDatabase } from '../../src/db/connection/client.ts';
import { listenForChanges } from '../../src/deployments/live/change-listener.ts';
import { createRulesets } from '../../src/deployments/live/rulesets.ts';
import { prepareRulesFrom } from '../../src/jobs/ruleset-jobs.ts';
import { startTestDetour } from '../support/detour.ts';
import { createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

/** The same database through a role whose read permission can be revoked. */
async function asReader(db: Db, url: string): Promise<string> {
  await db.$client.query(`create role reader login password 'reader'`);
  const address = new URL(url);
  address.username = 'reader';
  address.password = 'reader';
  return address.href;
}

test('the first successful poll finds the changes made while all polls failed', async () => {
  const detour = await startTestDetour();
  const sql = (text: string) => detour.db.$client.query(text);
  const owner = await detour.account();
  const site = await createSite(owner, ['missed.example']);
  const url = await asReader(detour.db, detour.url);
  await sql('grant pg_read_all_data to reader');
  const reader = openDatabase(url);
  const rulesets = createRulesets(reader, prepareRulesFrom(reader));
  const errors: unknown[] = [];
  const following = listenForChanges({ url, rulesets }, (error) => errors.push(error));
  try {
    await following.start();
    await rulesets.load();
    expect(rulesets.byHostname('missed.example')?.site.caseSensitive).toBe(true);

    await sql('revoke pg_read_all_data from reader');
    await until(async () => errors.length > 0);
    await sql(`update websites set case_sensitive = false, changed_at = clock_timestamp() where id = ${site}`);
    // Polls look back ten seconds.
    await until(async () => {
      const { rows } = await sql(
        `select changed_at < clock_timestamp() - interval '11 s' as past from websites where id = ${site}`,
      );
      return rows[0].past;
    }, 20_000);
    expect(rulesets.byHostname('missed.example')?.site.caseSensitive).toBe(true);

    await sql('grant pg_read_all_data to reader');
    await until(async () => rulesets.byHostname('missed.example')?.site.caseSensitive === false, 5_000);
  } finally {
    await following.stop();
    await reader.$client.end();
    await sql('drop role reader');
    await detour.stop();
  }
});
