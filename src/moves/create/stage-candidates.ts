/** The pages that rows of a move may go to, as targets. */
import { type Db, type Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { createBodyStage, stageName } from '../../db/stage-table.ts';
import { statedUrls } from '../../deployments/gate/urls/url-weight.ts';
import type { UrlBatch } from '../../formats/read/urls/url-row.ts';
import { newId } from '../../platform/ids.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { addressParts } from '../../rules/own-target.ts';
import { ALL_PARAMETERS, ownUrl, readUrl, type UrlRules } from '../../rules/url-key.ts';
import type { Page } from '../../suggestions/page-words.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { MAX_MOVE_CANDIDATES } from '../../vocabulary/moves.ts';
import { MAX_URL_BYTES } from '../../vocabulary/urls.ts';

const COLUMNS = 'url text collate "C" not null, title text, headline text, description text';
const CHUNK_BYTES = 512 * 1024;
const BATCH_SIZE = 500;
/** Rows of a file, repeated ones included. */
const MAX_STAGED = 5 * MAX_MOVE_CANDIDATES;

/** Candidates as a query of url, title, headline and description, and the number of pages that cannot be targets. */
export interface CandidateSource {
  query: SQL;
  leftOut: number;
}

/**
 * The living pages of a website, absolute ones if `host` is given. Left out are those that a redirect cannot name: with
 * a path that begins with `//`, or too long with the host.
 */
export async function livingSource(db: Queryable, websiteId: number, host: string | null): Promise<CandidateSource> {
  const url = host === null ? sql`v.url` : sql`${`https://${host}`} || v.url`;
  const isTarget = host === null ? sql`v.url not like '//%'` : sql`length(${url}) <= ${MAX_URL_BYTES}::int`;
  const living = sql`from (${statedUrls({ websiteId, environment: 'production' })}) v where v.state = 0`;
  const [others] = await queryRows<{ count: number }>(db)`select count(*)::int as count ${living} and not ${isTarget}`;
  const query = sql`select ${url} as url, v.title, v.headline, v.description ${living} and ${isTarget}`;
  return { query, leftOut: others?.count ?? 0 };
}

/** Holds pages of a file, or targets of rules, until they are candidates. */
export function createPageStage(db: Db, instanceId: number) {
  const staged = createBodyStage(db, stageName('url', instanceId, newId('')), {
    columns: COLUMNS,
    chunkBytes: CHUNK_BYTES,
  });
  let leftOut = 0;
  let count = 0;
  return {
    ...staged,
    /** Adds pages. `targetOf` returns undefined for one that cannot be a target. */
    async write(pages: readonly Page[], targetOf: (url: string) => string | undefined): Promise<void> {
      const rows = pages.flatMap(({ url, title = null, headline = null, description = null }) => {
        const target = targetOf(url);
        return target === undefined ? [] : [[target, title, headline, description]];
      });
      leftOut += pages.length - rows.length;
      count += rows.length;
      if (count > MAX_STAGED) throw tooManyCandidates();
      await staged.write(rows);
    },
    /** The source of the pages, each once. Call it when the stage is closed. */
    source: (): CandidateSource => ({
      query: sql`select distinct on (url) url, title, headline, description from ${sql.identifier(staged.table)} order by url`,
      leftOut,
    }),
    leaveOut: (pages: number) => void (leftOut += pages),
  };
}

export type PageStage = ReturnType<typeof createPageStage>;

/** Stages the living pages of a list. Invalid and removed pages, and those of hosts that are no targets, are left out. */
export async function stageListed(
  batches: AsyncIterable<UrlBatch> | Iterable<UrlBatch>,
  rules: UrlRules,
  allowedTargetHosts: readonly string[],
  stage: PageStage,
): Promise<void> {
  const slice = createTimeSlice();
  for await (const { rows, invalid } of batches) {
    if (slice.isOver()) await slice.yield();
    const living = rows.filter((row) => row.living);
    stage.leaveOut(invalid.length + rows.length - living.length);
    await stage.write(living, (url) => targetOf(url, rules, allowedTargetHosts));
  }
}

/** The address of a page as a target: a path on a host of the website, else an https address on an allowed host. */
function targetOf(text: string, rules: UrlRules, allowedTargetHosts: readonly string[]): string | undefined {
  const read = readUrl(text, { ...rules, fromHosts: new Set(), pageParameters: ALL_PARAMETERS });
  if ('url' in read) return read.url.startsWith('//') ? undefined : read.url;
  if ('code' in read || !allowedTargetHosts.includes(read.host)) return undefined;
  const path = addressParts(text.startsWith('//') ? `https:${text}` : text)?.path ?? '/';
  const target = `https://${read.host}${ownUrl(path.replace(/#.*/s, ''), ALL_PARAMETERS).url}`;
  return target.length > MAX_URL_BYTES ? undefined : target;
}

/** Stages pages that are targets already. */
export async function stagePages(pages: AsyncIterable<Page>, stage: PageStage): Promise<void> {
  let batch: Page[] = [];
  for await (const page of pages) {
    if (batch.push(page) < BATCH_SIZE) continue;
    await stage.write(batch, String);
    batch = [];
  }
  await stage.write(batch, String);
}

/**
 * Makes the candidates of a move those of the source, and writes only what differs. Returns their number. Throws
 * TOO_MANY_URLS above 1,000,000.
 */
export async function writeCandidates(
  tx: Queryable,
  { moveId, websiteId }: { moveId: string; websiteId: number },
  { query }: CandidateSource,
): Promise<number> {
  const isOfMove = sql`c.move_id = ${moveId}`;
  await tx.execute(sql`delete from move_candidates c where ${isOfMove}
    and not exists (select from (${query}) s where s.url = c.url)`);
  await tx.execute(sql`
    insert into move_candidates as c (move_id, url, website_id, title, headline, description)
    select ${moveId}, s.url, ${websiteId}::int, s.title, s.headline, s.description from (${query}) s order by s.url
    on conflict (move_id, url) do update
      set title = excluded.title, headline = excluded.headline, description = excluded.description
      where (c.title, c.headline, c.description) is distinct from (excluded.title, excluded.headline, excluded.description)`);
  const [counted] = await queryRows<{ count: number }>(tx)`
    select count(*)::int as count from move_candidates c where ${isOfMove}`;
  if ((counted?.count ?? 0) > MAX_MOVE_CANDIDATES) throw tooManyCandidates();
  return counted?.count ?? 0;
}

function tooManyCandidates(): DomainError {
  return new DomainError('TOO_MANY_URLS', 'The move would have too many candidates', {
    details: 'to: at most 1,000,000 pages; nothing was applied, send a file of the pages that may be targets',
  });
}
