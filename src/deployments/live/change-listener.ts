/**
 * Keeps the rulesets of this process in step with other processes. NOTIFY names what changed. Frequent polls find
 * changes that a NOTIFY missed. After a lost connection everything is compared.
 */
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { listen } from '../../db/connection/persistent-connection.ts';
import { stopwatch } from '../../platform/clock.ts';
import { createLoop } from '../../platform/scheduling/loop.ts';
import type { DatabaseUrl } from '../../vocabulary/database-url.ts';
import { type Environment, isEnvironment } from '../../vocabulary/environment.ts';
import type { Rulesets } from './rulesets.ts';

const CHANNEL = 'detour_changes';
/** A process that is killed between a commit and its NOTIFY delays the others by up to this. */
const POLL_MS = 250;
/** A poll covers the time since the last successful poll, plus this overlap. */
const OVERLAP_SECONDS = 10;

export interface ListenerOptions {
  url: DatabaseUrl;
  rulesets: Rulesets;
  /** called when the database is back after a lost connection */
  onReconnect?: () => void;
}

/** Creates the listener, not yet started. `onError` receives each failure; the next poll retries. */
export function listenForChanges({ url, rulesets, onReconnect }: ListenerOptions, onError: (error: unknown) => void) {
  let listening: { ready: Promise<void>; stop(): Promise<void> } | undefined;
  let lastPollAt = stopwatch();
  let isStopping = false;
  /** The stop ends the ruleset thread while a notification may still be in progress. */
  const report = (error: unknown): void => {
    if (!isStopping) onError(error);
  };
  const poll = createLoop({
    name: 'following changes',
    async tick() {
      const now = stopwatch();
      await rulesets.resynchronise(OVERLAP_SECONDS + (now - lastPollAt) / 1_000);
      lastPollAt = now;
    },
    everyMs: POLL_MS,
    onError: report,
  });
  return {
    async start() {
      listening = listen(url, [CHANNEL], {
        onNotify: (_channel, payload) => void handleNotification(rulesets, payload).catch(report),
        onReconnect() {
          rulesets.resynchronise().catch(report);
          onReconnect?.();
        },
        onError,
      });
      await listening.ready;
      poll.start();
    },
    async stop() {
      isStopping = true;
      await poll.stop();
      await listening?.stop();
    },
  };
}

async function handleNotification(rulesets: Rulesets, payload: string): Promise<void> {
  const [id, environment] = payload.split(' ');
  const websiteId = Number(id);
  if (!Number.isSafeInteger(websiteId)) return;
  if (environment === undefined) return rulesets.refreshSite(websiteId);
  if (isEnvironment(environment)) await rulesets.refreshRules(websiteId, environment);
}

/**
 * Notifies every process of a new live version. Call it after the commit: NOTIFY in a transaction serialises all
 * commits.
 */
export async function announceRules(db: Db, websiteId: number, environment: Environment): Promise<void> {
  await db.execute(sql`select pg_notify(${CHANNEL}, ${`${websiteId} ${environment}`})`);
}

/** Notifies every process of a website's new hosts or options. Call it after the commit. */
export async function announceSite(db: Db, websiteId: number): Promise<void> {
  await db.execute(sql`select pg_notify(${CHANNEL}, ${String(websiteId)})`);
}
