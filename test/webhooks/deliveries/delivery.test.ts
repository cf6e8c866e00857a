/**
 * The log of a webhook, redelivery and replay. Nothing sends here: what was attempted is written as the dispatcher
 * leaves it. Holds the rules of src/webhooks/deliveries/replay.ts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EventKind } from '../../../src/vocabulary/kinds.ts';
import { publishEvents } from '../../../src/events/outbox.ts';
import { type Method, startTestApp, type TestApp, type TestOwner } from '../../support/app.ts';
import type { AnyBody } from '../../support/detour.ts';
import { expectStatus } from '../../support/expect-status.ts';

const KINDS = ['redirect.created', 'redirect.deleted'] as const;

let detour: TestApp;
let owner: TestOwner;
let key: string;
let webhook: string;

beforeAll(async () => {
  detour = await startTestApp();
  owner = await detour.account();
  ({ key } = await owner.key());
});
beforeEach(async () => {
  detour.clock.advance(3_600_000);
  webhook = await newWebhook();
});
afterAll(() => detour.close());

const call = (method: Method, path: string, body?: unknown) =>
  detour.call(method, `/api/webhooks${path}`, { key, ...(body !== undefined && { body }) });
const query = async (text: string, values: unknown[] = []) =>
  (await detour.database.db.$client.query(text, values)).rows;
const at = (seconds: number): string =>
  `${new Date(detour.clock.now().getTime() + seconds * 1_000).toISOString().slice(0, 19)}Z`;

async function newWebhook(events: readonly EventKind[] = KINDS): Promise<string> {
  const answer = await call('POST', '', { name: 'log', url: 'https://8.8.8.8/', events });
  return answer.json().webhook.id;
}

/** An event of the account that happened so many seconds from now, through the outbox. */
async function happen(seconds = 0, event: EventKind = 'redirect.created'): Promise<string> {
  const when = new Date(detour.clock.now().getTime() + seconds * 1_000);
  await publishEvents(detour.database.db, owner.actor, when, [{ event, websiteId: null, data: { n: seconds } }]);
  const rows = await query('select id from events where account_id = $1 order by id desc limit 1', [
    owner.actor.accountId,
  ]);
  return rows[0].id;
}

/** The current state of every delivery of the webhook. */
const become = (state: string, ofEvent?: string) =>
  query(
    `update deliveries set state = $2, finished_at = case when $2 in ('delivered', 'failed') then due_at end
     where webhook_id = $1 and ($3::text is null or event_id = $3)`,
    [webhook, state, ofEvent ?? null],
  );

const listed = async (parameters = '') => {
  const answer = await call('GET', `/${webhook}/deliveries${parameters}`);
  expectStatus(answer, 200);
  return answer.json();
};
const eventIds = async (parameters = ''): Promise<string[]> =>
  (await listed(parameters)).deliveries.map(({ event_id: id }: { event_id: string }) => id);

describe('the list', () => {
  test('shows a delivery that waits as a delivery without attempts', async () => {
    const event = await happen();
    expect((await listed()).deliveries).toEqual([
      {
        id: expect.stringMatching(/^whd_\d+$/),
        webhook_id: webhook,
        event_id: event,
        event: 'redirect.created',
        kind: 'event',
        subject: null,
        redirect_count: null,
        state: 'pending',
        attempt_count: 0,
        last_status: null,
        last_error: null,
        next_attempt_at: at(0),
        created_at: at(0),
        finished_at: null,
      },
    ]);
  });

  test('says how many redirects a bulk event, an import or an export is about', async () => {
    const all = await newWebhook([
      'redirect.updated',
      'bulk_import.completed',
      'bulk_export.completed',
      'check.completed',
    ]);
    const summary = { total_submitted: 9, created: 4, updated: 2, skipped: 1, errors: 2, deleted: 1 };
    const events = [
      { event: 'redirect.updated', data: { redirect: null, previous: null, bulk: { count: 12_000 } } },
      { event: 'redirect.updated', data: { redirect: { old_path: '/a' } } },
      { event: 'bulk_import.completed', data: { import: { summary } } },
      { event: 'bulk_export.completed', data: { export: { total_count: 3 } } },
      { event: 'check.completed', data: { check: { total: 5 } } },
    ] as const;
    for (const each of events)
      await publishEvents(detour.database.db, owner.actor, detour.clock.now(), [{ websiteId: null, ...each }]);
    const { deliveries } = (await call('GET', `/${all}/deliveries`)).json();
    const shown = deliveries.map(({ subject, redirect_count: count }: AnyBody) => [subject, count]);
    expect(shown.toReversed()).toEqual([
      [null, 12_000],
      ['/a', null],
      [null, 7],
      [null, 3],
      [null, null],
    ]);
  });

  test('is newest first and filtered by state, event and the time of queueing, until not included', async () => {
    const first = await happen(-20);
    const second = await happen(-10, 'redirect.deleted');
    const third = await happen(0);
    await become('failed', first);
    await become('delivered', second);
    expect(await eventIds()).toEqual([third, second, first]);
    expect(await eventIds('?state=failed')).toEqual([first]);
    expect(await eventIds('?state=delivered')).toEqual([second]);
    expect(await eventIds('?state=pending')).toEqual([third]);
    expect(await eventIds('?state=sending')).toEqual([]);
    expect(await eventIds('?event=redirect.created')).toEqual([third, first]);
    expect(await eventIds('?event=redirect.created&state=failed')).toEqual([first]);
    expect(await eventIds(`?since=${at(-10)}`)).toEqual([third, second]);
    expect(await eventIds(`?until=${at(-10)}`)).toEqual([first]);
    expect(await eventIds(`?since=${at(-20)}&until=${at(0)}`)).toEqual([second, first]);
  });

  test('deliveries queued during paging neither repeat nor hide an entry', async () => {
    const before: string[] = [];
    for (let i = 0; i < 7; i++) before.push(await happen());
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await listed(`?limit=2${cursor}`);
      seen.push(...page.deliveries.map(({ event_id: id }: { event_id: string }) => id));
      expect(page.deliveries.length).toBeLessThanOrEqual(2);
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
      await happen();
    } while (cursor !== '');
    expect(seen).toEqual(before.toReversed());
  });

  test('a page that ends with the last one has no next', async () => {
    await happen();
    await happen();
    expect((await listed('?limit=2')).next_cursor).toBeNull();
    expect((await listed('?limit=1')).next_cursor).toMatch(/^whd_\d+$/);
  });

  test('grouped: what one change queued is one entry with a line for each answer; pages and singles are exact', async () => {
    const publish = (n: number, event: EventKind = 'redirect.created') =>
      publishEvents(
        detour.database.db,
        owner.actor,
        detour.clock.now(),
        Array.from({ length: n }, (_, id) => ({ event, websiteId: null, data: { id } })),
      );
    await publish(1);
    detour.clock.advance(1_000);
    await publish(5);
    await publish(2, 'redirect.deleted');
    await query(
      `update deliveries set attempt_no = 1, last_status = 500, last_error = '500 Oops'
       where id in (select id from deliveries where webhook_id = $1 and event = 'redirect.created' order by id desc limit 3)`,
      [webhook],
    );
    const { deliveries: groups } = await listed('?grouped=true');
    expect(groups.map(({ event, group }: AnyBody) => [event, group.count])).toEqual([
      ['redirect.deleted', 2],
      ['redirect.created', 5],
      ['redirect.created', 1],
    ]);
    const waiting = { state: 'pending', is_attempted: false, last_status: null, last_error: null };
    expect(groups[1].group.answers).toEqual([
      { count: 3, state: 'pending', is_attempted: true, last_status: 500, last_error: '500 Oops' },
      { count: 2, ...waiting },
    ]);
    const paged: AnyBody[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await listed(`?grouped=true&limit=1${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.deliveries);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(groups);
    const singles = (await listed(`?limit=5&cursor=${groups[1].group.cursor}`)).deliveries;
    expect([singles[0].id, singles.at(-1).id]).toEqual([groups[1].id, groups[1].group.first_id]);
    expect((await listed('?grouped=true&event=redirect.deleted')).deliveries).toHaveLength(1);
  });

  test.each([
    ['state=canceled', 'state'],
    ['state=failed,pending', 'state'],
    ['event=redirect', 'event'],
    ['since=yesterday', 'since'],
    ['since=0000-01-01T00:00:00Z', 'since'],
    ['until=2030-02-30T00:00:00Z', 'until'],
    ['since=2030-01-02T00:00:00Z&until=2030-01-02T00:00:00Z', 'since'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['cursor=17', 'cursor'],
    ['cursor=whd_x', 'cursor'],
    ['page=2', 'page'],
  ])('%s is 400 and names %s', async (parameters, path) => {
    const answer = await call('GET', `/${webhook}/deliveries?${parameters}`);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(answer.json().issues).toEqual([expect.objectContaining({ path })]);
  });
});

describe('one delivery', () => {
  test('has the exact body and every attempt in order', async () => {
    await happen();
    const id = (await listed()).deliveries[0].id as string;
    await query(
      `insert into attempts (day, delivery_id, attempt_no, started_at, duration_ms, outcome, status, error, response_body, signed_with, superseded)
       select $2::timestamptz::date, $1, n, $2::timestamptz + n * interval '5 s', n * 100, case n when 3 then 'delivered' else 'receiver_error' end,
         case n when 3 then 204 else 500 end, case n when 3 then null else 'the receiver answered 500' end, 'ü ' || n, 'current', false
       from unnest(array[3, 1, 2]) n`,
      [Number(id.slice(4)), at(0)],
    );
    await query(
      `update deliveries set state = 'delivered', attempt_no = 3, last_status = 204, finished_at = $2 where id = $1`,
      [Number(id.slice(4)), at(15)],
    );
    const { delivery } = (await call('GET', `/${webhook}/deliveries/${id}`)).json();
    const [{ body }] = await query('select body from events where id = $1', [delivery.event_id]);
    expect(delivery).toMatchObject({
      id,
      state: 'delivered',
      attempt_count: 3,
      last_status: 204,
      next_attempt_at: null,
      finished_at: at(15),
      body,
    });
    expect(delivery.attempts).toEqual(
      [1, 2, 3].map((n) => ({
        attempt: n,
        started_at: at(5 * n),
        duration_ms: 100 * n,
        outcome: n === 3 ? 'delivered' : 'receiver_error',
        status: n === 3 ? 204 : 500,
        error: n === 3 ? null : 'the receiver answered 500',
        response_body: `ü ${n}`,
        signed_with: 'current',
        superseded: false,
      })),
    );
  });

  test('whose event is no longer kept has no body and cannot be sent again', async () => {
    const event = await happen();
    const id = (await listed()).deliveries[0].id as string;
    await query('delete from events where id = $1', [event]);
    expect((await call('GET', `/${webhook}/deliveries/${id}`)).json().delivery.body).toBeNull();
    const answer = await call('POST', `/${webhook}/deliveries/${id}/redeliver`);
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'EVENT_NOT_FOUND']);
    expect((await listed()).deliveries).toHaveLength(1);
  });
});

describe('redelivery', () => {
  test.each(['delivered', 'failed', 'pending'])(
    'of a %s one is a new delivery of the same event, due at once',
    async (state) => {
      const event = await happen(-60);
      await become(state);
      const [earlier] = (await listed()).deliveries;
      const answer = await call('POST', `/${webhook}/deliveries/${earlier.id}/redeliver`);
      expect(answer.statusCode).toBe(202);
      const { delivery } = answer.json();
      expect(delivery).toMatchObject({
        event_id: event,
        kind: 'redelivery',
        state: 'pending',
        attempt_count: 0,
        next_attempt_at: at(0),
        created_at: at(0),
      });
      expect(delivery.id).not.toBe(earlier.id);
      expect((await listed()).deliveries).toEqual([delivery, earlier]);
    },
  );

  test('of an inactive webhook is 409 and says what to do', async () => {
    await happen();
    const [{ id }] = (await listed()).deliveries;
    await call('PUT', `/${webhook}`, { is_active: false });
    for (const [path, body] of [
      [`deliveries/${id}/redeliver`, undefined],
      ['replay', { since: at(-60) }],
    ]) {
      const answer = await call('POST', `/${webhook}/${String(path)}`, body);
      expect([answer.statusCode, answer.json().code]).toEqual([409, 'CONFLICT']);
      expect(answer.json().details).toContain('is_active');
    }
    expect((await listed()).deliveries).toHaveLength(1);
  });
});

describe('replay', () => {
  const replayed = async (body: unknown): Promise<number> => {
    const answer = await call('POST', `/${webhook}/replay`, body);
    expectStatus(answer, 202);
    expect(Object.keys(answer.json())).toEqual(['count']);
    return answer.json().count;
  };
  const waiting = () => eventIds('?state=pending');

  test('of what failed takes what was given up in that time, once', async () => {
    const [early, lost, also, fine] = [await happen(-30), await happen(-20), await happen(-10), await happen(-15)];
    const late = await happen(0);
    await become('failed');
    await become('delivered', fine);
    expect(await replayed({ since: at(-20), until: at(0) })).toBe(2);
    expect(await waiting()).toEqual([also, lost]);
    expect(await replayed({ since: at(-20), until: at(0), state: 'failed' })).toBe(0);
    await become('delivered', lost);
    await become('failed', also);
    expect(await replayed({ since: at(-20), until: at(0) })).toBe(1);
    expect(await waiting()).toEqual([also]);
    expect(await replayed({ since: at(-30) })).toBe(2);
    expect(new Set(await waiting())).toEqual(new Set([early, also, late]));
    const [newest] = (await listed()).deliveries;
    expect(newest).toMatchObject({
      kind: 'replay',
      attempt_count: 0,
      next_attempt_at: at(0),
      created_at: at(0),
    });
  });

  test('of all takes every event of the webhook’s kinds in that time, whatever it was sent', async () => {
    const delivered = await happen(-40);
    await become('delivered');
    await call('PUT', `/${webhook}`, { is_active: false });
    const missed = await happen(-30, 'redirect.deleted');
    await happen(-30, 'deployment.started');
    await call('PUT', `/${webhook}`, { is_active: true });
    const waits = await happen(-20);
    expect(await waiting()).toEqual([waits]);
    expect(await replayed({ since: at(-40), until: at(-19), state: 'all' })).toBe(2);
    expect(new Set(await waiting())).toEqual(new Set([waits, missed, delivered]));
    expect(await replayed({ since: at(-40), until: at(-19), state: 'all' })).toBe(0);
  });

  test('of all reaches back over midnights and stops at another account’s events', async () => {
    const other = await detour.account();
    await publishEvents(detour.database.db, other.actor, detour.clock.now(), [
      { event: 'redirect.created', websiteId: null, data: {} },
    ]);
    const days = [-86_400 * 2, -86_400, 0].map((seconds) => seconds - 600_000);
    const events: string[] = [];
    for (const day of days) events.push(await happen(day));
    await become('delivered');
    expect(await replayed({ since: at(-600_000 - 86_400 * 2), until: at(-599_999), state: 'all' })).toBe(3);
    expect(new Set(await waiting())).toEqual(new Set(events));
  });

  test('makes deliveries of the range that wait for a retry due now, and counts them', async () => {
    const [early, waits, late] = [await happen(-30), await happen(-20), await happen(-10)];
    const done = await happen(-15);
    await become('delivered', done);
    await query(
      `update deliveries set attempt_no = 2, failures = 2, due_at = $2 where webhook_id = $1 and state = 'pending'`,
      [webhook, at(36_000)],
    );
    expect(await replayed({ since: at(-20), until: at(-10), state: 'failed' })).toBe(1);
    const due = async (event: string) =>
      (await listed('?state=pending')).deliveries.find((one: { event_id: string }) => one.event_id === event);
    expect(await due(waits)).toMatchObject({ next_attempt_at: at(0), attempt_count: 2, kind: 'event' });
    expect(await due(early)).toMatchObject({ next_attempt_at: at(36_000) });
    expect(await replayed({ since: at(-20), until: at(-10), state: 'all' })).toBe(1);
    expect(await replayed({ since: at(-60), state: 'all' })).toBe(2);
    expect(await due(late)).toMatchObject({ next_attempt_at: at(0) });
    expect(await replayed({ since: at(-60), state: 'all' })).toBe(0);
  });

  test('takes times with a fraction of a second by the whole seconds that events have', async () => {
    await happen();
    await become('failed');
    const [since, until] = [at(0).replace('Z', '.400Z'), at(1).replace('Z', '.900Z')];
    expect(await replayed({ since, until })).toBe(1);
  });

  test('finds events that have their time only in the body', async () => {
    const events = [await happen(-20), await happen(-10)];
    await become('failed');
    await detour.database.db.$client.query('update events set happened_at = null');
    expect(await replayed({ since: at(-20), until: at(-10) })).toBe(1);
    expect(await waiting()).toEqual([events[0]]);
  });

  test('two at once queue nothing twice', async () => {
    for (let i = 0; i < 20; i++) await happen();
    await become('failed');
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call('POST', `/${webhook}/replay`, { since: at(-1) })),
    );
    const counts = answers.map((answer) => (answer.statusCode === 202 ? answer.json().count : answer.json().code));
    expect(counts.filter((count) => count === 20)).toHaveLength(1);
    expect(counts.filter((count) => count !== 20).every((count) => count === 0 || count === 'CONFLICT')).toBe(true);
    expect(await waiting()).toHaveLength(20);
  });

  test.each([
    ['no since', {}, 400, 'MISSING_PARAMETER', 'since'],
    ['a since that is no time', { since: 'today' }, 422, 'VALIDATION_ERROR', 'since'],
    ['a since of the year 0', { since: '0000-01-01T00:00:00Z' }, 422, 'VALIDATION_ERROR', 'since'],
    ['a since that is a number', { since: 1 }, 400, 'INVALID_PARAMETER', 'since'],
    [
      'until at since',
      { since: '2030-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z' },
      422,
      'VALIDATION_ERROR',
      'since',
    ],
    ['another state', { since: '2030-01-01T00:00:00Z', state: 'pending' }, 422, 'VALIDATION_ERROR', 'state'],
    ['an unknown field', { since: '2030-01-01T00:00:00Z', events: [] }, 400, 'UNKNOWN_FIELD', 'events'],
  ])('with %s is rejected', async (_what, body, status, code, path) => {
    const answer = await call('POST', `/${webhook}/replay`, body);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    expect(answer.json().issues).toEqual([expect.objectContaining({ path })]);
  });
});
