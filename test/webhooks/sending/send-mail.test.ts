/**
 * Attempts to send mail, to servers that reject, delay, hang or are away. Holds the rules of
 * src/webhooks/sending/send-mail.ts and attempt-message.ts.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { queueMail } from '../../../src/accounts/mail/outbox.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { freePort } from '../../../src/platform/postgres/server.ts';
import type { MailServer } from '../../../src/webhooks/sending/send-mail.ts';
import { createMailSender } from '../../../src/webhooks/sending/send-mail.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database.ts';
import {
  attemptsOf,
  deliveriesOf,
  openAccount,
  openDispatcher,
  secretBox,
  type TestDispatcher,
} from '../../support/dispatching.ts';
import { type SmtpServer, startSmtpServer } from '../../support/smtp-server.ts';
import { until } from '../../support/wait.ts';

const from = { name: 'Detour', address: 'noreply@detour.example' };
const MAIL = {
  to: 'to@mailbox.example',
  subject: 'Subject',
  text: 'Text\n',
  html: '<p>Text</p>',
  until: '2099-01-01T00:00:00Z',
};
const open: SmtpServer[] = [];
let database: FreshDatabase;
beforeAll(async () => void (database = await freshDatabase()));
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop();
});
afterAll(() => database.close());

async function start(extensions: string[] = []): Promise<SmtpServer> {
  const server = await startSmtpServer({ extensions });
  open.push(server);
  return server;
}

const attempt = (url: string, { timeoutMs = 5_000, stop = new AbortController().signal } = {}) =>
  createMailSender({ url, from }, timeoutMs).send({ ...MAIL, id: 'inv_1' }, stop);

test.each([
  ['RCPT', '550 5.1.1 no such user to@mailbox.example', 'refused', 550, 'the server replied with 550 5.1.1'],
  ['RCPT', '451 4.7.1 greylisted', 'receiver_error', 451, 'the server replied with 451 4.7.1'],
  ['DATA.', '554 looks like spam: https://secret.example/#token', 'refused', 554, 'the server replied with 554'],
  ['DATA.', '452 no space', 'receiver_error', 452, 'the server replied with 452'],
] as const)('%s replied with "%s" is %s; its text is not shown', async (command, reply, outcome, status, error) => {
  const server = await start();
  server.reply(command, reply);
  expect(await attempt(server.url)).toMatchObject({ outcome, status, error, responseBody: null });
  expect(server.mails).toEqual([]);
});

test('a server that does not reply is a timeout, a stop is an interruption, and the connection closes', async () => {
  const server = await start();
  server.reply('DATA.', '');
  expect(await attempt(server.url, { timeoutMs: 300 })).toMatchObject({ outcome: 'timeout', status: null });
  const stop = new AbortController();
  const sending = attempt(server.url, { stop: stop.signal });
  await until(() => Promise.resolve(server.commands.filter((line) => line === 'DATA').length === 2));
  stop.abort();
  expect(await sending).toMatchObject({ outcome: 'interrupted', status: null });
  await until(() => Promise.resolve(server.connections() === 0));
});

test('a server that is away is a failed connection', async () => {
  expect(await attempt(`smtp://127.0.0.1:${await freePort('127.0.0.1')}`)).toMatchObject({ outcome: 'connect' });
});

test('a password is sent only over TLS', async () => {
  const server = await start(['AUTH PLAIN']);
  expect((await attempt(server.url.replace('://', '://user:secret@'))).outcome).not.toBe('delivered');
  expect(server.commands.filter((line) => line.startsWith('AUTH'))).toEqual([]);
  expect((await attempt(server.url)).outcome).toBe('delivered');
});

test('a mailbox cannot add recipients or headers', async () => {
  const server = await start();
  const sender = createMailSender({ url: server.url, from });
  const to = 'a@b.example\r\nBcc: c@d.example';
  await sender.send({ ...MAIL, to, id: 'inv_1' }, new AbortController().signal);
  expect(server.mails.flatMap(({ raw }) => raw.split('\r\n')).filter((line) => /^bcc:/i.test(line))).toEqual([]);
  expect(server.commands.filter((line) => /^RCPT/i.test(line)).length).toBeLessThanOrEqual(1);
});

const queue = async (id: string, mail = MAIL) => {
  const { accountId } = await openAccount(database, 'free');
  await queueMail(database.db, secretBox, { accountId, id, kind: 'mail.invitation', mail }, systemClock.now());
  return `mail_${accountId}`;
};

async function withDispatcher(mail: MailServer | null, work: (dispatcher: TestDispatcher) => Promise<void>) {
  const dispatcher = await openDispatcher(database, { mail });
  dispatcher.start();
  try {
    await work(dispatcher);
  } finally {
    await dispatcher.end();
  }
}

const ended = (receiver: string) =>
  until(async () => {
    const [row] = await deliveriesOf(database, receiver);
    return row && !/pending|sending/.test(row.state) && row;
  }, 15_000);

test('a 4xx reply is retried by the schedule of webhooks with the same Message-ID, and each attempt is logged', async () => {
  const server = await start();
  server.reply('RCPT', '450 4.2.0 try later');
  const receiver = await queue('inv_retried');
  await withDispatcher({ url: server.url, from }, async (dispatcher) => {
    const waiting = await until(async () => (await deliveriesOf(database, receiver)).find((row) => row.failures === 1));
    const delayMs = new Date(waiting.due_at).getTime() - Date.now();
    expect(delayMs).toBeGreaterThan(3_000);
    expect(delayMs).toBeLessThan(6_100);
    server.reply('RCPT', undefined);
    const delivery = await ended(receiver);
    expect(delivery).toMatchObject({ state: 'delivered', attempt_no: 2, message: null });
    expect(await attemptsOf(database, delivery.id)).toMatchObject([
      { attempt_no: 1, outcome: 'receiver_error', status: 450 },
      { attempt_no: 2, outcome: 'delivered', status: 250 },
    ]);
    expect(server.mails.map(({ headers }) => headers['message-id'])).toEqual(['<inv_retried@detour.example>']);
    expect(dispatcher.errors).toEqual([]);
  });
});

test('a mail whose link ends before the next attempt has failed, and an ended one is not sent', async () => {
  const server = await start();
  server.reply('RCPT', '450 later');
  const until = (ms: number) => ({ ...MAIL, until: new Date(Date.now() + ms).toISOString() });
  const soon = await queue('inv_soon', until(4_000));
  const over = await queue('inv_over', until(-1_000));
  await withDispatcher({ url: server.url, from }, async () => {
    expect(await ended(soon)).toMatchObject({ state: 'failed', attempt_no: 1, last_status: 450, message: null });
    expect(await ended(over)).toMatchObject({
      state: 'failed',
      last_error: 'expired: the link has ended',
      message: null,
    });
  });
});

test('without a server, mail waits and nothing claims it; it does not count as overdue', async () => {
  const receiver = await queue('inv_waits');
  await withDispatcher(null, async (dispatcher) => {
    dispatcher.wake();
    const numbers = await until(async () => {
      const text = await dispatcher.numbers();
      return text.includes('detour_webhook_pending 1') && text;
    });
    expect(numbers).toContain('detour_webhook_oldest_due_seconds 0');
    expect(await deliveriesOf(database, receiver)).toMatchObject([{ state: 'pending', attempt_no: 0 }]);
  });
});
