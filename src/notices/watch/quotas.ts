import { ofAccount, readUrlUsage, readUsage } from '../../accounts/quota.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import { isPlan, PLANS } from '../../vocabulary/plan.ts';
import type { Raised } from '../raise.ts';

const REPORTED_FROM = 0.9;
/** Below it, the next time is reported again. */
const HELD_FROM = 0.8;
/** Longer than the time between two looks, and than a restart. */
const HELD_MS = 86_400_000;

/** Returns the quotas of accounts with such a notice. Below 90 % they are only held, and below 80 % no longer. */
export async function nearQuotas(db: Queryable, now: Date): Promise<Raised[]> {
  const accounts = await queryRows<{ id: number; plan: string }>(db)`
    select id, plan from accounts
    where id in (select n.account_id from notices n where n.kinds @> array['quota.near']) order by id`;
  const found: Raised[] = [];
  for (const { id, plan } of accounts) {
    if (!isPlan(plan)) continue;
    const own = ofAccount({ accountId: id });
    const usage = { ...(await readUsage(db, own)), URLs: await readUrlUsage(db, own) };
    const { maxWebsites, maxRedirects, maxUrls } = PLANS[plan];
    const limits = { websites: maxWebsites, redirects: maxRedirects, URLs: maxUrls };
    for (const quota of ['websites', 'redirects', 'URLs'] as const) {
      const data = { quota, used: Number(usage[quota]), limit: limits[quota] };
      const share = data.used / data.limit;
      found.push({
        ...{ accountId: id, kind: 'quota.near', websiteId: null, environment: null, path: null, data },
        heldUntil: share < HELD_FROM ? now : new Date(now.getTime() + HELD_MS),
        isOnlyHeld: share < REPORTED_FROM,
      });
    }
  }
  return found;
}
