/** A webhook's secret is not in the database, in a backup, in the log, or in any response except one. */
import pino from 'pino';
import { to as copyTo } from 'pg-copy-streams';
import { expect, test } from 'vitest';
import { createAccount } from '../../../src/accounts/account.ts';
import { createApiKey } from '../../../src/accounts/api-key.ts';
import { systemActor } from '../../../src/accounts/system-actor.ts';
import { type Db, withClient } from '../../../src/db/connection/client.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { loadConfig } from '../../../src/platform/config/config.ts';
import { startDetour } from '../../../src/start.ts';
import { freshDatabase } from '../../support/database.ts';
import { send } from '../../support/detour.ts';
import { startReceiver } from '../../support/receiver.ts';

/** Every row of every table as COPY writes it, like a dump of the database. */
async function dump(db: Db): Promise<Map<string, string>> {
  const { rows } = await db.$client.query(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  const tables = new Map<string, string>();
  for (const { name } of rows) {
    const text = await withClient(db, async (client) => {
      const pieces: Buffer[] = [];
      for await (const piece of client.query(copyTo(`copy ${name} to stdout`))) pieces.push(piece);
      return Buffer.concat(pieces).toString('utf8');
    });
    tables.set(name, text);
  }
  return tables;
}

/** The forms of a secret in a dump: the text, its key part, and both as bytea. */
function spellings(secret: string): string[] {
  const key = secret.replace('whsec_', '');
  const bytes = Buffer.from(key, 'base64');
  return [
    key,
    key.replaceAll('+', '-').replaceAll('/', '_').replace('=', ''),
    Buffer.from(key).toString('hex'),
    bytes.toString('hex'),
  ];
}

test('a secret is in no table, no log line and no response except the one that created it', async () => {
  const database = await freshDatabase();
  const receiver = await startReceiver({ reply: 401 });
  const log: string[] = [];
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    PUBLIC_URL: 'http://localhost:3000',
    SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
    WEBHOOK_EGRESS: 'private',
    SNAPSHOTS: 'off',
  });
  const service = await startDetour({
    config,
    databaseUrl: database.url,
    clock: systemClock,
    log: pino({ level: 'trace' }, { write: (line: string) => void log.push(line) }),
  });
  const { account } = await createAccount(database.db, { email: 'owner@example.com', plan: 'business' });
  const { key } = await createApiKey(database.db, systemActor(account), { name: 'x' }, systemClock.now());
  const answers: string[] = [];
  const secrets: string[] = [];
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${key}` };
    const { text, body: answer } = await send<never>(service.address, method, path, body, headers);
    const { webhook } = answer as { webhook?: { id: string; secret?: string } };
    if (webhook?.secret) secrets.push(webhook.secret);
    answers.push(text);
    return webhook;
  };

  const hook = { name: 'x', url: receiver.url, events: ['redirect.created'] };
  const path = `/api/webhooks/${(await call('POST', '/api/webhooks', hook))?.id}`;
  await call('POST', `${path}/rotate-secret`);
  await call('POST', `${path}/test`);
  await call('GET', `${path}/deliveries`);
  // The error of a secret that cannot be decrypted is logged with the webhook, without the secret.
  await database.db.$client.query(`update webhooks set secret = previous_secret || 'x'`);
  await call('POST', `${path}/test`);
  await call('PUT', path, { name: 'other', secret: 'whsec_mine' });
  await call('GET', path);
  await call('GET', '/api/webhooks');

  const tables = await dump(database.db);
  expect(tables.get('webhooks')).toContain(receiver.url);
  expect(tables.get('deliveries')).toContain('redirect.created');
  expect(secrets).toHaveLength(2);
  expect(log.length).toBeGreaterThan(0);
  for (const secret of secrets) {
    const places = [...tables].filter(([, text]) => spellings(secret).some((spelling) => text.includes(spelling)));
    expect(places.map(([name]) => name)).toEqual([]);
    expect(log.filter((line) => spellings(secret).some((spelling) => line.includes(spelling)))).toEqual([]);
    expect(answers.filter((text) => text.includes(secret))).toHaveLength(1);
  }
  await service.stop();
  await receiver.stop();
  await database.close();
});
