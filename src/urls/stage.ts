/** Holds the rows of a body until they are merged into a list, or into an upload. */
import type { Db } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { createBodyStage, stageName } from '../db/stage-table.ts';
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
  /** given by the row; only moves use it */
  weight: number | null;
  /** names of the parameters that were cut, joined by `&` */
  cut: string | null;
}

/** `backlink`: the row is one link to the URL, so rows add up. */
export const FLAGS = { living: 1, backlink: 2 } as const;

/**
 * `n` is the position in the body: of rows with the same URL, the first one wins. `origin` with the URL is the raw URL
 * of most rows: half the text to send and to sort. `raw_url` is the one of others.
 */
export const STAGE_COLUMNS = `n int not null, url text collate "C" not null, origin text, raw_url text, title text, description text,
  headline text, clicks bigint, links bigint, flags smallint not null, cut text`;

/** The raw URL of a staged row `s`. */
export const RAW_URL = sql`coalesce(s.origin || s.url, s.raw_url)`;

/** Bytes of one COPY: with 1 MiB, a push of a million takes 12 % longer. */
const CHUNK_BYTES = 4 * 1024 * 1024;

export type Stage = ReturnType<typeof createStage>;

export function createStage(db: Db, instanceId: number) {
  const staged = createBodyStage(db, stageName('url', instanceId, newId('')), {
    columns: STAGE_COLUMNS,
    chunkBytes: CHUNK_BYTES,
    analyzed: 'url',
  });
  const keys = createFingerprintSet();
  const stage = {
    ...staged,
    /** rows written */
    count: 0,
    /** a URL may be repeated */
    hasDuplicates: false,
    write(urls: readonly StagedUrl[]): Promise<void> {
      const rows = urls.map(({ url, rawUrl, title, description, headline, clicks, links, flags, cut }) => {
        if (keys.add(url)) stage.hasDuplicates = true;
        const origin = rawUrl?.endsWith(url) ? rawUrl.slice(0, -url.length) : null;
        const raw = origin === null ? rawUrl : null;
        return [stage.count++, url, origin, raw, title, description, headline, clicks, links, flags, cut];
      });
      return staged.write(rows);
    },
  };
  return stage;
}
