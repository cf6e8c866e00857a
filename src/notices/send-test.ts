import { MAX_MAILS, takeAccountMail } from '../accounts/mail/outbox.ts';
import type { Db, Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { DAY_MS } from '../platform/clock.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { EventKind } from '../vocabulary/kinds.ts';
import { attemptsOf } from '../webhooks/deliveries/delivery.ts';
import { insertTest, requireSending } from '../webhooks/deliveries/send-test.ts';
import { composeTest } from './messages/compose.ts';
import { type Notice, requireNotice } from './notice.ts';
import { type MessageDeps, sealMessage } from './queue-message.ts';

/** Tests of a notice in an hour. */
const MAX_TESTS = 5;
const HOUR_MS = 3_600_000;
/** The event of a test in the log. */
const TEST_EVENT = 'test';

interface TestDeps extends MessageDeps {
  isSending: boolean;
  instanceId: number;
  sendNow: (deliveryId: number) => Promise<void>;
}

/**
 * Sends a test message, once, and returns the attempt. It does not change the health of the receiver. Throws
 * NOTICE_NOT_FOUND, SENDING_DISABLED, CONFLICT for an email that is unconfirmed or unsubscribed and while another test is
 * in flight, and RATE_LIMIT_EXCEEDED for the sixth test of an hour, and if the account
 * has sent its mails of the day.
 */
export async function testNotice(db: Db, actor: Actor, id: string, deps: TestDeps) {
  requireSending(deps.isSending);
  const { now } = deps;
  const test = await db.transaction(async (tx) => {
    await tx.execute(sql`select 1 from webhooks where id = ${id} for no key update`);
    const notice = await requireNotice(tx, actor, id);
    assertConfirmed(notice);
    await assertRoomForTest(tx, id, now);
    if (notice.channel === 'email' && !(await takeAccountMail(tx, actor.accountId, now)))
      throw tooManyTests(`The account has sent its ${MAX_MAILS} mails of the day (UTC)`, MAX_MAILS, untilTomorrow(now));
    const eventId = uuidv7();
    const message = composeTest({ publicUrl: deps.publicUrl, notice: notice.name });
    const sealed = sealMessage({ ...notice, accountId: actor.accountId }, eventId, message, deps);
    const event = TEST_EVENT as EventKind;
    const deliveryId = await insertTest(tx, actor, { webhookId: id, eventId, event, message: sealed }, deps);
    return { deliveryId, createdAt: now };
  });
  await deps.sendNow(test.deliveryId);
  const attempt = (await attemptsOf(db, { id: test.deliveryId, createdAt: test.createdAt })).at(-1);
  if (!attempt) throw new Error(`test whd_${test.deliveryId} ended without an attempt`);
  return { deliveryId: test.deliveryId, attempt };
}

function assertConfirmed({ status, address }: Notice): void {
  if (status !== 'unconfirmed' && status !== 'unsubscribed') return;
  const remedy =
    status === 'unconfirmed'
      ? 'has not confirmed; open the link in the mail that was sent there'
      : 'has unsubscribed; send `channel` again to ask it';
  throw new DomainError('CONFLICT', 'Nothing is sent to this address', { details: `channel.to: ${address} ${remedy}` });
}

async function assertRoomForTest(tx: Queryable, id: string, now: Date): Promise<void> {
  const at = now.toISOString();
  const [recent] = await queryRows<{ tests: number; ageMs: number | null }>(tx)`
    select count(*)::int as tests, (extract(epoch from ${at}::timestamptz - min(created_at)) * 1000)::float8 as age_ms
    from (select created_at from deliveries where webhook_id = ${id} and kind = 'test' order by id desc limit ${MAX_TESTS}) t
    where created_at > ${at}::timestamptz - interval '1 hour'`;
  if (!recent || recent.tests < MAX_TESTS) return;
  throw tooManyTests(`A notice has at most ${MAX_TESTS} tests in an hour`, MAX_TESTS, HOUR_MS - (recent.ageMs ?? 0));
}

function tooManyTests(reason: string, limit: number, waitMs: number): DomainError {
  const retryAfter = Math.ceil(waitMs / 1_000);
  // The body of a 429 has no details.
  return new DomainError('RATE_LIMIT_EXCEEDED', `${reason}; retry in ${retryAfter} s`, { retryAfter, limit });
}

const untilTomorrow = (now: Date): number => DAY_MS - (now.getTime() % DAY_MS);
