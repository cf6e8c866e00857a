import type { RequestListener, Server } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { Db } from '../db/connection/client.ts';
import type { HostChecks } from '../domains/host-checks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Rulesets } from '../deployments/live/rulesets.ts';
import type { VersionWaits } from '../redirects/feed/version-waits.ts';
import type { Jobs } from './jobs.ts';
import type { RateLimit } from './shares/rate-limit.ts';
import type { RequestCounter } from './shares/rate-limit-counter.ts';
import type { ProcessState } from './server/readiness.ts';
import type { Reads } from './reads.ts';
import type { ReadShares } from './shares/read-shares.ts';
import type { SessionCookie } from './cookies.ts';
import type { StreamShares } from './shares/stream-shares.ts';

/** The dependencies of the app, created in start.ts. */
export interface AppDeps {
  db: Db;
  config: Config;
  clock: Clock;
  log: FastifyBaseLogger;
  /** for the probes */
  state: ProcessState;
  /** a separate pool for streamed responses, so that slow clients do not block other requests */
  streams: Db;
  /** for reads whose request allows data that is some seconds old */
  reads: Reads;
  /** runs the operations whose work grows with the number of rules in a worker thread */
  jobs: Jobs;
  /** the live rules, in memory */
  rulesets: Rulesets;
  /** instances.id of this process */
  instanceId: number;
  /** seals the secrets of webhooks, and mail */
  secretBox: SecretBox;
  /** sends a test delivery that this process has claimed; resolves when its outcome is stored */
  sendNow: (deliveryId: number) => Promise<void>;
  /** wakes the deployer and the dispatcher; call it after each commit that may have queued a deployment or an event */
  committed: () => void;
  /** its content type is that of `readMetrics` */
  metrics: Registry;
  /** the text of GET /metrics */
  readMetrics: () => Promise<string>;
  /** counts requests if there is no Redis */
  counter: RequestCounter;
  /** applies a website's hosts and options: in this process before it resolves, in others soon after */
  siteChanged: (websiteId: number) => Promise<void>;
  /** Returns the server that passes requests to `handler`, except those of managed websites. */
  serve: (handler: RequestListener) => Server;
  /** Closes the port and waits for the requests in flight. */
  closePort: () => Promise<void>;
}

/** The dependencies of a surface. */
export interface SurfaceDeps extends AppDeps {
  rateLimit: RateLimit;
  cookie: SessionCookie;
  /** the share of an account in the connections for reads */
  readShares: ReadShares;
  /** where hosts of websites point to, and their certificates */
  hostChecks: HostChecks;
  /** the share of an account in streamed responses */
  streamShares: StreamShares;
  /** requests that wait for a newer version */
  versionWaits: VersionWaits;
}
