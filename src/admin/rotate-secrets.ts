/** Seals every stored secret again with SECRET_KEY, so that SECRET_KEY_PREVIOUS is no longer needed. */
import type { Db } from '../db/connection/client.ts';
import { mailContext } from '../accounts/mail/outbox.ts';
import { totpContext } from '../accounts/sign-in/totp.ts';
import { checkSecretContext } from '../checks/credentials.ts';
import { sql } from '../db/drizzle.ts';
import { readSetting } from '../db/settings.ts';
import { VISITOR_KEY } from '../hits/count/visitor.ts';
import { downloadContext } from '../http/download-link.ts';
import { type SecretBox, UnknownKeyError } from '../platform/secret-box.ts';
import { secretContext } from '../webhooks/sending/sign.ts';

/** Every column with a sealed secret. A test compares the list with the schema. */
export const SEALED_COLUMNS: SealedColumn[] = [
  { table: 'webhooks', key: 'id', column: 'secret', contextOf: secretContext },
  { table: 'webhooks', key: 'id', column: 'previous_secret', contextOf: secretContext },
  { table: 'deliveries', key: 'event_id', column: 'message', contextOf: mailContext },
  { table: 'totp_secrets', key: 'user_id', column: 'secret', contextOf: totpContext },
  { table: 'check_credentials', key: 'website_id', column: 'secret', contextOf: checkSecretContext },
  { table: 'downloads', key: 'token_hash', column: 'credential', contextOf: downloadContext },
];

interface SealedColumn {
  table: string;
  /** the column that identifies a row */
  key: string;
  column: string;
  /** the context of a row, by its `key` as text */
  contextOf: (id: string) => string;
}

export interface Rotation {
  rotated: number;
  /** sealed with a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS; left as they are */
  unreadable: number;
}

const BATCH_SIZE = 200;

/**
 * Seals all secrets with the current key. A secret that the service changes meanwhile is left to it, so that the
 * service may run; it must have both keys. Safe to repeat: a secret of the current key is not touched.
 */
export async function rotateSecrets(db: Db, box: SecretBox): Promise<Rotation> {
  const total = await rotateVisitorKey(db, box);
  for (const column of SEALED_COLUMNS) {
    let after = '';
    for (;;) {
      const batch = await readBatch(db, column, after);
      for (const { id, sealed } of batch) {
        const outcome = resealed(box, sealed, column.contextOf(id));
        if (outcome === 'unreadable') total.unreadable++;
        else if (outcome !== 'current') total.rotated += await replace(db, column, { id, sealed, by: outcome });
      }
      const last = batch.at(-1);
      if (!last || batch.length < BATCH_SIZE) break;
      after = last.id;
    }
  }
  return total;
}

async function readBatch(db: Db, { table, key, column }: SealedColumn, after: string) {
  const [name, id, sealed] = [sql.identifier(table), sql.identifier(key), sql.identifier(column)];
  const { rows } = await db.execute<{ id: string; sealed: Buffer }>(sql`
    select ${id}::text as id, ${sealed} as sealed from ${name}
    where ${id}::text > ${after} and ${sealed} is not null order by ${id}::text limit ${BATCH_SIZE}`);
  return rows;
}

/** Returns the number of changed rows: none if the service has changed the secret. */
async function replace(
  db: Db,
  { table, key, column }: SealedColumn,
  { id, sealed, by }: { id: string; sealed: Buffer; by: Buffer },
): Promise<number> {
  const [name, field] = [sql.identifier(table), sql.identifier(column)];
  const { rowCount } = await db.execute(
    sql`update ${name} set ${field} = ${by} where ${sql.identifier(key)}::text = ${id} and ${field} = ${sealed}`,
  );
  return rowCount ?? 0;
}

async function rotateVisitorKey(db: Db, box: SecretBox): Promise<Rotation> {
  const { setting, context } = VISITOR_KEY;
  const text = await readSetting(db, setting);
  if (text === undefined) return { rotated: 0, unreadable: 0 };
  const outcome = resealed(box, Buffer.from(text, 'base64'), context);
  if (outcome === 'unreadable') return { rotated: 0, unreadable: 1 };
  if (outcome === 'current') return { rotated: 0, unreadable: 0 };
  const { rowCount } = await db.execute(
    sql`update settings set value = ${outcome.toString('base64')} where name = ${setting} and value = ${text}`,
  );
  return { rotated: rowCount ?? 0, unreadable: 0 };
}

function resealed(box: SecretBox, sealed: Buffer, context: string): Buffer | 'current' | 'unreadable' {
  if (box.isCurrent(sealed)) return 'current';
  try {
    return box.seal(box.open(sealed, context), context);
  } catch (error) {
    if (error instanceof UnknownKeyError) return 'unreadable';
    throw error;
  }
}

/**
 * Removes the visitor key if it is unreadable, so that a service whose SECRET_KEY is lost starts again. The next start
 * creates a new one. Webhooks need a new secret from their owner.
 */
export async function discardUnreadable(db: Db, box: SecretBox): Promise<boolean> {
  const { setting, context } = VISITOR_KEY;
  const text = await readSetting(db, setting);
  if (text === undefined || resealed(box, Buffer.from(text, 'base64'), context) !== 'unreadable') return false;
  await db.execute(sql`delete from settings where name = ${setting} and value = ${text}`);
  return true;
}
