import type { Queryable } from '../../db/connection/client.ts';
import { and, desc, eq, getTableColumns, sql } from '../../db/drizzle.ts';
import { isInRange, type TimeRange } from '../../db/time-range.ts';
import { isOwnWebsite, isShownAs } from '../../accounts/website-scope.ts';
import { deployments } from '../../db/schema/deployments.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Deployment } from './deployment.ts';

/** A deployment, and its time in microseconds: its place in the list. */
export interface ListedDeployment extends Deployment {
  micros: number;
}

export interface DeploymentPosition {
  micros: number;
  id: string;
}

/**
 * Returns up to `limit` deployments of a website, or of all that the viewer reaches, below a position, newest first, of
 * the last `days` days. Automatic deployments follow from changes, so only those that failed are listed. Uses the clock
 * of the database.
 */
export async function readDeploymentActivity(
  db: Queryable,
  viewer: Actor,
  input: TimeRange & {
    websiteId: number | undefined;
    actor: string | undefined;
    days: number;
    before: DeploymentPosition | null;
    limit: number;
  },
): Promise<ListedDeployment[]> {
  const { createdAt, id, websiteId } = deployments;
  const { before, actor } = input;
  const isListed = and(
    // The condition of deployments_activity_idx.
    sql`(${deployments.kind} <> 'automatic' or ${deployments.error} is not null)`,
    sql`${createdAt} > clock_timestamp() - make_interval(days => ${input.days}::int)`,
    isInRange(createdAt, input),
    actor === undefined ? undefined : isShownAs(viewer, actor, 'deployments'),
    before
      ? sql`(${createdAt}, ${id}) < (timestamptz 'epoch' + ${before.micros}::bigint * interval '1 microsecond', ${before.id})`
      : undefined,
  );
  const newest = sql`select ${id} as id from deployments where ${websiteId} = w.id and ${isListed}
    order by ${createdAt} desc, ${id} desc limit ${input.limit}::int`;
  const ofAll = sql`${id} = any(array(
    select d.id from websites w cross join lateral (${newest}) d where ${isOwnWebsite(viewer, 'w')}))`;
  return db
    .select({
      ...getTableColumns(deployments),
      micros: sql<number>`(extract(epoch from ${createdAt}) * 1000000)::bigint`.mapWith(Number),
    })
    .from(deployments)
    .where(input.websiteId === undefined ? ofAll : and(eq(websiteId, input.websiteId), isListed))
    .orderBy(desc(createdAt), desc(id))
    .limit(input.limit);
}
