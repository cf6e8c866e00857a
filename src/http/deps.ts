import type { RequestListener } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { Db } from '../db/client.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { WithImportPermit } from '../redirects/import/import-semaphore.ts';
import type { Rulesets } from '../deployments/live/rulesets.ts';
import type { RateLimit } from './rate-limit.ts';
import type { SessionCookie } from './authenticate.ts';

/** What the process gives the app: whoever needs more (a registry, a loop to poke) adds it here. */
export interface AppDeps {
  db: Db;
  config: Config;
  clock: Clock;
  log: FastifyBaseLogger;
  /** what still keeps the process from serving, such as 'rules are loading'; empty when nothing does */
  notReady: () => Promise<string[]>;
  /** a pool of its own for answers that stream: slow readers must not take the connections of everybody else */
  streams: Db;
  /** where imports run: few at a time, on connections of their own */
  withImportPermit: WithImportPermit;
  /** what is live, in memory */
  rulesets: Rulesets;
  /** instances.id of this process */
  instanceId: number;
  /** seals the secrets of webhooks */
  secretBox: SecretBox;
  /** makes the one attempt of a delivery that this process holds (a test); resolves when its outcome is stored */
  sendNow: (deliveryId: number) => Promise<void>;
  /** deploys and sends at once; to be called after each commit that may have queued a deployment or an event */
  committed: () => void;
  metrics: Registry;
  /** makes a website's hosts and options take effect: here before it resolves, in other processes soon after */
  siteChanged: (websiteId: number) => Promise<void>;
  /** answers the requests of managed websites before the app sees them */
  edge: (next: RequestListener) => RequestListener;
}

/** The same for a surface, with what all surfaces of one app have in common. */
export interface SurfaceDeps extends AppDeps {
  rateLimit: RateLimit;
  cookie: SessionCookie;
}
