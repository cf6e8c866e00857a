/**
 * What an empty database gets at the first start: an account with its owner, an API key and a small website to try, told once
 * and written to DATA_DIR/credentials.json. A process killed in the middle is completed by the next start.
 */
import { join } from 'node:path';
import { createAccount, hasAccounts } from './accounts/account.ts';
import { createApiKey } from './accounts/api-key.ts';
import { generatePassword } from './accounts/password.ts';
import { systemActor, systemActorByEmail } from './accounts/system-actor.ts';
import type { Db } from './db/client.ts';
import { LOCKS, withAdvisoryLock } from './db/advisory-lock.ts';
import { readSetting, writeSetting } from './db/settings.ts';
import { listDeployments } from './deployments/publish/deployment.ts';
import type { Clock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { makeDataDir, readPrivateFile, writePrivateFile } from './platform/data-dir.ts';
import { createRedirect } from './redirects/write/create.ts';
import type { RedirectFields } from './redirects/rule/redirect.ts';
import type { Actor } from './vocabulary/actor.ts';
import { DomainError } from './vocabulary/error.ts';
import { createDailyPartitions } from './events/daily-partitions.ts';
import { createWebsite } from './websites/store.ts';
import { listWebsites, type WebsiteHost } from './websites/website.ts';

/** The keys are those of credentials.json. */
export interface Credentials {
  base_url: string;
  email: string;
  password: string;
  api_key: string;
  website_id: number;
  hosts: string[];
}

export const DEMO_PATH = '/old-page';

const SETTING = 'first_start';
const DEFAULT_EMAIL = 'owner@example.com';

const DEMO_HOSTS: WebsiteHost[] = [
  { hostname: 'demo.localhost', environment: 'production' },
  { hostname: 'staging.demo.localhost', environment: 'staging' },
  { hostname: 'dev.demo.localhost', environment: 'development' },
];

const DEMO: RedirectFields = {
  oldPath: DEMO_PATH,
  newPath: '/new-page',
  statusCode: 301,
  isRegex: false,
  groupId: 'demo',
  notes: null,
  environments: ['production', 'staging', 'development'],
};

const DEMO_REDIRECTS: RedirectFields[] = [
  DEMO,
  { ...DEMO, oldPath: '/sale', newPath: '/offers/summer', statusCode: 302 },
  { ...DEMO, oldPath: '/blog/(\\d{4})/(.+)', newPath: '/articles/$2?year=$1', isRegex: true },
  { ...DEMO, oldPath: '/discontinued', newPath: null, statusCode: 410 },
  {
    ...DEMO,
    oldPath: '/beta',
    newPath: '/preview',
    statusCode: 307,
    environments: ['staging', 'development'],
  },
];

/** Whose database it is: with a server of our own always, with somebody's only where the owner is named. */
function isWanted(config: Config): boolean {
  return config.databaseUrl === null || (config.ownerEmail !== null && config.ownerPassword !== null);
}

/**
 * Creates the first account where the database has none; undefined where there is nothing to do. Of several processes on one
 * database one does it. Throws, with nothing created, where credentials.json cannot be written.
 */
export async function firstStart(db: Db, config: Config, clock: Clock): Promise<Credentials | undefined> {
  if (!isWanted(config)) return undefined;
  return withAdvisoryLock(db, LOCKS.bootstrap, async () => {
    const state = await readSetting(db, SETTING);
    if (state === 'done' || (state === undefined && (await hasAccounts(db)))) return undefined;
    makeDataDir(config.dataDir);
    const { email, password } = ownerOf(config, state === 'begun');
    // Before anything else: who is told nothing must not be left with an account that nobody can enter.
    writePrivateFile(fileOf(config), `${JSON.stringify({ base_url: config.publicUrl, email, password })}\n`);
    await writeSetting(db, SETTING, 'begun');
    // Events of days without a partition would go to the default one, and stand in the way of theirs later.
    await createDailyPartitions(db, clock.now());
    const actor = await ownersAccount(db, email, password);
    const { key } = await createApiKey(db, actor, { name: 'first start' }, clock.now());
    const credentials = {
      base_url: config.publicUrl,
      email,
      password,
      api_key: key,
      website_id: await demoWebsite(db, actor, config),
      hosts: DEMO_HOSTS.map((host) => host.hostname),
    };
    writePrivateFile(fileOf(config), `${JSON.stringify(credentials, null, 2)}\n`);
    await writeSetting(db, SETTING, 'done');
    return credentials;
  });
}

/** Whether what the demo website was created with is live, so that the printed line to try will work. */
export async function demoState(db: Db, credentials: Credentials): Promise<'pending' | 'live' | 'failed'> {
  const actor = await systemActorByEmail(db, credentials.email);
  const deployments = await listDeployments(db, actor, { websiteId: credentials.website_id });
  if (deployments.some(({ status }) => status === 'failed')) return 'failed';
  const isLive = deployments.length > 0 && deployments.every(({ status }) => status === 'completed');
  return isLive ? 'live' : 'pending';
}

const fileOf = (config: Config) => join(config.dataDir, 'credentials.json');

/** The owner's sign-in: as configured, else what a start that was cut off has written already, else new. */
function ownerOf(config: Config, isBegun: boolean): { email: string; password: string } {
  const email = (config.ownerEmail ?? DEFAULT_EMAIL).trim().toLowerCase();
  const written = isBegun ? writtenPassword(config, email) : undefined;
  return { email, password: config.ownerPassword ?? written ?? generatePassword() };
}

function writtenPassword(config: Config, email: string): string | undefined {
  const written: unknown = JSON.parse(readPrivateFile(fileOf(config)) ?? '{}');
  if (typeof written !== 'object' || written === null) return undefined;
  const isHis = 'email' in written && written.email === email;
  return isHis && 'password' in written && typeof written.password === 'string'
    ? written.password
    : undefined;
}

async function ownersAccount(db: Db, email: string, password: string): Promise<Actor> {
  if (await hasAccounts(db)) return systemActorByEmail(db, email);
  const { account } = await createAccount(db, { email, password, plan: 'enterprise' });
  return systemActor(account);
}

async function demoWebsite(db: Db, actor: Actor, config: Config): Promise<number> {
  const [begun] = await listWebsites(db, actor);
  const serviceHost = new URL(config.publicUrl).hostname;
  const { id } = begun ?? (await createWebsite(db, actor, { name: 'Demo', hosts: DEMO_HOSTS }, serviceHost));
  for (const redirect of DEMO_REDIRECTS) {
    await createRedirect(db, actor, id, redirect).catch((error: unknown) => {
      const isThere = error instanceof DomainError && error.code === 'CONFLICT';
      if (!begun || !isThere) throw error;
    });
  }
  return id;
}
