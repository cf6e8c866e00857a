/** Reads the overview: items that need attention, of an account or a website, and figures of the week. */
import { isOwnWebsite } from '../accounts/website-scope.ts';
import type { Db } from '../db/connection/client.ts';
import { queryRows } from '../db/rows.ts';
import { sql } from '../db/drizzle.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { MAX_OVERVIEW_ITEMS, MAX_OVERVIEW_WEBSITES } from '../vocabulary/overview.ts';
import { requireWebsiteRow } from '../websites/website.ts';
import { accountItems } from './account.ts';
import { agentItems, environmentItems, expectationItems, lostUrlItems } from './environments.ts';
import { websiteFigures, type WebsiteFigures } from './figures.ts';
import { loopItems } from './loops.ts';
import { boundedItems, type OverviewItem, sortedItems, type LiveSites, type OverviewScope } from './item.ts';
import { pathItems } from './paths.ts';
import { brokenTargetItems, endsSoonItems, hostItems, moveItems, startsSoonItems } from './redirects.ts';
import { waitingItems } from './waiting.ts';

/** Each is one or two statements over all websites. */
const READERS: readonly ((scope: OverviewScope) => Promise<OverviewItem[]>)[] = [
  environmentItems,
  agentItems,
  lostUrlItems,
  loopItems,
  expectationItems,
  brokenTargetItems,
  endsSoonItems,
  startsSoonItems,
  moveItems,
  hostItems,
  waitingItems,
  pathItems,
];

export interface Overview {
  /** the most severe first, at most 1,000 */
  items: OverviewItem[];
  /** all of them */
  itemCount: number;
  /** by name, at most 1,000 */
  websites: WebsiteFigures[];
  /** all of them */
  websiteCount: number;
}

/**
 * Reads the overview of the websites that the actor reaches, or of one of them without what belongs to the account.
 * From one snapshot, whose cost grows with what it shows, never with redirects or URLs. Throws WEBSITE_NOT_FOUND.
 */
export async function readOverview(
  db: Db,
  actor: Actor,
  { websiteId }: { websiteId?: number | undefined },
  { now, live }: { now: Date; live: LiveSites },
): Promise<Overview> {
  return db.transaction(
    async (tx) => {
      if (websiteId !== undefined) await requireWebsiteRow(tx, actor, websiteId);
      const isAsked = websiteId === undefined ? sql`true` : sql`websites.id = ${websiteId}`;
      const websites = await queryRows<{ id: number; name: string }>(tx)`
        select id, name from websites where ${isOwnWebsite(actor)} and ${isAsked} order by lower(name), id`;
      const ids = websites.map(({ id }) => id);
      const scope = { db: tx, actor, ids, now, live };
      const items = websiteId === undefined ? await accountItems(scope) : [];
      if (ids.length > 0) for (const read of READERS) items.push(...(await read(scope)));
      const names = new Map(websites.map(({ id, name }) => [id, name]));
      const sorted = sortedItems(boundedItems(items), names);
      return {
        items: sorted.slice(0, MAX_OVERVIEW_ITEMS),
        itemCount: sorted.length,
        websites: await websiteFigures({ ...scope, ids: ids.slice(0, MAX_OVERVIEW_WEBSITES) }),
        websiteCount: ids.length,
      };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}
