/** Websites with targets, and processes that check them with a prober of the test. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Check } from '../../src/checks/check.ts';
import { createCheck, type CreateInput } from '../../src/checks/create/create-check.ts';
import type { ProbeDeps, Probed, ProbeTarget } from '../../src/checks/probe/probe.ts';
import { claimCheck } from '../../src/checks/run/claim-check.ts';
import { createHostTurns } from '../../src/checks/run/host-turns.ts';
import { createRobotsCache } from '../../src/checks/run/robots-cache.ts';
import { runCheck, type RunDeps } from '../../src/checks/run/run-check.ts';
import type { Db } from '../../src/db/connection/client.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Actor } from '../../src/vocabulary/actor.ts';
import type { Plan } from '../../src/vocabulary/plan.ts';
import { storeAccount } from './account.ts';

export const secretBox = createSecretBox({ secretKey: Buffer.alloc(32, 7), previousSecretKey: null });

export interface CheckedSite {
  actor: Actor;
  id: number;
}

let made = 0;

/** A website with the verified production host `www.<n>.example` and a redirect `/<i>` to each target. */
export async function checkedSite(db: Db, targets: readonly string[], plan: Plan = 'enterprise'): Promise<CheckedSite> {
  const { actor } = await storeAccount(db, { email: `checks${++made}@example.com`, plan });
  const { rows } = await db.execute<{ id: number }>(
    sql`insert into websites (account_id, name) values (${actor.accountId}, 'Shop') returning id`,
  );
  const id = rows[0]?.id ?? 0;
  await db.execute(sql`
    insert into website_hosts (hostname, website_id, environment, position) values (${`www.${id}.example`}, ${id}, 'production', 1)`);
  await db.execute(sql`
    insert into redirects (website_id, key, old_path, new_path, status_code, is_regex, in_prod, rev)
    select ${id}, '/' || n, '/' || n, target, 301, false, 1, 1
    from unnest(${sql.param(targets)}::text[]) with ordinality as t (target, n)`);
  return { actor, id };
}

export function startCheck(
  db: Db,
  { actor, id }: CheckedSite,
  now: Date,
  input: Partial<CreateInput> = {},
): Promise<Check> {
  const all = { websiteId: id, kind: 'targets', environment: 'production', ...input } as const;
  return createCheck(db, actor, all, { live: undefined, now });
}

/** An answer of a prober: 200, unless said otherwise. */
export const answer = (more: Partial<Probed> = {}): Probed => ({
  ...{ state: 'ok', reason: null, status: 200, location: null, end: null, note: null },
  ...{ retryAfterSeconds: null, durationMs: 5 },
  ...more,
});

export type FakeProbe = (target: ProbeTarget, deps: ProbeDeps, signal: AbortSignal) => Promise<Probed> | Probed;

/** A process. `speed`: how many times faster than the clock's its waits are. */
export function checkProcess(
  db: Db,
  clock: Clock,
  probe: FakeProbe,
  speed = 1,
  options: Pick<RunDeps, 'sliceMs'> = {},
) {
  const wait = (ms: number, signal: AbortSignal) => delay(ms / speed, undefined, { signal });
  const turns = createHostTurns({ db, clock, wait });
  const robots = createRobotsCache({
    ...{ db, clock, onDelay: turns.slowDown },
    fetchRobots: () => Promise.resolve({ rules: [], crawlDelaySeconds: null }),
  });
  const deps: RunDeps = {
    ...{ db, clock, turns, robots, secretBox, egress: 'public', userAgent: 'Detour-Check/test', ...options },
    probe: async (probeDeps, target, signal) => probe(target, probeDeps, signal),
  };
  return {
    turns,
    robots,
    /** Claims a check and runs it until nothing is due. Returns false if no check is due. */
    async runNext(): Promise<boolean> {
      const claim = await claimCheck(db, clock.now());
      if (claim) for await (const _answers of runCheck(deps, claim));
      return claim !== undefined;
    },
  };
}

/** A clock that runs `speed` times as fast as real time. */
export function fastClock(speed: number, start = Date.parse('2030-05-15T12:00:00Z')): Clock {
  const from = performance.now();
  return { now: () => new Date(start + speed * (performance.now() - from)) };
}
