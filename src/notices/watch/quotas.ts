import { ofAccount, readUrlUsage, readUsage } from '../../accounts/quota.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { queryRows } from '../../db/rows.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { isPlan, PLANS } from '../../vocabulary/plan.ts';
import type { Raised } from '../raise.ts';

/** A quota is near its limit from this share of it on. */
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
    for (const { share, isNear, ...data } of await readQuotas(db, { accountId: id, plan })) {
      found.push({
        ...{ accountId: id, kind: 'quota.near', websiteId: null, environment: null, path: null, data },
        heldUntil: share < HELD_FROM ? now : new Date(now.getTime() + HELD_MS),
        isOnlyHeld: !isNear,
      });
    }
  }
  return found;
}

/** Reads what an account uses of each quota of its plan. */
export async function readQuotas(db: Queryable, { accountId, plan }: Pick<Actor, 'accountId' | 'plan'>) {
  const own = ofAccount({ accountId });
  const usage = { ...(await readUsage(db, own)), URLs: await readUrlUsage(db, own) };
  const { maxWebsites, maxRedirects, maxUrls } = PLANS[plan];
  const limits = { websites: maxWebsites, redirects: maxRedirects, URLs: maxUrls };
  return (['websites', 'redirects', 'URLs'] as const).map((quota) => {
    const data = { quota, used: Number(usage[quota]), limit: limits[quota] };
    const share = data.used / data.limit;
    return { ...data, share, isNear: share >= REPORTED_FROM };
  });
}
