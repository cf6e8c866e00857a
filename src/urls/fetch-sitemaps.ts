/** Fetches the sitemaps of a website, each as a list of its own: `sitemap:1`, `sitemap:2`, ... of production. */
import type { Db, Queryable } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { systemActor } from '../accounts/system-actor.ts';
import { readSitemapIndex } from '../formats/read/urls/child-sitemaps.ts';
import type { ImportDeps } from '../redirects/import/engine/import-request.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { Plan } from '../vocabulary/plan.ts';
import { requireEditableRow } from '../websites/website.ts';
import { DownloadFailure, type Downloads } from './download.ts';
import { listUrlLists, type UrlList } from './lists.ts';
import { pushList } from './push-list.ts';
import { addPart, commitUpload, openUpload } from './uploads.ts';

/** Unpacked bytes of one sitemap: the limit of the protocol is 50 MiB. */
const MAX_BYTES = 256 * 1024 ** 2;
/** Sitemaps of an index, which the protocol limits too. */
const MAX_CHILDREN = 50_000;
const MAX_PROBLEM = 500;

export interface FetchDeps extends ImportDeps {
  downloads: Downloads;
}

const nameOf = (index: number): string => `sitemap:${index + 1}`;

/**
 * Fetches all sitemaps of the website, one after the other. A failed one changes nothing, and its list says why. Returns
 * the lists. Throws WEBSITE_NOT_FOUND and INSUFFICIENT_ROLE.
 */
export async function fetchSitemaps(deps: FetchDeps, actor: Actor, websiteId: number): Promise<UrlList[]> {
  const { sitemapUrls } = await requireEditableRow(deps.db, actor, websiteId);
  for (const [index, address] of sitemapUrls.entries()) {
    const place = { websiteId, environment: 'production', list: nameOf(index) } as const;
    await noteFetch(deps.db, place, null);
    const problem = await fetchOne(deps, actor, place, address).then(() => null, problemOf);
    if (problem !== null) await noteFetch(deps.db, place, problem);
  }
  const names = new Set(sitemapUrls.map((_, index) => nameOf(index)));
  const lists = await listUrlLists(deps.db, actor, { websiteId, environment: 'production' });
  return lists.filter(({ list }) => names.has(list));
}

type Place = { websiteId: number; environment: 'production'; list: string };

async function noteFetch(db: Queryable, { websiteId, environment, list }: Place, problem: string | null) {
  await queryRows(db)`
    insert into url_lists (website_id, environment, name, fetched_at, problem)
    values (${websiteId}, ${environment}, ${list}, now(), ${problem})
    on conflict (website_id, environment, name) do update set fetched_at = excluded.fetched_at, problem = excluded.problem`;
}

function problemOf(error: unknown): string {
  if (error instanceof DomainError) return (error.details || error.message).slice(0, MAX_PROBLEM);
  if (error instanceof DownloadFailure) return error.message.slice(0, MAX_PROBLEM);
  throw error;
}

async function fetchOne(deps: FetchDeps, actor: Actor, place: Place, address: string): Promise<void> {
  const children = await deps.downloads.withFile(address, async (path) => {
    const found = await readSitemapIndex(path, MAX_BYTES);
    if (!found) await pushList(deps, actor, { ...place, fromHosts: [], dryRun: false, path, maxBytes: MAX_BYTES });
    return found;
  });
  if (children) await fetchChildren(deps, actor, place, childrenOf(address, children));
}

function childrenOf(address: string, children: string[]): string[] {
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

/** All children are one list: a missing one must not look like removed pages. */
async function fetchChildren(deps: FetchDeps, actor: Actor, place: Place, children: string[]): Promise<void> {
  const { websiteId } = place;
  const upload = await openUpload(deps.db, actor, { ...place, fromHosts: [] });
  try {
    for (const [index, child] of children.entries()) {
      const part = { websiteId, uploadId: upload.id, part: index + 1, maxBytes: MAX_BYTES };
      await deps.downloads.withFile(child, (path) => addPart(deps, actor, { ...part, path }));
    }
    await commitUpload(deps, actor, { websiteId, uploadId: upload.id, dryRun: false });
  } catch (error) {
    await endUpload(deps.db, upload.id);
    throw error;
  }
}

/** An upload that is not committed does not count among the open ones. */
async function endUpload(db: Db, id: string): Promise<void> {
  await queryRows(db)`update url_uploads set created_at = created_at - interval '24 hours' where id = ${id}`;
}

/** Websites whose sitemaps were not fetched since the start of their night: from 00:00 to 04:00 UTC, spread by id. */
export async function dueWebsites(db: Db, limit: number): Promise<{ websiteId: number; actor: Actor }[]> {
  const rows = await queryRows<{ id: number; accountId: number; plan: Plan }>(db)`
    select w.id, w.account_id, a.plan from websites w join accounts a on a.id = w.account_id
    cross join lateral (select date_trunc('day', now(), 'UTC') + make_interval(mins => w.id % 240) as at) night
    where w.sitemap_urls <> '{}' and w.deleting_since is null and now() >= night.at and not exists (
      select from url_lists l where l.website_id = w.id and l.environment = 'production'
        and l.name = 'sitemap:1' and l.fetched_at >= night.at)
    order by w.id limit ${limit}`;
  return rows.map(({ id, accountId, plan }) => ({ websiteId: id, actor: systemActor({ id: accountId, plan }) }));
}
