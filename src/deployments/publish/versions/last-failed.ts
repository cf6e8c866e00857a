import { sql } from '../../../db/drizzle.ts';

/**
 * SQL lateral `last` (id, error, created_at) beside the environment `we`: its last deployment that ended, if it failed.
 * Reads failures by `deployments_activity_idx`, which has no automatic deployment that succeeded.
 */
export const JOIN_LAST_FAILED = sql.raw(`left join lateral (
      select f.id, f.error, f.created_at from (
        select id, error, created_at from deployments
        where website_id = we.website_id and environment = we.environment and status = 'failed'
          and (kind <> 'automatic' or error is not null)
        order by website_id desc, created_at desc, id desc limit 1) f
      where not exists (
        select from (
          select environment, status from deployments
          where website_id = we.website_id and (created_at, id) > (f.created_at, f.id) offset 0) d
        where d.environment = we.environment and d.status = 'completed')) last on true`);
