/** The app on a real database, without a socket, with a clock that the test sets. */
import type { FastifyBaseLogger, FastifyInstance, LightMyRequestResponse } from 'fastify';
import pino from 'pino';
import { Registry } from 'prom-client';
import { buildApp } from '../../src/app.ts';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { openVisitors } from '../../src/hits/count/visitor.ts';
import { createReportCounter } from '../../src/hits/reported/count-report.ts';
import type { AppDeps } from '../../src/http/deps.ts';
import { createReads } from '../../src/http/reads.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { createHttpServer } from '../../src/http/server/listener.ts';
import { newRequestId } from '../../src/http/server/response-headers.ts';
import { memoryCounter } from '../../src/http/shares/rate-limit-counter.ts';
import { createDatabaseProbe } from '../../src/db/migrate.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { createJobs } from '../../src/jobs/bulk-thread.ts';
import { createRulesets } from '../../src/deployments/live/rulesets.ts';
import { prepareRulesFrom } from '../../src/jobs/ruleset-jobs.ts';
import type { Actor, Role } from '../../src/vocabulary/actor.ts';
import type { Plan } from '../../src/vocabulary/plan.ts';
import { PASSWORD, storeAccount, storeUser } from './account.ts';
import { createDownloads } from '../../src/urls/download.ts';
import { createRunDeps } from '../../src/start/check-deps.ts';
import { JOB_WIRE } from '../../src/start/job-wire.ts';
import { jobsInThisThread } from './jobs.ts';
import { freshDatabase, type FreshDatabase } from './database.ts';
import { type TestClock, testClock } from './clock.ts';

export interface TestApp {
  app: FastifyInstance;
  clock: TestClock;
  database: FreshDatabase;
  /** a request, with a JSON body if given */
  call(method: Method, url: string, options?: CallOptions): Promise<LightMyRequestResponse>;
  /** an account of the plan, without a session */
  account(plan?: Plan): Promise<TestOwner>;
  /** signs in and returns the Cookie header */
  cookieOf(email: string, password?: string): Promise<string>;
  close(): Promise<void>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS';

export interface CallOptions {
  cookie?: string;
  key?: string;
  body?: unknown;
  /** a body of another type than JSON, whose type is in `headers` */
  payload?: string;
  headers?: Record<string, string>;
  remoteAddress?: string;
}

export interface TestOwner {
  actor: Actor;
  email: string;
  userId: number;
  /** another user of the account */
  user(role: Role): Promise<{ email: string; id: number }>;
  key(input?: { scope?: 'read' | 'write'; expiresAt?: Date }): Promise<{ id: string; key: string }>;
}

export interface TestAppOptions {
  env?: Record<string, string>;
  /** shared by two apps, as two processes share a database */
  database?: FreshDatabase;
  clock?: TestClock;
  /** receives every log line of level warn or higher */
  onLog?: (line: string) => void;
  deps?: Partial<AppDeps>;
}

let made = 0;

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await freshDatabase());
  const clock = options.clock ?? testClock();
  const { db } = database;
  const config = loadConfig({
    DATABASE_URL: database.url,
    PUBLIC_URL: 'http://localhost:3000',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...options.env,
  });
  const rulesets = createRulesets(db, prepareRulesFrom(db));
  const metrics = new Registry();
  const logs = {
    openVisitors: () => openVisitors(db, () => 'DE', config),
    retentionDays: config.hitsRetentionDays,
  };
  const countReport = createReportCounter({ db, ...logs });
  const downloads = createDownloads(config.webhookEgress);
  const reads = createReads({ db, streams: db });
  const pools = { db, streams: db, imports: db, reads };
  const checks = createRunDeps(db, { egress: config.checkEgress, ...config });
  const thread = jobsInThisThread({ ...pools, instanceId: 1, countReport, logs, downloads, checks, wire: JOB_WIRE });
  const app = await buildApp({
    db,
    streams: db,
    reads,
    jobs: createJobs({ thread, db, rulesets, clock, committed: () => {}, metrics }),
    config,
    clock,
    log: logTo(options.onLog),
    rulesets,
    instanceId: 1,
    secretBox: createSecretBox({ secretKey: Buffer.alloc(32, 7), previousSecretKey: null }),
    sendNow: () => Promise.reject(new Error('nothing sends here')),
    state: { role: 'all', rulesets: 'current', isStopping: false, databaseProblem: createDatabaseProbe(db) },
    committed: () => {},
    metrics,
    readMetrics: () => metrics.metrics(),
    siteChanged: async () => {},
    serve: (listener) => createHttpServer(listener, { clock, newRequestId, requestId: newRequestId }),
    closePort: async () => {},
    counter: memoryCounter(),
    ...options.deps,
  });
  const call: TestApp['call'] = (method, url, { cookie, key, body, payload, headers, remoteAddress } = {}) =>
    app.inject({
      method,
      url,
      ...(remoteAddress && { remoteAddress }),
      ...(payload !== undefined && { payload }),
      ...(body !== undefined && { payload: JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(cookie && { cookie }),
        ...(key && { authorization: `Bearer ${key}` }),
        ...headers,
      },
    });
  return {
    app,
    clock,
    database,
    call,
    account: (plan = 'enterprise') => openAccount(database, clock, plan),
    async cookieOf(email, password = PASSWORD) {
      const answer = await call('POST', '/api/auth/sign-in', { body: { email, password } });
      if (answer.statusCode !== 200)
        throw new Error(`sign-in of ${email} answered ${answer.statusCode}: ${answer.body}`);
      return cookieFrom(answer);
    },
    async close() {
      await app.close();
      if (!options.database) await database.close();
    },
  };
}

function logTo(onLog: ((line: string) => void) | undefined): FastifyBaseLogger {
  return onLog ? pino({ level: 'warn' }, { write: onLog }) : pino({ level: 'silent' });
}

/** The Cookie header that a browser sends after this response. */
export function cookieFrom(answer: LightMyRequestResponse): string {
  return String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';
}

async function openAccount({ db }: FreshDatabase, clock: TestClock, plan: Plan): Promise<TestOwner> {
  const email = `owner${++made}@example.com`;
  const { actor, user } = await storeAccount(db, { email, plan });
  return {
    actor,
    email,
    userId: user.id,
    user: (role) => storeUser(db, actor, { email: `${role}${++made}@example.com`, role }),
    key: (input = {}) => createApiKey(db, actor, { name: 'test', ...input }, clock.now()),
  };
}
