import type { FastifyBaseLogger } from 'fastify';
import { type Clock, stopwatch, within } from '../platform/clock.ts';
import type { Config } from '../platform/config/config.ts';
import { STOP_TIMES } from '../platform/process/stop-times.ts';
import type { MeasuredParts } from './metrics.ts';
import type { RedirectServer } from './redirect-server.ts';
import type { DatabaseUrl } from '../vocabulary/database-url.ts';

type Stop = (elapsedMs: number) => Promise<unknown>;

/** Functions that stop what was started, in the order of the starts. */
export interface Stops {
  /**
   * `stop` receives the milliseconds since the stop signal. The next one starts when it has ended, or at `untilMs` after
   * the signal: a database that does not respond must not delay the exit.
   */
  add(stop: Stop, untilMs?: number): void;
  /** Stops everything, the last added first. Passes errors to `onError` and continues. */
  stopAll(): Promise<void>;
}

/** Parts that the phases of a start share. */
export interface Starting {
  config: Config;
  databaseUrl: DatabaseUrl;
  clock: Clock;
  log: FastifyBaseLogger;
  redirects: RedirectServer;
  measured: MeasuredParts;
  onError: (error: unknown) => void;
  /** each phase adds its own */
  stops: Stops;
  /** functions to call when the database is back after an outage */
  wakes: (() => void)[];
}

/** For each stop, also after the time is over. */
const MIN_MS = 20;

export function createStops(onError: (error: unknown) => void): Stops {
  const list: { stop: Stop; untilMs: number }[] = [];
  return {
    add: (stop, untilMs = STOP_TIMES.part) => void list.push({ stop, untilMs }),
    async stopAll() {
      const startedAt = stopwatch();
      for (const { stop, untilMs } of list.toReversed()) {
        const elapsedMs = stopwatch() - startedAt;
        const stopped = Promise.try(stop, elapsedMs).catch(onError);
        await within(Math.max(MIN_MS, untilMs - elapsedMs), stopped, undefined);
      }
    },
  };
}
