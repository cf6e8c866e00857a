/** Rotation of SECRET_KEY while the service runs: every delivery has a signature that the receiver accepts. */
import { createHmac, randomBytes } from 'node:crypto';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueMail } from '../../src/accounts/mail/outbox.ts';
import { discardUnreadable, rotateSecrets, SEALED_COLUMNS } from '../../src/admin/rotate-secrets.ts';
import { checkSecretKey } from '../../src/bootstrap/secret-key.ts';
import { readVisitorKey } from '../../src/hits/count/visitor.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { type Detour, startDetour } from '../../src/start.ts';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';

const OLD = Buffer.alloc(32, 7);
const NEW = randomBytes(32);
const both = { secretKey: NEW, previousSecretKey: OLD };
const after = { secretKey: NEW, previousSecretKey: null };
const WEBHOOKS = 3;
/** The secrets of the webhooks, the visitor key, the secret of the owner's authenticator app, and a mail that waits. */
const SECRETS = WEBHOOKS + 3;

let detour: TestDetour;
let owner: TestAccount;
let receiver: Receiver;
const secrets: string[] = [];
const ids: string[] = [];
const running: Detour[] = [];
beforeAll(async () => {
  [detour, receiver] = await Promise.all([startTestDetour({ WEBHOOK_EGRESS: 'private' }), startReceiver()]);
  owner = await detour.account();
  expect((await owner.call('POST', '/api/auth/totp')).status).toBe(200);
  const box = createSecretBox({ secretKey: OLD, previousSecretKey: null });
  const mail = { to: 'a@b.example', subject: '', text: '', html: '', until: '' };
  const { accountId } = owner;
  const now = systemClock.now();
  await queueMail(detour.db, box, { accountId, id: 'inv_waits', kind: 'mail.invitation', mail }, now);
  for (let n = 0; n < WEBHOOKS; n++) {
    const body = { name: `w${n}`, url: `${receiver.url}/${n}`, events: ['redirect.created'] };
    const { webhook } = (await owner.keyCall('POST', '/api/webhooks', body)).body;
    secrets.push(webhook.secret);
    ids.push(webhook.id);
  }
});
afterAll(async () => {
  for (const one of running) await one.stop();
  await detour?.stop();
  await receiver?.stop();
});

/** A process with these keys. */
async function start(env: Record<string, string>): Promise<Detour> {
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: detour.url,
    PUBLIC_URL: 'http://localhost:3000',
    SNAPSHOTS: 'off',
    WEBHOOK_EGRESS: 'private',
    ...env,
  });
  const one = await startDetour({
    config,
    databaseUrl: detour.url,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  running.push(one);
  return one;
}

function isSigned({ path, body, headers }: Received): boolean {
  const secret = secrets[Number(path.split('/').at(-1))] ?? '';
  return headers['x-service-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** Sends a test to every webhook from a process. Expects a valid signature on each. */
async function expectSigned(address: string): Promise<void> {
  const before = receiver.requests.length;
  for (const id of ids) {
    const answer = await fetch(`${address}/api/webhooks/${id}/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.key}` },
    });
    expect(answer.status, await answer.text()).toBe(200);
  }
  const received = (await receiver.got(before + ids.length)).slice(before);
  expect(received.map(isSigned)).toEqual(ids.map(() => true));
}

test('deliveries are signed before, during and after the rotation', async () => {
  const visitorKey = await readVisitorKey(detour.db, createSecretBox({ secretKey: OLD, previousSecretKey: null }));
  const [newKey, oldKey] = [NEW.toString('base64'), OLD.toString('base64')];
  const during = await start({ SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey });
  await expectSigned(during.address);
  const [rotation] = await Promise.all([rotateSecrets(detour.db, createSecretBox(both)), expectSigned(during.address)]);
  expect(rotation).toEqual({ rotated: SECRETS, unreadable: 0 });
  await expectSigned(during.address);
  expect(await rotateSecrets(detour.db, createSecretBox(both))).toEqual({ rotated: 0, unreadable: 0 });

  await checkSecretKey(detour.db, after);
  await expectSigned((await start({ SECRET_KEY: newKey })).address);
  // The same visitor key: visitors of the day are not counted again.
  expect(await readVisitorKey(detour.db, createSecretBox(after))).toEqual(visitorKey);
});

test('a start with another key fails with what to do, and works after a lost key is given up', async () => {
  const wrong = { secretKey: randomBytes(32), previousSecretKey: null };
  await expect(checkSecretKey(detour.db, wrong)).rejects.toThrow(/SECRET_KEY is not the key .* SECRET_KEY_PREVIOUS/);
  const box = createSecretBox(wrong);
  expect(await rotateSecrets(detour.db, box)).toEqual({ rotated: 0, unreadable: SECRETS });
  await expect(discardUnreadable(detour.db, createSecretBox(after))).resolves.toBe(false);
  await expect(discardUnreadable(detour.db, box)).resolves.toBe(true);
  await readVisitorKey(detour.db, box);
  await checkSecretKey(detour.db, wrong);
});

test('every column of bytes is rotated, or holds no sealed secret', async () => {
  const notSealed = [
    'sessions.token_hash',
    'downloads.token_hash',
    'invitations.token_hash',
    'recovery_codes.code_hash',
    'password_requests.email_hash',
    'sign_in_failures.email_hash',
    'sign_in_failures.source_hash',
    'api_keys.key_hash',
    'notice_causes.cause',
    'log_bodies.hash',
    'website_hits.visitors',
    'redirect_hits.visitors',
  ];
  const files: object[] = await Promise.all(globSync('src/db/schema/*.ts').map((file) => import(resolve(file))));
  const columns = files
    .flatMap((file): unknown[] => Object.values(file))
    .filter((value) => is(value, PgTable))
    .flatMap((table) =>
      Object.entries(getTableColumns(table))
        .filter(([, column]) => column.getSQLType() === 'bytea')
        .map(([name]) => `${getTableName(table)}.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`),
    );
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(columns.toSorted()).toEqual([...notSealed, ...listed].toSorted());
});
