/** Holds the rows of a body until they are merged into a list, or into an upload. */
import { type Db, withClient } from '../db/connection/client.ts';
import { copyCell } from '../db/copy/copy-rows.ts';
import { sql } from '../db/drizzle.ts';
import { createStageTable, stageName } from '../db/stage-table.ts';
import { newId } from '../platform/ids.ts';
import { createFingerprintSet } from '../redirects/import/engine/fingerprint-set.ts';

/** A row whose address is one of the website. Texts are those of the file. */
export interface StagedUrl {
  /** canonical */
  url: string;
  /** null: the same as `url` */
  rawUrl: string | null;
  title: string | null;
  description: string | null;
  headline: string | null;
  clicks: number | null;
  links: number | null;
  /** bits of FLAGS */
  flags: number;
  /** names of the parameters that were cut, joined by `&` */
  cut: string | null;
}

/** `backlink`: the row is one link to the URL, so rows add up. */
export const FLAGS = { living: 1, backlink: 2 } as const;

/** `n` is the position in the body: of rows with the same URL, the first one wins. */
export const STAGE_COLUMNS = `n int not null, url text collate "C" not null, raw_url text, title text, description text,
  headline text, clicks bigint, links bigint, flags smallint not null, cut text`;

/** Text of one COPY. Between two, the stage holds no connection, so a slow reader holds none. */
const CHUNK_CHARACTERS = 1024 * 1024;

export type Stage = ReturnType<typeof createStage>;

export function createStage(db: Db, instanceId: number) {
  const staged = createStageTable(stageName('url', instanceId, newId('')), STAGE_COLUMNS);
  const keys = createFingerprintSet();
  const send = (): Promise<void> =>
    withClient(db, async (client) => {
      await staged.open(client);
      await staged.close();
    });
  const stage = {
    /** the table's name: letters, digits and underscores */
    table: staged.table,
    /** rows written */
    count: 0,
    /** a URL may be repeated */
    hasDuplicates: false,
    /** Adds rows. Resolves when the database has taken what does not fit into memory. */
    async write(rows: readonly StagedUrl[]): Promise<void> {
      let size = 0;
      for (const { url, rawUrl, title, description, headline, clicks, links, flags, cut } of rows) {
        if (keys.add(url)) stage.hasDuplicates = true;
        const cells = [stage.count++, url, rawUrl, title, description, headline, clicks, links, flags, cut];
        size = staged.write(`${cells.map(copyCell).join('\t')}\n`);
      }
      if (size >= CHUNK_CHARACTERS) await send();
    },
    /** Stores the rest. */
    async close(): Promise<void> {
      await send();
      await db.execute(sql`analyze ${sql.identifier(staged.table)}`);
    },
    drop: () => staged.drop(db),
  };
  return stage;
}
