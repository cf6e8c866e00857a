import { once } from 'node:events';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { copyCell } from '../../db/copy-rows.ts';
import { type CallDefaults, PROVIDED, givenBits, type ImportEntry, targetBits } from './entry.ts';
import { createFingerprintSet } from './fingerprint-set.ts';

/** Production: where a new rule is deployed to when its entry does not say. */
const DEFAULT_TARGETS = 1;

/** Bytes of COPY text that are put together before they are written. */
const CHUNK = 64 * 1024;

/** Where the entries of one import wait for the merge: an unlogged table, written by COPY. */
export interface Stage {
  /** the table's name, safe to put into SQL */
  table: string;
  /** entries written */
  count: number;
  /** some key may stand twice */
  hasDuplicates: boolean;
  /** some entry has to be looked at by itself */
  hasSpecials: boolean;
  /** the bits of `targets` that every entry would give a new rule; undefined where they differ */
  targets: number | undefined;
  write(entry: ImportEntry): void;
  /** Resolves when the database has taken what was written so far; call it between batches. */
  flush(): Promise<void>;
  finish(): Promise<void>;
  /** Gives entries that do not say it what the call says; after `finish`. Rewrites the table, so a caller who knows early stages it. */
  applyDefaults(defaults: CallDefaults): Promise<void>;
  /** Ends the COPY where it stands and drops the table; the connection can be used again. */
  drop(): Promise<void>;
}

/**
 * Makes the table and opens its COPY on this connection, which is busy with it until `finish`. The name holds the id of the process's
 * instance row, so that the tables of a dead process can be told and dropped.
 */
export async function openStage(client: PoolClient, instanceId: number, importId: string): Promise<Stage> {
  const table = `import_stage_${instanceId}_${importId.replace(/[^A-Za-z0-9]/g, '')}`.toLowerCase();
  await client.query(`create unlogged table ${table} (seq int not null, line int not null, key text collate "C" not null,
    old_path text, new_path text, status_code smallint, is_regex boolean, group_id text, notes text,
    targets smallint not null, given smallint not null, special boolean not null)`);
  const copy = client.query(copyFrom(`copy ${table} from stdin`));
  const failed = new Promise<never>((_, reject) => copy.once('error', reject));
  failed.catch(() => {});
  const keys = createFingerprintSet();
  let text = '';

  async function send(): Promise<void> {
    const chunk = text;
    text = '';
    if (chunk !== '' && !copy.write(chunk)) await Promise.race([once(copy, 'drain'), failed]);
  }

  const stage: Stage = {
    table,
    count: 0,
    hasDuplicates: false,
    hasSpecials: false,
    targets: undefined,
    write(entry) {
      const repeated = keys.add(entry.key);
      const special = repeated || isSpecial(entry);
      if (repeated) stage.hasDuplicates = true;
      if (special) stage.hasSpecials = true;
      const targets = entry.environments ? targetBits(entry.environments) : DEFAULT_TARGETS;
      if (stage.count === 0) stage.targets = targets;
      else if (stage.targets !== targets) stage.targets = undefined;
      text += stageLine(stage.count++, entry, special);
    },
    async flush() {
      if (text.length >= CHUNK) await send();
    },
    async finish() {
      await send();
      const finished = once(copy, 'finish');
      copy.end();
      await Promise.race([finished, failed]);
      await client.query(`analyze ${table}`);
    },
    async applyDefaults(defaults) {
      await writeDefaults(client, table, defaults);
      if (defaults.environments !== undefined) stage.targets = undefined;
    },
    async drop() {
      // Destroying a COPY that is under way sends CopyFail; a query before its end would wait for ever.
      if (!copy.writableFinished && !copy.destroyed) {
        const closed = once(copy, 'close').catch(() => {});
        copy.destroy(new Error('the import was given up'));
        await closed;
      }
      await client.query(`drop table if exists ${table}`);
    },
  };
  return stage;
}

async function writeDefaults(client: PoolClient, table: string, defaults: CallDefaults): Promise<void> {
  const { groupId, environments } = defaults;
  const set = (column: string, bit: number, value: string | number | null) =>
    client.query(`update ${table} set ${column} = $1, given = given | ${bit} where given & ${bit} = 0`, [
      value,
    ]);
  if (groupId !== undefined) await set('group_id', PROVIDED.groupId, groupId);
  if (environments !== undefined) await set('targets', PROVIDED.environments, targetBits(environments));
}

/** The columns in the order of the table; old_path is null where it is the key. Written out: a list that is mapped and joined takes twice as long, for every entry. */
function stageLine(seq: number, entry: ImportEntry, special: boolean): string {
  const key = copyCell(entry.key);
  const oldPath = entry.oldPath === entry.key ? '\\N' : copyCell(entry.oldPath);
  const rule = `${key}\t${oldPath}\t${copyCell(entry.newPath)}\t${entry.statusCode ?? '\\N'}\t${entry.isRegex ?? '\\N'}`;
  const labels = `${copyCell(entry.groupId ?? null)}\t${copyCell(entry.notes ?? null)}`;
  const targets = entry.environments ? targetBits(entry.environments) : 0;
  return `${seq}\t${entry.line}\t${rule}\t${labels}\t${targets}\t${givenBits(entry)}\t${special}\n`;
}

/** Entries whose validity depends on what they meet: patterns, statuses without a target, targets on a website's allowed hosts. */
function isSpecial(entry: ImportEntry): boolean {
  return entry.isRegex === true || entry.newPath === null || entry.isUndecided === true;
}
