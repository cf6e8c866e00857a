/** Fetches the sitemaps of a website, each as a list of its own: `sitemap:1`, `sitemap:2`, ... of production. */
import type { Db, Queryable } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { systemActor } from '../accounts/system-actor.ts';
import { readSitemapIndex } from '../formats/read/urls/read-url-list.ts';
import { stopwatch } from '../platform/clock.ts';
import { createKeyedSemaphore } from '../platform/scheduling/semaphore.ts';
import type { ImportDeps } from '../redirects/import/engine/import-request.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { busy, DomainError } from '../vocabulary/error.ts';
import type { Plan } from '../vocabulary/plan.ts';
import { requireEditableRow } from '../websites/website.ts';
import { DownloadFailure, type Downloads } from './download.ts';
import { listUrlLists, type UrlList } from './lists.ts';
import { mergeStage } from './push-list.ts';
import { addCounts, assertRows, emptyCounts, stageBody } from './read-body.ts';
import { createStage } from './stage.ts';
import { readUrlRules } from './url-rules.ts';

/** Unpacked bytes of one sitemap: the limit of the protocol is 50 MiB. */
const MAX_BYTES = 256 * 1024 ** 2;
/** Sitemaps of an index, which the protocol limits too. */
const MAX_CHILDREN = 50_000;
const MAX_PROBLEM = 500;
/** For all sitemaps of a website: a slow host delays other websites by no more. */
const MAX_FETCH_MS = 600_000;
const TOO_SLOW = 'the sitemaps of the website take longer than 10 minutes; nothing was applied';
const WAIT_MS = 10_000;

/** One fetch of an account at a time. */
const withTurn = createKeyedSemaphore<number>(1);
const fetchRunning = (): DomainError => busy('Another fetch of the account is running; retry when that has ended', 30);

export interface FetchDeps extends ImportDeps {
  downloads: Downloads;
}

const nameOf = (index: number): string => `sitemap:${index + 1}`;

/**
 * Fetches all sitemaps of the website, one after the other. A failed one changes nothing, and its list says why. Returns
 * the lists. Throws WEBSITE_NOT_FOUND, INSUFFICIENT_ROLE, and BUSY if another fetch of the account runs.
 */
export async function fetchSitemaps(deps: FetchDeps, actor: Actor, websiteId: number): Promise<UrlList[]> {
  const { sitemapUrls } = await requireEditableRow(deps.db, actor, websiteId);
  const lists = sitemapUrls.map((_, index) => nameOf(index));
  await withTurn(actor.accountId, () => fetchAll(deps, actor, websiteId, sitemapUrls), {
    timeoutMs: WAIT_MS,
    error: fetchRunning,
  });
  const all = await listUrlLists(deps.db, actor, { websiteId, environment: 'production' });
  return all.filter(({ list }) => lists.includes(list));
}

async function fetchAll(deps: FetchDeps, actor: Actor, websiteId: number, sitemapUrls: string[]): Promise<void> {
  const deadline = stopwatch() + MAX_FETCH_MS;
  for (const [index, address] of sitemapUrls.entries()) {
    const place = { websiteId, environment: 'production', list: nameOf(index) } as const;
    await noteFetch(deps.db, place, null);
    const problem = await fetchOne(deps, actor, place, { address, deadline }).then(() => null, problemOf(place));
    // After a success too: another process may have failed meanwhile.
    await noteFetch(deps.db, place, problem);
  }
}

type Place = { websiteId: number; environment: 'production'; list: string };

/** Stores the time and the problem of a fetch, unless the website is deleted by now. */
async function noteFetch(db: Queryable, { websiteId, environment, list }: Place, problem: string | null) {
  await queryRows(db)`
    insert into url_lists (website_id, environment, name, fetched_at, problem)
    select id, ${environment}, ${list}, now(), ${problem} from websites where id = ${websiteId} and deleting_since is null
    on conflict (website_id, environment, name) do update set fetched_at = excluded.fetched_at, problem = excluded.problem`;
}

/** Why the fetch of a list failed. Throws an error that is not about the sitemap. */
const problemOf =
  ({ list }: Place) =>
  (error: unknown): string => {
    if (!(error instanceof DomainError || error instanceof DownloadFailure)) throw error;
    const text = error instanceof DomainError ? detailsOf(error) : error.message;
    // A fetch takes no max_removed.
    return text
      .replace('then send max_removed=', `then push it once to list=${list} with max_removed=`)
      .slice(0, MAX_PROBLEM);
  };

const detailsOf = ({ details, message }: DomainError): string => details || message;

/** An index is one list of all its sitemaps: a missing one must not look like removed pages. */
async function fetchOne(
  deps: FetchDeps,
  actor: Actor,
  place: Place,
  { address, deadline }: { address: string; deadline: number },
): Promise<void> {
  const rules = await readUrlRules(deps.db, actor, { ...place, fromHosts: [] });
  const stage = createStage(deps.permits.db, deps.instanceId);
  const counts = emptyCounts();
  const download = (url: string, onIndex?: (path: string) => Promise<string[]>): Promise<string[]> => {
    if (stopwatch() > deadline) throw new DownloadFailure(`${address}: ${TOO_SLOW}`);
    return deps.downloads.withFile(url, async (path) => {
      try {
        addCounts(counts, await stageBody(path, rules, stage, MAX_BYTES));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        if (onIndex && error.code === 'SITEMAP_INDEX') return onIndex(path);
        throw new DownloadFailure(`${url}: ${detailsOf(error).replace(/^body: /, '')}`);
      }
      assertRows(counts.rows, 'upload');
      return [];
    });
  };
  try {
    const children = await download(address, async (path) =>
      childrenOf(address, await readSitemapIndex(path, MAX_BYTES)),
    );
    for (const child of children) await download(child);
    await stage.close();
    const input = { ...place, dryRun: false };
    await deps.permits.withTurn(actor.accountId, () => mergeStage(deps, actor, input, stage, counts));
  } finally {
    await stage.drop().catch(() => {});
  }
}

function childrenOf(address: string, children: string[]): string[] {
  if (children.length === 0) throw new DownloadFailure(`${address} has no sitemaps`);
  if (children.length > MAX_CHILDREN) throw new DownloadFailure(`${address} has more than 50,000 sitemaps`);
  const { origin } = new URL(address);
  return children.map((child) => {
    const url = URL.parse(child, address);
    if (url?.origin === origin) return url.href;
    throw new DownloadFailure(
      `${address} names ${child.slice(0, 200)}, which is not on ${origin}; nothing was applied`,
    );
  });
}

/** A website whose sitemaps were not fetched since the start of its night: from 00:00 to 04:00 UTC, spread by id. */
export async function dueWebsite(db: Db): Promise<{ websiteId: number; actor: Actor } | undefined> {
  const [due] = await queryRows<{ id: number; accountId: number; plan: Plan }>(db)`
    select w.id, w.account_id, a.plan from websites w join accounts a on a.id = w.account_id
    cross join lateral (select date_trunc('day', now(), 'UTC') + make_interval(mins => w.id % 240) as at) night
    where w.sitemap_urls <> '{}' and w.deleting_since is null and now() >= night.at and not exists (
      select from url_lists l where l.website_id = w.id and l.environment = 'production'
        and l.name = 'sitemap:1' and l.fetched_at >= night.at)
    order by w.id limit 1`;
  return due && { websiteId: due.id, actor: systemActor({ id: due.accountId, plan: due.plan }) };
}
