import { setTimeout as delay } from 'node:timers/promises';
import { fetchRobots, probe } from '../checks/probe/probe.ts';
import { createHostTurns } from '../checks/run/host-turns.ts';
import { createRobotsCache } from '../checks/run/robots-cache.ts';
import type { RunDeps } from '../checks/run/run-check.ts';
import type { Db } from '../db/connection/client.ts';
import { systemClock } from '../platform/clock.ts';
import type { Egress } from '../platform/network/egress.ts';
import { DEFAULT_RATE } from '../vocabulary/checks.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import { VERSION } from '../platform/version.ts';

export interface CheckOptions {
  egress: Egress;
  publicUrl: string;
  /** opens credentials. In a worker thread, buffers arrive as Uint8Arrays. */
  secretKey: Uint8Array | null;
  previousSecretKey: Uint8Array | null;
}

/** Creates the dependencies of checks in the bulk thread. */
export function createRunDeps(db: Db, { egress, publicUrl, ...keys }: CheckOptions): RunDeps {
  if (!keys.secretKey) throw new Error('SECRET_KEY is missing');
  const clock = systemClock;
  const userAgent = `Detour-Check/${VERSION} (+${publicUrl})`;
  const turns = createHostTurns({ db, clock, wait: (ms, signal) => delay(ms, undefined, { signal }) });
  const { holdOff } = turns;
  const turn = (host: string, signal: AbortSignal) => turns.turn({ host, rate: DEFAULT_RATE }, signal);
  const robots = createRobotsCache({
    ...{ db, clock },
    fetchRobots: (origin, own, signal) => fetchRobots({ egress, clock, userAgent, turn, holdOff }, origin, own, signal),
    onDelay: turns.slowDown,
  });
  const secretBox = createSecretBox({
    secretKey: Buffer.from(keys.secretKey),
    previousSecretKey: keys.previousSecretKey && Buffer.from(keys.previousSecretKey),
  });
  return { db, clock, probe, egress, userAgent, turns, robots, secretBox };
}
