import type { PoolClient } from 'pg';
import { queryableOf } from '../../../db/connection/client.ts';
import { copyChunks, inlineSql } from '../../../db/copy/copy-rows.ts';
import { queryRows } from '../../../db/rows.ts';
import { sql, type SQL } from '../../../db/drizzle.ts';
import { readAscii } from '../../../resolver/literals/byte-text.ts';
import { createTimeSlice, type TimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { Place } from '../../live/candidate.ts';
import { createUrlSet, type UrlSet } from './url-set.ts';
import { STATE_NUMBERS, weightedUrls } from './url-weight.ts';

const [TAB, LINE_FEED, ZERO] = [9, 10, 48];
const LIVING = STATE_NUMBERS.indexOf('living');
const REMOVED = STATE_NUMBERS.indexOf('removed');

/** The URLs of a website in one environment. */
export interface SiteUrls {
  urls: UrlSet;
  /** there is a list of living pages for the environment, so the state of a page is known */
  hasList: boolean;
  /** canonical names of the parameters that identify a page */
  pageParameters: ReadonlySet<string>;
}

/** Living pages that replace stored ones. */
export interface Replacement {
  /** the name of the list that they replace; undefined: all lists of the environment */
  list: string | undefined;
  /** adds the pages by their canonical URLs */
  addLiving: (add: (url: string) => void) => Promise<void>;
}

/**
 * Reads all URLs with their states and weights. With a replacement, its pages and those of the lists that it does
 * not replace are living, and the other stored living pages are removed. Yields to the event loop.
 */
export async function readUrls(
  client: PoolClient,
  place: Place,
  { replacement, slice = createTimeSlice() }: { replacement?: Replacement | undefined; slice?: TimeSlice } = {},
): Promise<SiteUrls> {
  const { websiteId, environment } = place;
  const [options] = await queryRows<{ pageParameters: string[]; hasList: boolean; count: number }>(queryableOf(client))`
    select page_parameters, exists (select from url_lists
      where website_id = ${websiteId} and environment in (${environment}, 'production') and version > 0) as has_list,
      coalesce((select urls from url_counts where website_id = ${websiteId}), 0) as count
    from websites where id = ${websiteId}`;
  const { pageParameters = [], hasList = false, count } = options ?? {};
  const urls = createUrlSet(count);
  const isRemoved = replacement && sql`state = ${LIVING} and not (${isInOtherList(place, replacement.list)})`;
  const state = isRemoved ? sql`case when ${isRemoved} then ${REMOVED} else state end` : sql`state`;
  const query = inlineSql(sql`select url, ${state}, weight from (${weightedUrls(place)}) w`);
  for await (const bytes of copyChunks(client, query)) {
    if (slice.isOver()) await slice.yield();
    putRows(urls, bytes);
  }
  await replacement?.addLiving((url) => urls.put(url, 'living', 0));
  return { urls, hasList: replacement !== undefined || hasList, pageParameters: new Set(pageParameters) };
}

/**
 * Adds rows of COPY text: a URL, the digit of its state, and its weight. Canonical URLs are ASCII without escapes.
 * Cells of parseCopyText would take a third longer.
 */
function putRows(urls: UrlSet, bytes: Buffer): void {
  for (let at = 0, end = 0; at < bytes.length; at = end + 1) {
    const tab = positionOf(TAB, bytes, at);
    end = positionOf(LINE_FEED, bytes, tab);
    const state = STATE_NUMBERS[(bytes[tab + 1] ?? 0) - ZERO] ?? 'known';
    urls.put(readAscii(bytes, at, tab), state, Number(readAscii(bytes, tab + 3, end)));
  }
}

function positionOf(byte: number, bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== byte) at++;
  return at;
}

/** SQL on rows `w` of weightedUrls: another list than this one holds the URL. */
function isInOtherList({ websiteId, environment }: Place, list: string | undefined): SQL {
  if (list === undefined) return sql`false`;
  return sql`w.lists && array(select l.id from url_lists l where l.website_id = ${websiteId} and l.version > 0
    and l.name <> ${list} and l.environment = case when exists (select from url_lists o
      where o.website_id = ${websiteId} and o.environment = ${environment} and o.version > 0)
      then ${environment} else 'production' end)`;
}
