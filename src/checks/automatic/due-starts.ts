/** Which checks are to be started now, by schedules and by deployments. What was started is stored with the check. */
import { systemActor } from '../../accounts/system-actor.ts';
import type { Db } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { CheckSchedule, CheckTrigger } from '../../vocabulary/checks.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Plan } from '../../vocabulary/plan.ts';
import { at } from '../check.ts';
import { lastTime } from './last-time.ts';

const HOUR_MS = 3_600_000;
/** After its time, a schedule starts a check for 6 hours, and for 12 if another check of the account ran after 6. */
const LATE_MS = 6 * HOUR_MS;
const WAITING_MS = 12 * HOUR_MS;
/** By then, a deployment has reached its agents. */
const AFTER_DEPLOYMENT = sql.raw(`interval '60 seconds'`);
const DEPLOYMENT_LATE = sql.raw(`interval '24 hours'`);

export interface Start {
  websiteId: number;
  environment: Environment;
  trigger: Exclude<CheckTrigger, 'manual'>;
  /** the time of the schedule or of the deployment, as ISO 8601 */
  at: string;
}

export interface DueStart {
  actor: Actor;
  start: Start;
}

/** Lists what is due, the oldest first, at most one of each account, and none while a check of the account runs. */
export async function dueStarts(db: Db, now: Date): Promise<DueStart[]> {
  const found = [...(await dueSchedules(db, now)), ...(await dueDeployments(db, now))];
  const due = new Map<number, DueStart>();
  for (const one of found.toSorted((a, b) => Date.parse(a.start.at) - Date.parse(b.start.at)))
    if (!due.has(one.actor.accountId)) due.set(one.actor.accountId, one);
  return [...due.values()];
}

/** Condition on websites `w`. */
const NONE_RUNS = sql`not exists (
  select from checks c where c.account_id = w.account_id and c.status in ('queued', 'running'))`;

interface Row {
  websiteId: number;
  accountId: number;
  plan: Plan;
}

const dueStart = ({ accountId, plan }: Row, start: Start): DueStart => ({
  actor: systemActor({ id: accountId, plan }),
  start,
});

async function dueSchedules(db: Db, now: Date): Promise<DueStart[]> {
  type Scheduled = Row & { checkSchedule: CheckSchedule; since: string | null; isCut: boolean };
  const rows = await queryRows<Scheduled>(db)`
    select w.id as website_id, w.account_id, a.plan, w.check_schedule,
      (select max(s.at) from check_starts s where s.website_id = w.id and s.what in ('schedule', 'options')) as since,
      coalesce((select c.postponed > 0 from checks c where c.website_id = w.id and c.trigger = 'schedule'
        order by c.created_at desc limit 1), false) as is_cut
    from websites w join accounts a on a.id = w.account_id
    where w.check_schedule ->> 'every' <> 'off' and w.deleting_since is null and ${NONE_RUNS}`;
  const due: DueStart[] = [];
  const slice = createTimeSlice();
  for (const row of rows) {
    if (slice.isOver()) await slice.yield();
    // Targets that did not fit into a day are asked on the next one.
    const schedule: CheckSchedule = row.isCut ? { ...row.checkSchedule, every: 'daily' } : row.checkSchedule;
    const time = lastTime(schedule, now);
    if (row.since !== null && time.getTime() <= Date.parse(row.since)) continue;
    const late = now.getTime() - time.getTime();
    if (late > WAITING_MS || (late > LATE_MS && !(await hasWaited(db, row, time)))) continue;
    const { websiteId } = row;
    due.push(dueStart(row, { websiteId, environment: 'production', trigger: 'schedule', at: time.toISOString() }));
  }
  return due;
}

async function hasWaited(db: Db, { accountId }: Row, time: Date): Promise<boolean> {
  const late = at(new Date(time.getTime() + LATE_MS));
  const [found] = await queryRows(db)`
    select from checks where account_id = ${accountId} and created_at <= ${late} and ended_at >= ${late} limit 1`;
  return found !== undefined;
}

/** The live version of an environment is that of its newest deployment, so it replaces one that waits. */
async function dueDeployments(db: Db, now: Date): Promise<DueStart[]> {
  const rows = await queryRows<Row & { environment: Environment; deployedAt: string }>(db)`
    select w.id as website_id, w.account_id, a.plan, e.environment, v.deployed_at
    from websites w join accounts a on a.id = w.account_id
      join website_environments e on e.website_id = w.id
      join versions v on v.website_id = w.id and v.environment = e.environment and v.version = e.live_version
    where w.check_after_deployment and w.deleting_since is null
      and v.deployed_at between ${at(now)} - ${DEPLOYMENT_LATE} and ${at(now)} - ${AFTER_DEPLOYMENT}
      and not exists (select from check_starts s where s.website_id = w.id and s.environment = e.environment
        and s.what = 'deployment' and s.at >= v.deployed_at)
      and ${NONE_RUNS}`;
  return rows.map((row) => {
    const { websiteId, environment, deployedAt } = row;
    return dueStart(row, { websiteId, environment, trigger: 'deployment', at: deployedAt });
  });
}
