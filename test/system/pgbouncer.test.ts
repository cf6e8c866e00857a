/** Real processes of the service behind a real PgBouncer, with the pgbouncer.ini of docs/operations.md. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Credentials } from '../../src/bootstrap/credentials.ts';
import { checkPooler } from '../../src/db/connection/pooler.ts';
import { freePort } from '../../src/platform/postgres/server.ts';
import type { PooledUrl } from '../../src/vocabulary/database-url.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';
import { send, visitAt } from '../support/detour.ts';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { addRedirect, type Caller, createSite, deploy, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const HUMAN = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0' };
const ROWS = 3_000;

let database: FreshDatabase;
let workshop: Workshop;
beforeEach(async () => {
  database = await freshDatabase({ isMigrated: false });
  workshop = openWorkshop();
});
afterEach(async () => {
  await workshop.clear();
  await database.close();
});

/** The pgbouncer.ini for session mode, with connections for one process. */
const forSessions = (ini: string): string =>
  ini
    .replace(/ connect_query='.*'/, '')
    .replace('= transaction', '= session')
    .replace('_size = 20', '_size = 60');

const transactionMode = () => ({ DATABASE_DIRECT_URL: database.url, DATABASE_PREPARED: 'off' });

async function before(edit?: (ini: string) => string): Promise<PgBouncer> {
  const pgbouncer = await startPgBouncer(database.url, edit);
  onTestFinished(() => pgbouncer.stop());
  return pgbouncer;
}

function start({ url }: Pick<PgBouncer, 'url'>, env: Record<string, string> = {}): ServiceProcess {
  return workshop.start({
    DATABASE_URL: url,
    PUBLIC_URL: 'http://detour.example.com',
    SECRET_KEY: randomBytes(32).toString('base64'),
    OWNER_EMAIL: OWNER.email,
    OWNER_PASSWORD: OWNER.password,
    METRICS_TOKEN: 'token-of-the-metrics',
    WEBHOOK_EGRESS: 'private',
    HOST: '127.0.0.1',
    ...env,
  });
}

interface Served {
  address: string;
  owner: Caller;
  /** Stops it in order. Returns its warnings and errors. */
  end(): Promise<string[]>;
}

/** A running service with its owner. */
async function serve(pgbouncer: PgBouncer, env: Record<string, string> = {}): Promise<Served> {
  const port = await freePort('127.0.0.1');
  const address = `http://127.0.0.1:${port}`;
  const service = start(pgbouncer, { PORT: String(port), PUBLIC_URL: address, ...env });
  await service.ready;
  const signedIn = await send(address, 'POST', '/api/auth/sign-in', OWNER, {});
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { api_key: key } = JSON.parse(readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8')) as Credentials;
  const owner: Caller = {
    call: (method, path, body) => send(address, method, path, body, { cookie, authorization: `Bearer ${key}` }),
  };
  return {
    address,
    owner,
    async end() {
      service.signal('SIGTERM');
      const { code, stderr } = await service.ended;
      expect(code).toBe(0);
      return stderr.split('\n').filter((line) => line !== '' && !line.includes('"level":"info"'));
    },
  };
}

function importRows(owner: Caller, websiteId: number) {
  const rows = Array.from({ length: ROWS }, (_, n) => `/old-${n},/new-${n}`);
  const form = new FormData();
  form.set('website_id', String(websiteId));
  form.set('file', new File([['old_path,new_path', ...rows].join('\n')], 'rows.csv', { type: 'text/csv' }));
  return owner.call('POST', '/api/redirects/import', form);
}

/** One of everything that a website does with the database. Returns what the service answered. */
async function useEverything({ address, owner, end }: Served) {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const host = 'shop.example';
  const site = await createSite(owner, [host], { gated_environments: ['production'] });
  const webhook = { name: 'all', url: receiver.url, events: ['redirect.created', 'deployment.completed'] };
  const hook = await owner.call('POST', '/api/webhooks', webhook);
  const imported = await importRows(owner, site);
  const expectations = [{ url: '/old-1', status_code: 301, location: '/new-1' }];
  const expected = await owner.call('PUT', `/api/websites/${site}/expectations`, { expectations });
  await addRedirect(owner, site, { old_path: '/single', new_path: '/to' });
  await settled(owner, site);
  const deployment = await deploy(owner, site);
  const visit = await visitAt(address, host, '/old-2999');
  const living = await owner.call('PUT', `/api/v1/websites/${site}/urls/living`, { urls: ['/new-1', '/new-2'] });
  const urls = await owner.call('GET', `/api/v1/websites/${site}/urls`);
  const exported = await owner.call('GET', `/api/v1/redirects/bulk/export?website_id=${site}&format=csv&version=draft`);
  const deliveries = await receiver.got(2);
  for (let n = 0; n < 5; n++) await visitAt(address, host, '/single', { headers: HUMAN });
  const top = `/api/redirects?website_id=${site}&sort=-hits&limit=1`;
  await until(async () => (await owner.call('GET', top)).body.redirects[0].hits === 5);
  return {
    statuses: [hook, imported, expected, living, urls, exported].map(({ status }) => status),
    created: imported.body.imported,
    deployed: deployment.status,
    visit: [visit.status, visit.location],
    urls: urls.body.urls?.length,
    rows: exported.text.trim().split('\n').length,
    events: [...new Set(deliveries.map(({ body }) => (JSON.parse(body) as { event: string }).event))].toSorted(),
    log: await end(),
  };
}

const WORKING = {
  statuses: [201, 200, 200, 200, 200, 200],
  created: ROWS,
  deployed: 'completed',
  visit: [301, '/new-2999'],
  urls: 2,
  rows: ROWS + 2,
  events: ['deployment.completed', 'redirect.created'],
  log: [],
};

describe('the pgbouncer.ini of the docs', () => {
  test('in transaction mode passes imports, deployments, webhooks, hits, expectations and URLs', async () => {
    const pgbouncer = await before();
    expect(await useEverything(await serve(pgbouncer, transactionMode()))).toEqual(WORKING);
  });

  test('in session mode needs no other variable', async () => {
    const pgbouncer = await before(forSessions);
    expect(await useEverything(await serve(pgbouncer))).toEqual(WORKING);
  });
});

const withoutQuery = (ini: string): string => ini.replace(/ connect_query='.*'/, '');

describe('a pooler that lacks something', () => {
  type Settings = (pooler: string) => PooledUrl;
  const only: Settings = (url) => ({ url, directUrl: null, isPrepared: true });
  const problems: [missing: string, (ini: string) => string, Settings, problem: string][] = [
    [
      'sessions, without a direct URL',
      withoutQuery,
      only,
      'DATABASE_URL leads to a connection pooler that keeps no sessions (transaction mode): set DATABASE_DIRECT_URL',
    ],
    [
      'sessions, also at the direct URL',
      withoutQuery,
      (url) => ({ ...only(url), directUrl: url }),
      'DATABASE_DIRECT_URL leads to a connection pooler that keeps no sessions',
    ],
    [
      'prepared statements',
      withoutQuery,
      (url) => ({ ...only(url), directUrl: database.url }),
      'loses prepared statements: set DATABASE_PREPARED=off',
    ],
    [
      'connections in session mode',
      (ini) => forSessions(ini).replace('_size = 60', '_size = 30'),
      only,
      'opens up to 44 database connections, but the pooler of DATABASE_URL has 30: raise default_pool_size',
    ],
  ];

  // Together, because each waits for 5 s.
  test('is named with the fix', async () => {
    const found = problems.map(async ([missing, edit, settings]) => {
      const { url } = await before(edit);
      return [missing, await checkPooler(settings(url), 44).catch((error: Error) => error.message)];
    });
    const expected = problems.map(([missing, , , problem]) => [missing, expect.stringContaining(problem)]);
    expect(await Promise.all(found)).toEqual(expected);
  });

  const refused: [string, (ini: string) => string, string][] = [
    [
      'transactions',
      (ini) => ini.replace('= transaction', '= statement'),
      'rejects transactions: set pool_mode = transaction in pgbouncer.ini',
    ],
    [
      'the format of bytes',
      (ini) => ini.replace("connect_query='", "connect_query='set bytea_output = escape; "),
      'has bytea_output = escape: add "set bytea_output = hex" to connect_query in pgbouncer.ini',
    ],
  ];

  test.each(refused)('%s, ends a start with one line that names the fix', async (_, edit, line) => {
    const pgbouncer = await before(edit);
    const { code, stderr } = await start(pgbouncer, transactionMode()).ended;
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(line)]);
  });

  test('limits of single statements, is a warning of a start', async () => {
    const pgbouncer = await before(withoutQuery);
    const served = await serve(pgbouncer, { ...transactionMode(), PROCESSES: '2' });
    expect(await served.end()).toEqual([expect.stringContaining('has no lock_timeout and statement_timeout')]);
  });
});
