/** The rows of a new move: URLs of the website by a filter, or those of a list. */
import { type Db, inSnapshot, type Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { fetchRows, queryRows } from '../../db/rows.ts';
import { createBodyStage, stageName } from '../../db/stage-table.ts';
import { STATE_NUMBERS, weightedUrls } from '../../deployments/gate/urls/url-weight.ts';
import type { LiveRules } from '../../deployments/live/live-registry.ts';
import { siteAgainst } from '../../deployments/publish/rules-against.ts';
import { newId } from '../../platform/ids.ts';
import { addressParts } from '../../rules/own-target.ts';
import { ALL_PARAMETERS, ownUrl } from '../../rules/url-key.ts';
import { createClassifier } from '../../urls/answered.ts';
import { mayHaveAnswer } from '../../urls/list-urls.ts';
import type { StagedUrl } from '../../urls/stage.ts';
import { urlCondition } from '../../urls/url-filter.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { MAX_URL_BYTES } from '../../vocabulary/urls.ts';
import type { MoveFilter } from '../move.ts';

/** `known_url` is the URL by the page parameters of the website, as `urls` has it; `weight` is null if its source has none. */
const COLUMNS = `n int not null, url text collate "C" not null, raw_url text not null, known_url text collate "C" not null,
  title text, headline text, description text, weight bigint`;
const CHUNK_BYTES = 512 * 1024;
const BATCH_SIZE = 1_000;
/** Above it, a sum of weights could leave the range of the column. */
const MAX_WEIGHT = 1_000_000_000_000;
/** Addresses that a row keeps of those that it was made from. */
const MAX_RAW_URLS = 100;

export type RowStage = ReturnType<typeof createRowStage>;
type SourceUrl = Pick<
  StagedUrl,
  'url' | 'rawUrl' | 'title' | 'headline' | 'description' | 'weight' | 'clicks' | 'links'
>;

/** Holds URLs until they are the rows of a move. */
export function createRowStage(db: Db, instanceId: number, pageParameters: ReadonlySet<string>) {
  const staged = createBodyStage(db, stageName('url', instanceId, newId('')), {
    columns: COLUMNS,
    chunkBytes: CHUNK_BYTES,
  });
  const stage = {
    ...staged,
    /** URLs written */
    count: 0,
    write(urls: readonly SourceUrl[]): Promise<void> {
      const rows = urls.map(({ url, rawUrl, title, headline, description, weight, clicks, links }) => {
        const known = ownUrl(url, pageParameters).url;
        const counted = clicks === null && links === null ? null : 10 * (links ?? 0) + (clicks ?? 0);
        const heaviest = weight ?? counted;
        const bounded = heaviest === null ? null : Math.min(heaviest, MAX_WEIGHT);
        return [stage.count++, url, rawUrl ?? url, known, title, headline, description, bounded];
      });
      return staged.write(rows);
    },
  };
  return stage;
}

/** Stages the URLs of a website that the filter finds by the live rules. Throws WEBSITE_NOT_FOUND. */
export async function stageFound(
  streams: Db,
  actor: Actor,
  { answered, ...filter }: MoveFilter & { websiteId: number },
  { live, now }: { live: LiveRules | undefined; now: Date },
  { write, pageParameters }: Pick<RowStage, 'write'> & { pageParameters: readonly string[] },
): Promise<void> {
  const { websiteId, environment } = filter;
  const site = await siteAgainst(streams, actor, { websiteId, environment, against: 'live' }, live);
  const found = inSnapshot(streams, async function* (snapshot) {
    const classify = await createClassifier(snapshot, site, pageParameters, now);
    const query = sql`
      select v.url, v.raw_url, v.title, v.headline, v.description, v.state, v.weight from (${weightedUrls(filter)}) v
      where ${urlCondition(filter)} ${mayHaveAnswer(answered)}`;
    type Found = Omit<SourceUrl, 'weight'> & { state: number; weight: number };
    for await (const rows of fetchRows<Found>(snapshot, query, BATCH_SIZE)) {
      const answers = await classify(
        rows.map(({ url, state }) => ({ url, state: STATE_NUMBERS[state] ?? ('known' as const) })),
      );
      yield rows.filter((_, index) => answers[index]?.answered === answered);
    }
  });
  for await (const rows of found)
    await write(rows.map(({ url, rawUrl, ...row }) => ({ ...row, url: wholeUrl(url, rawUrl), rawUrl })));
}

/** The URL with the whole query that its source had. A stored address is the website's, whatever host it names now. */
function wholeUrl(url: string, rawUrl: string | null): string {
  if (rawUrl === null) return url;
  const target = rawUrl.startsWith('/') && !rawUrl.startsWith('//') ? rawUrl : addressParts(rawUrl)?.path;
  const whole = target === undefined ? url : ownUrl(target.replace(/#.*/s, ''), ALL_PARAMETERS).url;
  return whole.length > MAX_URL_BYTES ? url : whole;
}

export interface InsertedRows {
  rows: number;
  weight: number;
}

/**
 * Makes the staged URLs rows of a move. Those of one path and query are one row, with the sum of their weights. What
 * their source does not say is that of the stored URL: title, texts, and the weight with hits.
 */
export async function insertRows(
  tx: Queryable,
  { moveId, websiteId }: { moveId: string; websiteId: number },
  { table }: Pick<RowStage, 'table'>,
): Promise<InsertedRows> {
  const first = (column: string) =>
    sql.raw(`(array_agg(${column} order by n) filter (where ${column} is not null))[1] as ${column}`);
  const [inserted] = await queryRows<InsertedRows>(tx)`
    with inserted as (
      insert into move_rows (move_id, url, website_id, raw_url, raw_urls, title, headline, description, weight)
      select ${moveId}, s.url, ${websiteId}::int, nullif(s.raw_url, s.url),
        case when cardinality(s.raw_urls) > 1 then s.raw_urls[1:${MAX_RAW_URLS}::int] end, coalesce(s.title, w.title),
        coalesce(s.headline, w.headline), coalesce(s.description, w.description),
        least(coalesce(s.weight, w.weight, 0), ${MAX_WEIGHT}::bigint)::bigint
      from (
        select url, min(known_url) as known_url, ${first('raw_url')}, array_agg(distinct raw_url) as raw_urls,
          ${first('title')}, ${first('headline')}, ${first('description')}, sum(weight) as weight
        from ${sql.identifier(table)} group by url) s
        left join (${weightedUrls({ websiteId, environment: 'production' })}) w on w.url = s.known_url
      order by s.url
      returning weight)
    select count(*)::int as rows, coalesce(sum(weight), 0)::float8 as weight from inserted`;
  return inserted ?? { rows: 0, weight: 0 };
}
