/** Reads of one redirect by API key, compared with the same statements, named, through pg alone. */
import { join } from 'node:path';
import { temporaryFolder } from './cleanup.ts';
import { type Bench } from './context.ts';
import { startLoad } from './load.ts';
import { startPgLoad } from './pg-load.ts';
import { treeCpu } from './proc.ts';
import { report } from './report.ts';
import { launch, type Service } from './service.ts';
import { startStatementRecorder, type Statement, type StatementRecorder } from './statement-recorder.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
/** The rate limit allows 20,000 requests in a minute of the clock. */
const ROUND_MS = 500;
const WARM_UP_MS = 1_500;
const REDIRECTS = 500;

export async function measureApi(bench: Bench): Promise<void> {
  const website = await bench.website();
  const service = await bench.restart();
  const ids = await someIds(service, website.id);
  const credential = await credentialFor(service, ids[0] ?? '');
  const statements = await recordStatements(service, credential, ids[0] ?? '');
  const port = Number(new URL(service.address).port);
  const load = startLoad();
  const pg = startPgLoad(service.databaseUrl, statements);
  const requests = ids.map((id) => readRequest(credential, id));
  const read = (ms: number) => load.run({ port, ms, status: 200, requests });
  await nextMinute();
  await read(WARM_UP_MS);
  await pg.run(WARM_UP_MS);
  const taken = { api: [] as number[], pg: [] as number[], apiCpu: [] as number[], pgCpu: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    // PostgreSQL is a child of the service.
    const before = treeCpu(service.pid);
    const api = await read(ROUND_MS);
    const between = treeCpu(service.pid);
    const alone = await pg.run(ROUND_MS);
    taken.api.push(api.answered / api.seconds);
    taken.pg.push(alone.answered / alone.seconds);
    taken.apiCpu.push((between - before) / api.answered);
    taken.pgCpu.push((treeCpu(service.pid) - between) / alone.answered);
  }
  await load.stop();
  await pg.stop();
  report('apiCpu', median(taken.apiCpu), { us: taken.apiCpu, 'PostgreSQL alone': taken.pgCpu });
  report('apiRead', median(taken.api.map((rate, index) => rate / (taken.pg[index] ?? NaN))), {
    'reads per second': taken.api,
    'pg alone': taken.pg,
    statements: statements.length,
    read: `GET ${credential.path}{id}`,
  });
}

async function someIds(service: Service, websiteId: number): Promise<string[]> {
  const path = `/api/redirects?website_id=${websiteId}&limit=${REDIRECTS}`;
  const { redirects } = await service.call<{ redirects: { id: number }[] }>('GET', path);
  return redirects.map(({ id }) => String(id));
}

interface Credential {
  path: string;
  header: string;
  value: string;
}

/** The key API, or the session API if the key API cannot read a single redirect. */
async function credentialFor(service: Service, id: string): Promise<Credential> {
  const value = `Bearer ${service.credentials.api_key}`;
  const response = await fetch(`${service.address}/api/v1/redirects/${id}`, { headers: { authorization: value } });
  await response.text();
  if (response.ok) return { path: '/api/v1/redirects/', header: 'authorization', value };
  return { path: '/api/redirects/', header: 'cookie', value: service.cookie };
}

function readRequest({ path, header, value }: Credential, id: string): string {
  return `GET ${path}${id} HTTP/1.1\r\nHost: localhost\r\n${header}: ${value}\r\n\r\n`;
}

/** The statements of one read in a warm process, as they pass between the service and PostgreSQL. */
async function recordStatements(
  service: Service,
  { path, header, value }: Credential,
  id: string,
): Promise<Statement[]> {
  const recorder = await startStatementRecorder(service.databaseUrl);
  const folder = join(temporaryFolder(), 'data');
  const launched = await launch(folder, { ...service.sharedEnv, DATABASE_URL: recorder.url });
  try {
    await launched.ready;
    return await statementsOf(recorder, launched.address + path + id, { [header]: value });
  } finally {
    await launched.stop();
    await recorder.stop();
  }
}

async function statementsOf(
  recorder: StatementRecorder,
  url: string,
  headers: Record<string, string>,
): Promise<Statement[]> {
  const read = async (): Promise<void> => {
    const response = await fetch(url, { headers });
    if (!response.ok) throw new Error(`GET ${url}: ${response.status} ${await response.text()}`);
    await response.text();
  };
  // Background work runs statements as well: the fewest of several reads are those of the read.
  let fewest: Statement[] | undefined;
  for (let i = 0; i < 30; i++) {
    recorder.take();
    await read();
    const taken = recorder.take();
    if (i >= 10 && (!fewest || taken.length < fewest.length)) fewest = taken;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (!fewest || fewest.length === 0) throw new Error('a read runs no statement');
  return fewest;
}

/** Waits for a minute whose budget no other part has used. */
async function nextMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 50_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
}
