/** Items of environments: deployments that failed, changes that wait, holds, agents, lost URLs. */
import { isOwnWebsite } from '../accounts/website-scope.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows } from '../db/rows.ts';
import { shown } from '../deployments/gate/describe.ts';
import { JOIN_LAST_FAILED } from '../deployments/publish/versions/last-failed.ts';
import { findLaggingAgents } from '../notices/watch/agents.ts';
import { findFailingExpectations } from '../notices/watch/live-rules.ts';
import { COUNTED_AT, COUNTED_STATE, SEEN_STATE } from '../notices/watch/lost-urls.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { itemOf, type OverviewItem, type OverviewScope } from './item.ts';
import { rowsOfEach } from './redirects.ts';

interface Row {
  websiteId: number;
  environment: Environment;
  failedId: string | null;
  error: string | null;
  createdAt: string | null;
  isGated: boolean;
  isHeld: boolean;
  changedAt: string;
}

/** Last deployments that failed, and holds of websites that deploy their changes. */
export async function environmentItems({ db, ids }: OverviewScope): Promise<OverviewItem[]> {
  const rows = await queryRows<Row>(db, { isConstant: true })`
    select we.website_id, we.environment, last.id as failed_id, last.error, last.created_at,
      last.error ~ '^(EXPECTATIONS|URLS)_' as is_gated, we.held and w.auto_deploy as is_held, we.changed_at
    from unnest(${sql.param(ids)}::int[]) i (id) join websites w on w.id = i.id
      join website_environments we on we.website_id = i.id ${JOIN_LAST_FAILED}
    where last.id is not null or we.held and w.auto_deploy`;
  return rows.flatMap(({ websiteId, environment, failedId, error, createdAt, isGated, isHeld, changedAt }) => {
    const items: OverviewItem[] = [];
    const place = { websiteId, environment, count: 1 };
    const kind = isGated ? 'deployment.gated' : 'deployment.failed';
    const since = createdAt === null ? null : new Date(createdAt);
    if (failedId !== null)
      items.push(itemOf({ ...place, kind, subject: shown(error ?? ''), subjectId: failedId, since }));
    if (isHeld) items.push(itemOf({ ...place, kind: 'environment.held', since: new Date(changedAt) }));
    return items;
  });
}

/** Agents that lag: the one that is unseen for longest, and how many there are. */
export async function agentItems({ db, actor, ids, now }: OverviewScope): Promise<OverviewItem[]> {
  const isListed = sql`${isOwnWebsite(actor, 's')} and s.id = any(${sql.param(ids)}::int[])`;
  const agents = await findLaggingAgents(db, isListed, now);
  const byPlace = Map.groupBy(agents, ({ websiteId, environment }) => `${websiteId} ${environment}`);
  return [...byPlace.values()].flatMap((lagging) => {
    const [first] = lagging.toSorted((a, b) => Date.parse(a.lastSeenAt) - Date.parse(b.lastSeenAt));
    if (!first) return [];
    const { websiteId, environment, agent, behindSeconds, lastSeenAt } = first;
    const since = behindSeconds === null ? new Date(lastSeenAt) : new Date(now.getTime() - behindSeconds * 1_000);
    const item = { kind: 'agent.lagging', websiteId, environment, subject: agent, since } as const;
    return [itemOf({ ...item, count: lagging.length })];
  });
}

/** Lost URLs as they were last counted, and whether they are about to be counted again: what they depend on changed. */
export async function lostUrlItems({ db, ids }: OverviewScope): Promise<OverviewItem[]> {
  type Row = Pick<OverviewItem, 'websiteId' | 'environment' | 'count' | 'countIsStale'> & { countedAt: string | null };
  const rows = await queryRows<Row>(db)`
    select w.website_id, w.environment, w.lost as count, ${COUNTED_AT} as counted_at,
      ${SEEN_STATE} is distinct from ${COUNTED_STATE} as count_is_stale
    from lost_url_watches w join websites s on s.id = w.website_id
      join website_environments e on e.website_id = w.website_id and e.environment = w.environment
    where w.website_id = any(${sql.param(ids)}::int[]) and w.lost > 0`;
  return rows.map(({ countedAt, ...row }) =>
    itemOf({ ...row, kind: 'urls.lost', since: countedAt === null ? null : new Date(countedAt) }),
  );
}

/** Expectations that failed in the last run against the live rules. */
export async function expectationItems({ db, ids }: OverviewScope): Promise<OverviewItem[]> {
  const limit = rowsOfEach(ids.length);
  const rows = await findFailingExpectations(db, ids, limit);
  return rows.map(({ url, at, ...row }) => {
    const first = { subject: shown(url), since: new Date(at) };
    return itemOf({ ...row, ...first, kind: 'expectations.failing', countIsAtLeast: row.count === limit });
  });
}
