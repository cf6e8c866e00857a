import { type Db, inSnapshot } from '../../db/connection/client.ts';
import { copyRows, inlineSql } from '../../db/copy/copy-rows.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import type { Place } from '../../deployments/live/candidate.ts';
import type { LiveRules } from '../../deployments/live/live-registry.ts';
import { createUrlSet } from '../../deployments/gate/urls/url-set.ts';
import { statedUrls } from '../../deployments/gate/urls/url-weight.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import type { Page } from '../../suggestions/page-words.ts';

/** Pages that may be suggested as targets. */
export interface Candidates {
  /** changes with the pages */
  token: string;
  /** they are all living pages, so a page without a near one is gone */
  areAllPages: boolean;
  read: () => AsyncIterable<Page>;
}

/** With more pages, titles and descriptions would not fit into the memory of an index. */
const MAX_WITH_TEXTS = 250_000;

/** Returns the living pages of a website; if it has no list of them, the targets of the live rules. */
export async function candidatesOf(db: Db, place: Place, live: LiveRules | undefined): Promise<Candidates> {
  const { websiteId, environment } = place;
  const [lists] = await queryRows<{ state: string | null; total: number }>(db)`
    select string_agg(concat_ws(' ', id, version, total), ',' order by id) as state,
      coalesce(sum(total), 0)::int as total from url_lists
    where website_id = ${websiteId} and environment in (${environment}, 'production') and version > 0`;
  if (lists?.state) {
    const { state: token, total } = lists;
    return { token, areAllPages: true, read: () => livingPages(db, place, total) };
  }
  return { token: `rules ${live?.history} ${live?.version}`, areAllPages: false, read: () => targetsOf(live?.ruleset) };
}

function livingPages(db: Db, place: Place, pages: number): AsyncGenerator<Page> {
  return readPages(db, sql`select url, ${textColumns(pages)} from (${statedUrls(place)}) s where state = 0`);
}

/** SQL of the texts of so many pages, which are null for more than an index holds. */
export const textColumns = (pages: number): SQL =>
  pages <= MAX_WITH_TEXTS ? sql`title, headline, description` : sql`null, null, null`;

/** Yields the pages of a query of url, title, headline and description. */
export async function* readPages(db: Db, query: SQL): AsyncGenerator<Page> {
  yield* inSnapshot(db, async function* (_snapshot, client) {
    for await (const rows of copyRows(client, inlineSql(query)))
      for (const [url, title = null, headline = null, description = null] of rows)
        yield { url: url ?? '', title, headline, description };
  });
}

/** Each target once. */
async function* targetsOf(ruleset: Ruleset | undefined): AsyncGenerator<Page> {
  const seen = createUrlSet();
  const slice = createTimeSlice();
  for (const target of ruleset?.targets() ?? []) {
    if (slice.isOver()) await slice.yield();
    const { newPath } = target;
    if (seen.indexOf(newPath) >= 0 || !target.isCurrent()) continue;
    seen.put(newPath, 'known', 0);
    yield { url: newPath };
  }
}
