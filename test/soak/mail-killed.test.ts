/** Processes that are killed between the commit of a mail and its delivery: it is sent after a restart. */
import { expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { sql } from '../../src/db/drizzle.ts';
import { freshDatabase } from '../support/database.ts';
import { send } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess } from '../support/process.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { until } from '../support/wait.ts';

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const KILLS = 5;

test(`killed ${KILLS} times before the reply of the server, and with an unanswered request: each mail arrives within 3 s of a restart`, async () => {
  const [database, smtp, port] = await Promise.all([freshDatabase(), startSmtpServer(), freePort('127.0.0.1')]);
  const workshop = openWorkshop();
  const address = `http://127.0.0.1:${port}`;
  async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = workshop.start({
      PORT: String(port),
      DATABASE_URL: database.url,
      PUBLIC_URL: address,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      OWNER_EMAIL: OWNER.email,
      OWNER_PASSWORD: OWNER.password,
      SMTP_URL: smtp.url,
      MAIL_FROM: 'noreply@detour.example',
      ...env,
    });
    await service.ready;
    return service;
  }
  async function kill(service: ServiceProcess): Promise<void> {
    service.signal('SIGKILL');
    await service.ended;
  }
  const slowest: number[] = [];
  async function arrives(to: string): Promise<void> {
    const ready = performance.now();
    await until(() => Promise.resolve(smtp.mails.some((mail) => mail.to.includes(to))), 10_000);
    slowest.push(performance.now() - ready);
  }
  try {
    let service = await start();
    const { headers } = await send(address, 'POST', '/api/auth/sign-in', OWNER, {});
    const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    for (let n = 0; n < KILLS; n++) {
      const email = `invited${n}@example.com`;
      smtp.reply('DATA.', '');
      const datas = smtp.commands.filter((line) => line === 'DATA').length;
      const created = await send(address, 'POST', '/api/invitations', { email, role: 'viewer' }, { cookie });
      expect([created.status, created.text]).toEqual([201, expect.stringContaining('"mailed":true')]);
      await until(() => Promise.resolve(smtp.commands.filter((line) => line === 'DATA').length > datas));
      await kill(service);
      smtp.reply('DATA.', undefined);
      service = await start();
      await arrives(email);
    }
    await kill(service);
    // A process that sends nothing leaves the request unanswered.
    service = await start({ WEBHOOK_SENDING: 'off' });
    expect((await send(address, 'POST', '/api/auth/forgot-password', { email: OWNER.email }, {})).status).toBe(202);
    await kill(service);
    service = await start();
    await arrives(OWNER.email);
    await until(
      async () => (await database.db.execute(sql`select from deliveries where state <> 'delivered'`)).rows.length === 0,
    );
    expect((await database.db.execute(sql`select from deliveries where message is not null`)).rows).toEqual([]);
    expect(new Set(smtp.mails.map((mail) => mail.headers['message-id'])).size).toBe(KILLS + 1);
    console.log(slowest.map((ms) => Math.round(ms)));
    expect(Math.max(...slowest)).toBeLessThan(3_000);
  } finally {
    await workshop.clear();
    await smtp.stop();
    await database.close();
  }
}, 300_000);
