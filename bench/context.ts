/** Shared by the parts of a run: the service, the files to import, and a website with all rules live. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { temporaryFolder } from './cleanup.ts';
import { visit } from './client.ts';
import { type BenchRow, benchRow, bulkBody, rowText } from './rows.ts';
import { launch, type Launched, type Service, startService } from './service.ts';

const WAIT_MS = 180_000;

export interface BenchWebsite {
  id: number;
  host: string;
}

/** Files of redirects on disk, so that generating them is not measured. */
export interface Files {
  /** one redirect a line; `generation` changes the targets */
  ndjson(generation: number): string;
  csv: string;
}

export interface Bench {
  rows: number;
  repeats: number;
  /** The running service. Starts it again if it has exited. */
  service(): Promise<Service>;
  /** Restarts it on the same data. */
  restart(env?: Record<string, string>): Promise<Service>;
  stopService(): Promise<void>;
  /** Starts a further process on the same database. */
  another(preload?: string[]): Promise<Launched>;
  /** Stops the further processes that a failed part left. */
  stopOthers(): Promise<void>;
  files(): Promise<Files>;
  /** A website with `rows` rules, live in production. Imports them at the first call. */
  website(): Promise<BenchWebsite>;
  /** Remembers such a website for later parts. */
  keep(website: BenchWebsite): void;
}

export function createBench(rows: number, repeats: number): Bench {
  let service: Service | undefined;
  let dataDir: string | undefined;
  let files: Promise<Files> | undefined;
  let kept: BenchWebsite | undefined;
  let others: Launched[] = [];
  const bench: Bench = {
    rows,
    repeats,
    async service() {
      if (service && !service.hasExited()) return service;
      dataDir ??= join(temporaryFolder(), 'data');
      return (service = await startService(dataDir));
    },
    async restart(env) {
      await bench.stopService();
      dataDir ??= join(temporaryFolder(), 'data');
      return (service = await startService(dataDir, env));
    },
    async stopService() {
      await service?.stop();
      service = undefined;
    },
    async another(preload) {
      const { sharedEnv } = await bench.service();
      const launched = await launch(join(temporaryFolder(), 'data'), sharedEnv, preload);
      others.push(launched);
      await launched.ready;
      return launched;
    },
    async stopOthers() {
      for (const launched of others) await launched.stop();
      others = [];
    },
    files: () => (files ??= writeFiles(rows)),
    async website() {
      if (kept) return kept;
      const current = await bench.service();
      const website = await createWebsite(current, 'live', true);
      await postBulk(current, website, (await bench.files()).ndjson(0));
      await untilServed(current, website.host, benchRow(rows - 1).oldPath);
      return (kept = website);
    },
    keep(website) {
      kept = website;
    },
  };
  return bench;
}

export async function createWebsite(service: Service, name: string, autoDeploy: boolean): Promise<BenchWebsite> {
  const host = `${name}.bench.localhost`;
  const hosts = [{ hostname: host, environment: 'production' }];
  const body = JSON.stringify({ name, hosts, auto_deploy: autoDeploy });
  const { website } = await service.call<{ website: { id: number } }>('POST', '/api/websites', body);
  return { id: website.id, host };
}

/** Deletes a website and waits until its rows are purged, so that the purge does not disturb the next measurement. */
export async function dropWebsite(service: Service, { id }: BenchWebsite): Promise<void> {
  await service.call('DELETE', `/api/websites/${id}?force=true`);
  await query(service.databaseUrl, async (client) => {
    const left =
      'select 1 from redirects where website_id = $1 union all select 1 from redirect_revisions where website_id = $1 limit 1';
    await until(`the purge of website ${id}`, async () => !(await client.query(left, [id])).rowCount, 200);
    await client.query('vacuum analyze redirects, redirect_revisions');
  });
}

/** Imports a file of redirects by one streamed request. */
export async function postBulk(service: Service, { id }: BenchWebsite, file: string): Promise<void> {
  await service.post('/api/v1/redirects/bulk', 'application/json', bulkBody(id, file));
}

/** Resolves when the website responds to the path with a redirect. */
export function untilServed(service: Service, host: string, path: string): Promise<void> {
  return until(`a redirect of ${host}${path}`, async () => (await visit(service.address, host, path)).status < 400, 5);
}

/** Resolves when the targets of all rules are known URLs, which otherwise disturbs a measurement in the background. */
export function untilUrlsKnown({ databaseUrl }: Service, { id }: BenchWebsite): Promise<void> {
  const known = 'select from url_counts where website_id = $1 and rules_max_id > 0';
  return query(databaseUrl, (client) =>
    until('the known URLs of the rules', async () => (await client.query(known, [id])).rowCount === 1, 500),
  );
}

/** Resolves when `isDone` returns true. Throws after 3 minutes, so that a run never hangs. */
export async function until(what: string, isDone: () => Promise<boolean>, pauseMs: number): Promise<void> {
  const start = performance.now();
  while (!(await isDone())) {
    if (performance.now() - start > WAIT_MS) throw new Error(`${what}: still waiting after ${WAIT_MS / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Runs statements on a separate connection to the database. */
export async function query<Result>(databaseUrl: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client(databaseUrl);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Size of the database in bytes, without its log. */
export function databaseBytes(databaseUrl: string): Promise<number> {
  return query(databaseUrl, async (client) => {
    const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
    return Number(rows[0]?.bytes);
  });
}

async function writeFiles(rows: number): Promise<Files> {
  const folder = temporaryFolder();
  const entry = ({ oldPath, newPath, status }: BenchRow): string =>
    `{"old_path":"${oldPath}","new_path":"${newPath}","status_code":${status}}\n`;
  const ndjson = (generation: number): string => join(folder, `${generation}.ndjson`);
  for (const generation of [0, 1]) {
    await pipeline(Readable.from(rowText(rows, entry, generation)), createWriteStream(ndjson(generation)));
  }
  const csv = join(folder, 'redirects.csv');
  const lines = rowText(rows, (row) => `${row.oldPath},${row.newPath},${row.status}\n`);
  await pipeline(Readable.from(['old_path,new_path,status_code\n', ...lines]), createWriteStream(csv));
  return { ndjson, csv };
}
