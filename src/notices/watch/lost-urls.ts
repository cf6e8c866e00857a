import { systemActor } from '../../accounts/system-actor.ts';
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { ANSWERING_STATE } from '../../deployments/live/database/live.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Plan } from '../../vocabulary/plan.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { type Looked, raise } from '../raise.ts';
import type { MessageDeps } from '../queue-message.ts';

/**
 * Counts the lost URLs of an environment in the bulk thread, by the rules of a live `version`. `examples`: up to 3, those
 * that matter most.
 */
export type CountLostUrls = (
  actor: Actor,
  place: { websiteId: number; environment: Environment },
) => Promise<{ lost: number; examples: string[]; version: number; durationMs: number }>;

/** Longer than a count takes. After a failed one, the next follows then. */
const CLAIM_SECONDS = 1_800;
/** A check often follows a push. A count beside it makes it slower. */
const SETTLE_SECONDS = 10;
/**
 * A rest after a count, as edits that are deployed one by one would otherwise count all URLs each time. In proportion to
 * its duration: counts take 2 % of the time of a thread, and a website of usual size has its next one within seconds.
 */
const REST_SHARE = 50;
const MAX_REST_MS = 300_000;
/** A process that has not loaded the version yet counts again then. */
const BEHIND_MS = 2_000;

/** `seen` while a count runs. Accepted losses that change meanwhile clear it, so that another count follows. */
const COUNTING = 'counting';

/**
 * SQL: the state that lost URLs are counted from; a stored count of another state is stale. A text that changes with the
 * responses, the lists, and the times at which accepted losses end. `s` is the website and `e` its environment. Its cost
 * grows with the lists only.
 */
export const COUNTED_STATE = sql.raw(`concat_ws('|', ${ANSWERING_STATE},
  (select string_agg(l.id || ':' || l.version, ',' order by l.id) from url_lists l
    where l.website_id = s.id and l.environment = e.environment and l.version > 0),
  coalesce((select extract(epoch from max(a.until))::text from url_accepted_losses a where a.website_id = s.id and a.until <= now()), ''))`);

/** The text in `seen` of a count: its time, and the state then. */
const seenText = (countedAt: Date, state: string): string => `${countedAt.toISOString()} ${state}`;

/** SQL: the state of the last count in the column `seen` of `w`; of an unfinished count, no state. */
export const SEEN_STATE = sql.raw(`substr(w.seen, strpos(w.seen, ' ') + 1)`);

/** SQL: the time of the last count; null while one runs or waits, and for counts of earlier versions of the service. */
export const COUNTED_AT = sql.raw(`case when w.seen ~ '^\\d{4}-' then split_part(w.seen, ' ', 1)::timestamptz end`);

interface Claimed {
  accountId: number;
  plan: Plan;
  websiteId: number;
  environment: Environment;
  liveVersion: number;
  state: string;
  /** null at the first look */
  lost: number | null;
  /** pushed or deployed since a notice about it exists; null without one */
  isRecent: boolean | null;
}

/**
 * Counts the lost URLs of one environment whose state changed since the last count, for the overview, and reports if
 * there are more. Environments without such a notice rest after a count.
 */
export async function lookForLostUrls(db: Db, countLostUrls: CountLostUrls, deps: MessageDeps): Promise<Looked> {
  const claimed = await claim(db, deps.now);
  if (!claimed) return 'idle';
  const { accountId, plan, websiteId, environment } = claimed;
  const actor = systemActor({ id: accountId, plan });
  const { lost, examples, version, durationMs } = await countLostUrls(actor, { websiteId, environment });
  const rest = claimed.isRecent === null ? Math.min(durationMs * REST_SHARE, MAX_REST_MS) : 0;
  // This process may serve an earlier version than the database has. Its count would never be renewed.
  if (version < claimed.liveVersion) {
    await release(db, claimed, deps.now, Math.max(rest, BEHIND_MS));
    return 'more';
  }
  const restsUntil = new Date(deps.now.getTime() + durationMs + rest).toISOString();
  const seen = seenText(deps.now, claimed.state);
  const before = claimed.lost ?? (claimed.isRecent ? 0 : lost);
  await db.transaction(async (tx) => {
    await queryRows(tx)`
      update lost_url_watches set seen = case when seen = ${COUNTING} then ${seen} end, lost = ${lost},
        claimed_until = case when seen = ${COUNTING} then ${restsUntil}::timestamptz end
      where website_id = ${websiteId} and environment = ${environment}`;
    const place = { accountId, websiteId, environment, path: null, heldUntil: null };
    const data = { environment, lost, before, examples };
    if (lost > before) await raise(tx, [{ ...place, kind: 'urls.lost', data }], deps);
  });
  return 'more';
}

/** Leaves the environment to a later count. */
async function release(db: Db, { websiteId, environment }: Claimed, now: Date, afterMs: number): Promise<void> {
  await queryRows(db)`
    update lost_url_watches set seen = null, claimed_until = ${new Date(now.getTime() + afterMs).toISOString()}::timestamptz
    where website_id = ${websiteId} and environment = ${environment}`;
}

/** Claims an environment with living pages and a live version. Another process may claim it when this one has stopped. */
async function claim(db: Db, now: Date): Promise<Claimed | undefined> {
  const at = now.toISOString();
  const [found] = await queryRows<Claimed>(db)`
    with candidates as (
      select s.account_id, a.plan, s.id as website_id, e.environment, (
          select min(n.created_at) from notices n where n.account_id = s.account_id
            and n.kinds @> array['urls.lost'] and (n.website_ids is null or s.id = any (n.website_ids))) as since,
        max(greatest(l.pushed_at, e.changed_at)) as changed_at, max(l.pushed_at) as pushed_at, e.live_version,
        ${COUNTED_STATE} as state
      from url_lists l join websites s on s.id = l.website_id and s.deleting_since is null
        join accounts a on a.id = s.account_id
        join website_environments e on e.website_id = s.id and e.environment = l.environment
      where l.version > 0
      group by s.account_id, a.plan, s.id, e.website_id, e.environment
    ), due as (
      select c.* from candidates c
        left join lost_url_watches w on w.website_id = c.website_id and w.environment = c.environment
      where ${SEEN_STATE} is distinct from c.state and c.pushed_at <= now() - ${SETTLE_SECONDS} * interval '1 s'
        and (w.claimed_until is null or w.claimed_until <= ${at}::timestamptz)
      order by c.since is null, c.changed_at limit 1
    ), claimed as (
      insert into lost_url_watches as w (website_id, environment, seen, claimed_until)
      select website_id, environment, ${COUNTING}, ${at}::timestamptz + ${CLAIM_SECONDS} * interval '1 s' from due
      on conflict (website_id, environment) do update set seen = excluded.seen, claimed_until = excluded.claimed_until
      where w.claimed_until is null or w.claimed_until <= ${at}::timestamptz
      returning w.website_id, w.lost)
    select d.account_id, d.plan, d.website_id, d.environment, d.live_version, d.state, c.lost, d.changed_at > d.since as is_recent
    from due d join claimed c on c.website_id = d.website_id`;
  return found;
}
