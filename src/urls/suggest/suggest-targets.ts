import type { Db, Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { LiveRules } from '../../deployments/live/live-registry.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { readUrlList } from '../../formats/read/urls/read-url-list.ts';
import { readUrl, type UrlRules } from '../../rules/url-key.ts';
import { buildIndex } from '../../suggestions/build-candidates.ts';
import type { CandidateIndex } from '../../suggestions/candidates.ts';
import type { Page } from '../../suggestions/page-words.ts';
import { type Suggested, suggestFor } from '../../suggestions/suggest.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import type { CheckInput } from '../check-website.ts';
import { readUrlRules } from '../url-rules.ts';
import type { IndexCache } from './index-cache.ts';
import { candidatesOf } from './read-candidates.ts';

/** The longest wait of a check for the index. */
const MAX_WAIT_MS = 60_000;

export interface SuggestInput {
  websiteId: number;
  environment: Environment;
  /** canonical URLs */
  urls: string[];
  /** the longest wait for the index */
  waitMs: number;
  /** they do not work even if they are living pages: others are wanted */
  areBroken?: boolean;
}

export interface SuggestedTargets {
  /** the index is not ready; ask again in some seconds */
  isPending: boolean;
  /** in the order of the URLs; empty while the index is not ready */
  suggested: Suggested[];
}

/**
 * Suggests where URLs of a website should lead: to its living pages, or without a list of them to targets of its live
 * rules. Yields to the event loop. Throws WEBSITE_NOT_FOUND.
 */
export async function suggestTargets(
  { db, indexes }: { db: Db; indexes: IndexCache },
  actor: Actor,
  { websiteId, environment, urls, waitMs, areBroken = false }: SuggestInput,
  live: LiveRules | undefined,
): Promise<SuggestedTargets> {
  await requireWebsiteRow(db, actor, websiteId);
  if (urls.length === 0) return { isPending: false, suggested: [] };
  const candidates = await candidatesOf(db, { websiteId, environment }, live);
  const wanted = { accountId: actor.accountId, key: `${websiteId} ${environment}`, ...candidates };
  const index = await indexes.get(wanted, waitMs);
  if (!index) return { isPending: true, suggested: [] };
  const suggested = await suggestAll(index, await readPages(db, websiteId, urls), areBroken);
  return { isPending: false, suggested: candidates.areAllPages ? suggested : suggested.map(withoutGone) };
}

/**
 * Returns a function that suggests targets for the lost URLs of a check. With a list in the body, the candidates are its
 * living pages; it is read before this resolves.
 */
export async function suggesterOf(
  deps: { db: Db; indexes: IndexCache },
  actor: Actor,
  { websiteId, environment, body, fromHosts = [], suggest }: CheckInput & { suggest: number },
  live: LiveRules | undefined,
): Promise<(urls: string[]) => Promise<Suggested[]>> {
  if (suggest > 0 && body) {
    const rules = await readUrlRules(deps.db, actor, { websiteId, fromHosts });
    const index = await buildIndex(livingPages(body, rules));
    return async (urls) => suggestAll(index, await readPages(deps.db, websiteId, urls));
  }
  return async (urls) => {
    const input = { websiteId, environment, urls, waitMs: MAX_WAIT_MS };
    return (await suggestTargets(deps, actor, input, live)).suggested;
  };
}

async function* livingPages({ path, maxBytes }: { path: string; maxBytes: number }, rules: UrlRules) {
  for await (const { rows } of readUrlList(path, { maxBytes })) {
    for (const row of rows) {
      const read = readUrl(row.url, rules);
      if (row.living && 'url' in read) yield { ...row, url: read.url };
    }
  }
}

/** Suggests nothing as gone: candidates that are not all pages say nothing about a page without a near one. */
export const withoutGone = (found: Suggested): Suggested =>
  found.suggested === 'gone' ? { ...found, suggested: null, confidence: null, reasons: [] } : found;

async function suggestAll(index: CandidateIndex, pages: Page[], isBroken = false): Promise<Suggested[]> {
  const slice = createTimeSlice();
  const suggested: Suggested[] = [];
  for (const page of pages) {
    if (slice.isOver()) await slice.yield();
    suggested.push(suggestFor(index, page, { isBroken }));
  }
  return suggested;
}

/** The URLs with what is known about their pages. */
async function readPages(db: Queryable, websiteId: number, urls: string[]): Promise<Page[]> {
  const known = await queryRows<Page>(db)`
    select url, title, headline, description from urls
    where website_id = ${websiteId} and url = any(${sql.param(urls)}::text[])`;
  const byUrl = new Map(known.map((page) => [page.url, page]));
  return urls.map((url) => byUrl.get(url) ?? { url });
}
