/**
 * Keeps the rulesets of this process up to date with what other processes publish: NOTIFY says what changed, a poll each second of
 * what changed in the ten before the last poll finds what a NOTIFY did not say, and after a lost connection everything is compared.
 */
import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { listen } from '../../db/persistent-connection.ts';
import { createLoop } from '../../platform/loop.ts';
import { type Environment, isEnvironment } from '../../vocabulary/environment.ts';
import type { Rulesets } from './rulesets.ts';

const CHANNEL = 'detour_changes';
const POLL_MS = 1_000;
const LOOK_BACK_SECONDS = 10;

export interface Following {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Follows what other processes change, for as long as it is started. `onError` hears of what failed; it is tried again. */
export function listenForChanges(
  deps: { url: string; rulesets: Rulesets },
  onError: (error: unknown) => void,
): Following {
  const { url, rulesets } = deps;
  let listening: { ready: Promise<void>; stop(): Promise<void> } | undefined;
  let upToDateAt = performance.now();
  const poll = createLoop(
    async () => {
      const now = performance.now();
      // Where polls failed for a while, as far back as the last one that did not.
      await rulesets.resynchronise(LOOK_BACK_SECONDS + (now - upToDateAt) / 1_000);
      upToDateAt = now;
    },
    POLL_MS,
    onError,
  );
  return {
    async start() {
      listening = listen(url, [CHANNEL], {
        onNotify: (_channel, payload) => void handleNotification(rulesets, payload).catch(onError),
        onReconnect: () => void rulesets.resynchronise().catch(onError),
        onError,
      });
      await listening.ready;
      poll.start();
    },
    async stop() {
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

/** Tells every process, after the commit: within a writing transaction NOTIFY would take a lock on all commits. */
export async function announceRules(db: Db, websiteId: number, environment: Environment): Promise<void> {
  await db.execute(sql`select pg_notify(${CHANNEL}, ${`${websiteId} ${environment}`})`);
}

/** The same for a website's hosts and options. */
export async function announceSite(db: Db, websiteId: number): Promise<void> {
  await db.execute(sql`select pg_notify(${CHANNEL}, ${String(websiteId)})`);
}
