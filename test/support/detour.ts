/** A whole service on its own database, over real sockets, with a client per surface. */
import { request as httpRequest } from 'node:http';
import pino from 'pino';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { startSession } from '../../src/accounts/sign-in/session.ts';
import type { Db } from '../../src/db/connection/client.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { type Detour, startDetour } from '../../src/start.ts';
import type { Plan } from '../../src/vocabulary/plan.ts';
import { PASSWORD, storeAccount } from './account.ts';
import { freshDatabase, type FreshDatabase } from './database.ts';

export interface Answer<Body = Record<string, never>> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

export interface EdgeAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  location: string | undefined;
  body: string;
}

export interface TestDetour {
  db: Db;
  url: string;
  address: string;
  /** an account of the plan with a session of its owner */
  account(plan?: Plan): Promise<TestAccount>;
  /** the response to a visitor of a website */
  visit(
    host: string,
    path: string,
    options?: { method?: string; headers?: Record<string, string> },
  ): Promise<EdgeAnswer>;
  /** another process on the same database */
  another(): Promise<Detour>;
  stop(): Promise<void>;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read responses of any shape
export type AnyBody = any;

export interface TestAccount {
  email: string;
  password: string;
  accountId: number;
  cookie: string;
  key: string;
  /** surface C; `body` is sent as JSON unless it is a FormData */
  call<Body = AnyBody>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
  /** surfaces A and B */
  keyCall<Body = AnyBody>(method: string, path: string, body?: unknown): Promise<Answer<Body>>;
}

let accounts = 0;

export interface TestDetourOptions {
  clock?: Clock;
  /** receives every log line of level warn or higher */
  onLog?: (line: string) => void;
  /** fills the database before the service starts */
  prepare?: (db: Db) => Promise<void>;
  /** default: a fresh one; stop() closes it */
  database?: FreshDatabase;
}

export async function startTestDetour(
  env: Record<string, string> = {},
  { clock = systemClock, onLog, prepare, database: given }: TestDetourOptions = {},
): Promise<TestDetour> {
  const database = given ?? (await freshDatabase());
  await prepare?.(database.db);
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    PUBLIC_URL: 'http://localhost:3000',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    SNAPSHOTS: 'off',
    ...env,
  });
  const log = onLog ? pino({ level: 'warn' }, { write: onLog }) : pino({ level: 'silent' });
  const options = { config, databaseUrl: database.url, clock, log };
  const service = await startDetour(options);
  const others: Detour[] = [];
  return {
    db: database.db,
    url: database.url,
    address: service.address,
    account: (plan = 'enterprise') => openAccount(database.db, service.address, plan, clock.now()),
    visit: (host, path, visit) => visitAt(service.address, host, path, visit),
    async another() {
      const other = await startDetour(options);
      others.push(other);
      return other;
    },
    async stop() {
      for (const other of others) await other.stop();
      await service.stop();
      await database.close();
    },
  };
}

/** Time after the last use. A running service polls its database, which slows other files down. */
const IDLE_MS = 5_000;
let shared: Promise<TestDetour> | undefined;
let users = 0;
let idle: NodeJS.Timeout | undefined;

/**
 * The service of this test process, for files without settings of their own: starting one takes as long as ten tests.
 * A file has its own accounts and hostnames, and sees the rows of others in the tables. Runs until 5 s after its last use.
 */
export async function sharedTestDetour(): Promise<TestDetour> {
  users++;
  clearTimeout(idle);
  const detour = await (shared ??= startTestDetour());
  const others: Detour[] = [];
  return {
    ...detour,
    account: (plan = 'enterprise') => openAccount(detour.db, detour.address, plan),
    async another() {
      const other = await detour.another();
      others.push(other);
      return other;
    },
    async stop() {
      for (const other of others) await other.stop();
      if (--users === 0) idle = setTimeout(() => void endShared(), IDLE_MS);
    },
  };
}

async function endShared(): Promise<void> {
  const ended = shared;
  shared = undefined;
  await (await ended)?.stop();
}

/** Signs in at `now`. Without it, starts a session without a request: an address has only 100 a minute. */
async function openAccount(db: Db, address: string, plan: Plan, now?: Date): Promise<TestAccount> {
  const email = `owner${++accounts}@example.com`;
  const { actor, user } = await storeAccount(db, { email, plan });
  const { key } = await createApiKey(
    db,
    {
      accountId: actor.accountId,
      plan,
      type: 'user',
      id: String(user.id),
      name: email,
      role: 'owner',
      scope: null,
    },
    { name: 'test' },
    now ?? systemClock.now(),
  );
  const cookie = now
    ? await signIn(address, email)
    : `detour.session-token=${(await startSession(db, user.id, undefined, systemClock.now())).token}`;
  return {
    email,
    password: PASSWORD,
    accountId: actor.accountId,
    cookie,
    key,
    call: (method, path, body, headers) => send(address, method, path, body, { cookie, ...headers }),
    keyCall: (method, path, body) => send(address, method, path, body, { authorization: `Bearer ${key}` }),
  };
}

async function signIn(address: string, email: string): Promise<string> {
  const { headers } = await send(address, 'POST', '/api/auth/sign-in', { email, password: PASSWORD }, {});
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

export async function send<Body>(
  address: string,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer<Body>> {
  const isForm = body instanceof FormData;
  const response = await fetch(address + path, {
    method,
    redirect: 'manual',
    headers: { ...(body !== undefined && !isForm && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isForm || typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson ? JSON.parse(text) : {}) as Body,
  };
}

export function visitAt(
  address: string,
  host: string,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<EdgeAnswer> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers: { ...headers, host } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          location: response.headers.location,
          body,
        });
      });
    });
    request.on('error', reject).end();
  });
}
