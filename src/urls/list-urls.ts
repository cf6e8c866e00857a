/** Pages of the URLs of a website. */
import { type Db, inSnapshot, type Queryable } from '../db/connection/client.ts';
import { sql, type SQL } from '../db/drizzle.ts';
import { fetchRows, queryRows, timeOf } from '../db/rows.ts';
import {
  givesStates,
  removedAt,
  STATE_NUMBERS,
  statedUrls,
  weightedUrls,
} from '../deployments/gate/urls/url-weight.ts';
import type { LiveRules } from '../deployments/live/live-registry.ts';
import { siteAgainst } from '../deployments/publish/rules-against.ts';
import { decodeCursor, encodeCursor } from '../platform/cursor.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { URL_SOURCES, type UrlAnswer, type UrlSource, type UrlState } from '../vocabulary/urls.ts';
import { requireWebsiteRow } from '../websites/website.ts';
import { type Answered, createClassifier } from './answered.ts';
import { urlCondition, type UrlFilter } from './url-filter.ts';
import { useListMemory } from './merge-list.ts';

export interface ListedUrl extends Answered {
  id: number;
  url: string;
  rawUrl: string;
  state: UrlState;
  title: string | null;
  description: string | null;
  headline: string | null;
  /** names of the lists of the environment that hold it */
  lists: string[];
  sources: UrlSource[];
  firstSeenAt: Date;
  lastSeenAt: Date;
  removedAt: Date | null;
  clicks: number | null;
  links: number | null;
  hits: number | null;
  botHits: number | null;
  assistantHits: number | null;
  weight: number;
  /** of a lost one, if requested: what answers once the current rules are deployed */
  draft?: Answered | undefined;
}

export const URL_SORTS = ['weight', 'hits', 'clicks', 'links', 'last_seen_at'] as const;
type SortKey = (typeof URL_SORTS)[number];
/** `-` for descending. */
export type UrlSort = SortKey | `-${SortKey}`;

const KEYS: Record<SortKey, SQL> = {
  weight: sql`v.weight`,
  hits: sql`coalesce(v.hits, -1)::float8`,
  clicks: sql`coalesce(v.clicks, -1)::float8`,
  links: sql`coalesce(v.links, -1)::float8`,
  last_seen_at: sql`extract(epoch from ${lastSeen()})::float8`,
};

/** The pushes of the lists that hold it, if there are any. */
function lastSeen(): SQL {
  return sql`greatest(v.last_seen_at, (select max(l.pushed_at) from url_lists l where l.id = any(v.lists)))`;
}

type Row = Omit<
  ListedUrl,
  keyof Answered | 'draft' | 'state' | 'sources' | 'firstSeenAt' | 'lastSeenAt' | 'removedAt'
> & {
  state: number;
  sources: number;
  firstSeenAt: string;
  lastSeenAt: string;
  removedAt: string | null;
  key: number;
};

export interface ListInput extends UrlFilter {
  answered?: UrlAnswer | undefined;
  sort?: UrlSort | undefined;
  limit: number;
  cursor?: string | undefined;
  /** adds `draft` to the lost ones */
  draft?: boolean | undefined;
}

/**
 * Lists URLs with what answers them by the live rules, ties by URL. Throws WEBSITE_NOT_FOUND, and INVALID_PARAMETER for
 * a cursor of another list. `live` is undefined if nothing is live.
 */
export async function listUrls(
  streams: Db,
  actor: Actor,
  { sort = '-weight', limit, cursor, answered, draft = false, ...filter }: ListInput,
  { live, now }: { live: LiveRules | undefined; now: Date },
): Promise<{ urls: ListedUrl[]; nextCursor: string | null }> {
  const { websiteId, environment } = filter;
  const { pageParameters } = await requireWebsiteRow(streams, actor, websiteId);
  const name = `urls ${sort} ${answered ?? ''} ${JSON.stringify(filter)}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, name, positionOf);
  const site = await siteAgainst(streams, actor, { websiteId, environment, against: 'live' }, live);
  const found: (Row & Answered)[] = [];
  const batches = inSnapshot(streams, async function* (snapshot) {
    const classify = await createClassifier(snapshot, site, pageParameters, now);
    const size = answered === undefined ? limit + 1 : BATCH_SIZE;
    for await (const rows of rowsInOrder(snapshot, { ...filter, answered }, { sort, after, size })) {
      const answers = await classify(rows.map(({ url, state }) => ({ url, state: stateOf(state) })));
      yield rows.map((row, index) => ({ ...row, ...(answers[index] ?? UNANSWERED) }));
    }
  });
  for await (const rows of batches) {
    found.push(...rows.filter((row) => answered === undefined || row.answered === answered));
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const drafts = draft
    ? await draftAnswers(streams, actor, { websiteId, environment, page, pageParameters }, { live, now })
    : undefined;
  return {
    urls: page.map((row) => ({ ...shown(row), draft: drafts?.get(row.url) })),
    nextCursor: last ? encodeCursor(name, [last.key, last.url]) : null,
  };
}

/** Classifies the lost URLs of a page with the current rules, undeployed changes included. */
async function draftAnswers(
  db: Db,
  actor: Actor,
  {
    page,
    pageParameters,
    ...place
  }: Pick<UrlFilter, 'websiteId' | 'environment'> & { page: (Row & Answered)[]; pageParameters: string[] },
  { live, now }: { live: LiveRules | undefined; now: Date },
): Promise<Map<string, Answered>> {
  const lost = page.flatMap(({ url, state, answered }) =>
    answered === 'lost' ? [{ url, state: stateOf(state) }] : [],
  );
  if (lost.length === 0) return new Map();
  const site = await siteAgainst(db, actor, { ...place, against: 'draft' }, live);
  const classify = await createClassifier(db, site, pageParameters, now);
  const answers = await classify(lost);
  return new Map(lost.map(({ url }, index) => [url, answers[index] ?? UNANSWERED]));
}

/** Rows that are classified between two looks at the page, if few of them may be in it. */
const BATCH_SIZE = 2_000;
const UNANSWERED: Answered = { answered: 'none', redirectId: null, reason: null, endsAt: null };

interface Position {
  key: number;
  url: string;
}

const positionOf = ([key, url, ...more]: unknown[]): Position | undefined =>
  typeof key === 'number' && typeof url === 'string' && !url.includes('\0') && more.length === 0
    ? { key, url }
    : undefined;

/** The columns that the order needs, of the rows that a fetch returns. The state of a million rows would cost 0.1 s. */
type OrderedRow = Pick<Row, 'key' | 'hits' | 'botHits' | 'assistantHits' | 'weight'> & { id: number };

/** The rows are sorted once, and only those of a page are read whole. */
async function* rowsInOrder(
  snapshot: Queryable,
  filter: UrlFilter & { answered: UrlAnswer | undefined },
  { sort, size, after }: { sort: UrlSort; size: number; after: Position | undefined },
): AsyncGenerator<Row[]> {
  const isDescending = sort.startsWith('-');
  const key = KEYS[sort.replace('-', '') as SortKey];
  const order = isDescending ? sql`-(${key})` : key;
  const position = after && (isDescending ? -after.key : after.key);
  const isAfter = after ? sql`and (${order}, v.url) > (${position}::float8, ${after.url} collate "C")` : sql``;
  // One page at most, unless rows of other answers may be between those of the page.
  const isOnePage = filter.answered === undefined;
  const query = sql`
    select v.id, ${key} as key, v.hits, v.bot_hits, v.assistant_hits, v.weight from (${weightedUrls(filter)}) v
    where ${urlCondition(filter)} ${mayHaveAnswer(filter.answered)} ${isAfter}
    order by ${order}, v.url ${isOnePage ? sql`limit ${size}` : sql``}`;
  await useListMemory(snapshot);
  // A query of a cursor never runs in parallel.
  const pages = isOnePage
    ? [await queryRows<OrderedRow>(snapshot)`${query}`]
    : fetchRows<OrderedRow>(snapshot, query, size);
  for await (const rows of pages) yield await wholeRows(snapshot, filter, rows);
}

/** Only these URLs can have the answer, so that the others are not classified. */
export function mayHaveAnswer(answered: UrlAnswer | undefined): SQL {
  if (answered === undefined) return sql``;
  return answered === 'living' || answered === 'shadowed' ? sql`and v.state = 0` : sql`and v.state > 0`;
}

async function wholeRows(snapshot: Queryable, filter: UrlFilter, ordered: OrderedRow[]): Promise<Row[]> {
  const ids = sql.param(ordered.map(({ id }) => id));
  const rows = await queryRows<Omit<Row, keyof OrderedRow> & { id: number }>(snapshot)`
    select v.id, v.url, v.state, coalesce(v.raw_url, v.url) as raw_url, v.title, v.description, v.headline, v.sources,
      v.clicks, v.links, v.first_seen_at, ${lastSeen()} as last_seen_at, ${removedAt(filter, sql`v`)} as removed_at,
      array(select l.name from url_lists l where l.id = any(v.lists) and ${givesStates(filter)} order by l.name)
        as lists
    from (${statedUrls(filter)}) v where v.id = any(${ids}::bigint[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ordered.flatMap((row) => {
    const whole = byId.get(row.id);
    return whole ? [{ ...whole, ...row }] : [];
  });
}

const stateOf = (number: number): UrlState => STATE_NUMBERS[number] ?? 'known';

function shown(row: Row & Answered): ListedUrl {
  const { key: _key, state, sources, firstSeenAt, lastSeenAt, removedAt, ...rest } = row;
  return {
    ...rest,
    state: stateOf(state),
    sources: sourcesOf(sources),
    firstSeenAt: new Date(firstSeenAt),
    lastSeenAt: new Date(lastSeenAt),
    removedAt: timeOf(removedAt),
  };
}

const sourcesOf = (bits: number): UrlSource[] =>
  (Object.keys(URL_SOURCES) as UrlSource[]).filter((name) => (bits & URL_SOURCES[name]) > 0);
