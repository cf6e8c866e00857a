/** A process that is killed while it reports signals: each message arrives, at least once. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { sql } from '../../src/db/drizzle.ts';
import { freshDatabase } from '../support/database.ts';
import { send } from '../support/detour.ts';
import { openWorkshop } from '../support/process.ts';
import { seeded } from '../support/random.ts';
import { startReceiver } from '../support/receiver.ts';
import { until } from '../support/wait.ts';

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const KILLS = 100;
const SIGNALS = 3;
/** Signals are read every 2 s, so that some kills meet a process that reports them. */
const MAX_PAUSE_MS = 2_500;

test(`killed ${KILLS} times: no message is lost`, async () => {
  const [database, chat, port] = await Promise.all([freshDatabase(), startReceiver(), freePort('127.0.0.1')]);
  const workshop = openWorkshop();
  const address = `http://127.0.0.1:${port}`;
  const random = seeded(20261128);
  async function start() {
    const service = workshop.start({
      PORT: String(port),
      DATABASE_URL: database.url,
      PUBLIC_URL: address,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      OWNER_EMAIL: OWNER.email,
      OWNER_PASSWORD: OWNER.password,
      WEBHOOK_EGRESS: 'private',
      SNAPSHOTS: 'off',
    });
    await service.ready;
    return service;
  }
  const arrived = (): Set<string> =>
    new Set(chat.requests.flatMap(({ body }) => [...body.matchAll(/\/kill-\d+-\d+/g)].map(([path]) => path)));
  try {
    let service = await start();
    const { headers } = await send(address, 'POST', '/api/auth/sign-in', OWNER, {});
    const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    await database.db.execute(sql`update accounts set plan = 'enterprise'`);
    const notice = { name: 'Ops', channel: { type: 'slack', url: chat.url }, kinds: ['urls.lost'] };
    const dashboard = { cookie, 'x-detour-dashboard': '1' };
    expect((await send(address, 'POST', '/api/v1/notices', notice, dashboard)).status).toBe(201);
    const { rows } = await database.db.execute<{ id: number }>(sql`
      insert into websites (account_id, name) select id, 'Shop' from accounts returning id`);
    const expected: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const paths = Array.from({ length: SIGNALS }, (_, n) => `/kill-${kill}-${n}`);
      expected.push(...paths);
      await database.db.execute(sql`
        insert into notice_signals (account_id, kind, website_id, environment, path, data)
        select w.account_id, 'urls.lost', w.id, 'production', p,
          jsonb_build_object('environment', 'production', 'lost', 1, 'before', 0, 'examples', array[p])
        from websites w, unnest(${sql.param(paths)}::text[]) p where w.id = ${rows[0]?.id}`);
      await pause(random() * MAX_PAUSE_MS);
      service.signal('SIGKILL');
      await service.ended;
      service = await start();
    }
    await until(() => Promise.resolve(arrived().size === expected.length), 120_000).catch(() => undefined);
    expect(expected.filter((path) => !arrived().has(path))).toEqual([]);
    const repeated = chat.requests.length - expected.length;
    console.log(`${KILLS} kills, ${expected.length} messages, ${repeated} sent again`);
    const { rows: left } = await database.db.execute(sql`select from deliveries where message is not null`);
    expect(left).toEqual([]);
  } finally {
    await workshop.clear();
    await chat.stop();
    await database.close();
  }
}, 1_800_000);
