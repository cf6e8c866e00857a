/**
 * Fills an empty database at the first start: an account with its owner, an API key and a demo website. If the process
 * is killed meanwhile, the next start completes the work.
 */
import { createAccount, hasAccounts } from '../accounts/account.ts';
import { createApiKey } from '../accounts/api-key.ts';
import { systemActor, systemActorByEmail } from '../accounts/system-actor.ts';
import { LOCKS, withAdvisoryLock } from '../db/advisory-lock.ts';
import type { Db } from '../db/connection/client.ts';
import { readSetting, writeSetting } from '../db/settings.ts';
import { createDailyPartitions } from '../events/daily-partitions.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { makeDataDir } from '../platform/config/data-dir.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { createServiceHosts } from '../websites/service-hosts.ts';
import { type Credentials, ownerCredentials, writeCredentials } from './credentials.ts';
import { createDemoWebsite, DEMO_HOSTS } from './demo-website.ts';

const SETTING = 'first_start';

/**
 * Creates the first account and returns its credentials, which are also in DATA_DIR/credentials.json. Returns undefined
 * if the database has an account already. One process at a time. Throws, with nothing created, if credentials.json
 * cannot be written.
 */
export async function bootstrap(db: Db, config: Config, clock: Clock): Promise<Credentials | undefined> {
  if (!isWanted(config)) return undefined;
  return withAdvisoryLock(db, LOCKS.bootstrap, async () => {
    const state = await readSetting(db, SETTING);
    if (state === 'done' || (state === undefined && (await hasAccounts(db)))) return undefined;
    makeDataDir(config.dataDir);
    const base_url = config.publicUrl;
    const { email, password } = ownerCredentials(config, state === 'begun');
    // Write the file first, so that no account exists whose password is unknown.
    writeCredentials(config, { base_url, email, password });
    await writeSetting(db, SETTING, 'begun');
    // Without partitions events go to the default partition, which then blocks the creation of theirs.
    await createDailyPartitions(db, clock.now());
    const actor = await createOwner(db, email, password);
    const { key } = await createApiKey(db, actor, { name: 'first start' }, clock.now());
    const website_id = await createDemoWebsite(db, actor, { ...createServiceHosts(config), needsProof: false });
    const hosts = DEMO_HOSTS.map((host) => host.hostname);
    const credentials = { base_url, email, password, api_key: key, website_id, hosts };
    writeCredentials(config, credentials);
    await writeSetting(db, SETTING, 'done');
    return credentials;
  });
}

/** Always on an embedded server; on any other database only if the configuration names the owner. */
function isWanted(config: Config): boolean {
  return config.databaseUrl === null || (config.ownerEmail !== null && config.ownerPassword !== null);
}

async function createOwner(db: Db, email: string, password: string): Promise<Actor> {
  if (await hasAccounts(db)) return systemActorByEmail(db, email);
  const { account } = await createAccount(db, { email, password, plan: 'enterprise' });
  return systemActor(account);
}
