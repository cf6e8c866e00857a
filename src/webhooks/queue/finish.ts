import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import type { Finished } from '../sending/attempt.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { isDataError } from '../../db/errors.ts';

/**
 * Writes outcomes in one statement: the deliveries, their attempts, and how the receivers fare. Answers the ids of those that
 * counted; the others had been taken from this process meanwhile and are only logged. Safe to repeat: an outcome that is
 * written already changes nothing a second time.
 */
export async function finishDeliveries(
  db: Db,
  instanceId: number,
  now: Date,
  batch: readonly Finished[],
): Promise<number[]> {
  const finished = batch.map((one, i) => ({
    ord: i + 1,
    id: one.claimed.id,
    webhook_id: one.claimed.webhookId,
    attempt_no: one.claimed.attemptNo,
    last_attempt_no: one.attempts.at(-1)?.attemptNo ?? one.claimed.attemptNo,
    state: one.state,
    due_at: one.dueAt,
    failures: one.failures,
    status: one.status,
    error: storable(one.error),
    verdict: one.verdict,
    paused_until: one.pausedUntil,
    sign_with: one.signWith,
  }));
  const { rows } = await db.execute<{ finished_id: number }>(sql`
    select finished_id from finish_deliveries(${instanceId}, ${now.toISOString()},
      ${JSON.stringify(finished)}::jsonb, ${JSON.stringify(batch.flatMap(attemptsOf))}::jsonb)`);
  return rows.map((row) => row.finished_id);
}

function attemptsOf({ claimed, attempts }: Finished): Record<string, unknown>[] {
  return attempts.map((attempt) => ({
    delivery_id: claimed.id,
    attempt_no: attempt.attemptNo,
    started_at: attempt.startedAt,
    duration_ms: Math.round(attempt.durationMs),
    outcome: attempt.outcome,
    status: attempt.status,
    error: storable(attempt.error),
    response_body: storable(attempt.responseBody),
    signed_with: attempt.signedWith,
  }));
}

/** PostgreSQL has no place for NUL or half a surrogate pair, and one such text would hold up the whole batch. */
function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** So many are written without waiting for more. */
const ENOUGH = 64;
const MOST = 256;
const WAIT_MS = 5;
const FIRST_BACKOFF_MS = 100;
/** Short enough that sending goes on within 2 s of the database's return. */
const LONGEST_BACKOFF_MS = 1_000;

const longer = (ms: number): number => Math.min(ms * 2, LONGEST_BACKOFF_MS);

export interface FinishBuffer {
  /** Resolves when it is written. */
  add(finished: Finished): Promise<void>;
  /** Whether the last try to write failed: what is sent now could not be written down. */
  isStuck(): boolean;
  /** Writes what is left, and gives it up when that does not succeed within the time. */
  close(withinMs: number): Promise<void>;
}

/**
 * Collects outcomes for up to 5 ms or 64 of them and writes them together. While the database is away they are kept and tried
 * again; as claiming stops then, they are never more than what was under way.
 */
export function createFinishBuffer(
  write: (batch: Finished[]) => Promise<void>,
  onError: (error: unknown) => void,
): FinishBuffer {
  let waiting: { finished: Finished; done: () => void }[] = [];
  let running: Promise<void> | undefined;
  let full = Promise.withResolvers<void>();
  let stuck = false;
  let closing = false;
  let givenUp = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < ENOUGH && !closing) await Promise.race([full.promise, pause(WAIT_MS)]);
      full = Promise.withResolvers();
      const batch = waiting.slice(0, MOST);
      await writeUntilDone(batch.map(({ finished }) => finished));
      waiting = waiting.slice(batch.length);
      for (const { done } of batch) done();
    }
    running = undefined;
  }

  async function writeUntilDone(batch: Finished[]): Promise<void> {
    for (let backoffMs = FIRST_BACKOFF_MS; !givenUp; backoffMs = longer(backoffMs)) {
      try {
        await write(batch);
        stuck = false;
        return;
      } catch (error) {
        onError(error);
        if (isDataError(error)) return writeApart(batch);
        stuck = true;
        await pause(backoffMs);
      }
    }
  }

  /** One that can never be written must not hold up the others for ever; it is taken back later, as interrupted (reclaim.ts). */
  async function writeApart(batch: Finished[]): Promise<void> {
    if (batch.length < 2) return;
    const middle = batch.length >> 1;
    await writeUntilDone(batch.slice(0, middle));
    await writeUntilDone(batch.slice(middle));
  }

  return {
    add(finished) {
      return new Promise((done) => {
        waiting.push({ finished, done });
        if (waiting.length >= ENOUGH) full.resolve();
        running ??= run();
      });
    },
    isStuck: () => stuck,
    async close(withinMs) {
      closing = true;
      full.resolve();
      await Promise.race([running, pause(withinMs)]);
      givenUp = true;
    },
  };
}
