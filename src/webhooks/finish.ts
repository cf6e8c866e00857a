import { sql } from '../db/drizzle.ts';
import type { Db } from '../db/client.ts';
import type { Finished } from './attempt.ts';

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
