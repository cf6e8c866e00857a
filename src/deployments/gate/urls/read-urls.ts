import type { PoolClient } from 'pg';
import { queryableOf } from '../../../db/connection/client.ts';
import { copyRows, inlineSql } from '../../../db/copy/copy-rows.ts';
import { queryRows } from '../../../db/rows.ts';
import { sql } from '../../../db/drizzle.ts';
import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { Place } from '../../live/candidate.ts';
import { createUrlSet, type UrlSet } from './url-set.ts';
import { STATE_NUMBERS, weightedUrls } from './url-weight.ts';

/** The URLs of a website in one environment. */
export interface SiteUrls {
  urls: UrlSet;
  /** there is a list of living pages for the environment, so the state of a page is known */
  hasList: boolean;
  /** canonical names of the parameters that identify a page */
  pageParameters: ReadonlySet<string>;
}

/** Adds the pages that replace the stored living ones, by their canonical URLs. */
export type AddLiving = (add: (url: string) => void) => Promise<void>;

/**
 * Reads all URLs with their states and weights. If `addLiving` is given, exactly the URLs that it adds are living, and the
 * other stored living pages are removed. Yields to the event loop.
 */
export async function readUrls(client: PoolClient, place: Place, addLiving?: AddLiving): Promise<SiteUrls> {
  const { websiteId, environment } = place;
  const [options] = await queryRows<{ pageParameters: string[]; hasList: boolean }>(queryableOf(client))`
    select page_parameters, exists (select from url_lists
      where website_id = ${websiteId} and environment in (${environment}, 'production') and version > 0) as has_list
    from websites where id = ${websiteId}`;
  const urls = createUrlSet();
  const slice = createTimeSlice();
  const query = inlineSql(sql`select url, state, weight from (${weightedUrls(place)}) w`);
  for await (const rows of copyRows(client, query)) {
    for (const [url, number, weight] of rows) {
      if (slice.isOver()) await slice.yield();
      const state = STATE_NUMBERS[Number(number)] ?? 'known';
      urls.put(url ?? '', addLiving && state === 'living' ? 'removed' : state, Number(weight));
    }
  }
  await addLiving?.((url) => urls.put(url, 'living', 0));
  const { pageParameters = [], hasList = false } = options ?? {};
  return { urls, hasList: addLiving !== undefined || hasList, pageParameters: new Set(pageParameters) };
}
