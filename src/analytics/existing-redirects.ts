import type { Queryable } from '../db/connection/client.ts';
import { sql } from '../db/drizzle.ts';
import { queryRows, timeOf } from '../db/rows.ts';
import { environmentsOf, type TargetedSince } from '../redirects/rule/redirect.ts';
import type { Environment } from '../vocabulary/environment.ts';

/** A redirect that has an unmatched path as its source. */
export interface ExistingRedirect {
  id: number;
  newPath: string | null;
  statusCode: number;
  activeFrom: Date | null;
  activeUntil: Date | null;
  /** none for a draft */
  environments: Environment[];
}

interface Row extends Omit<ExistingRedirect, 'environments' | 'activeFrom' | 'activeUntil'>, TargetedSince {
  key: string;
  activeFrom: string | null;
  activeUntil: string | null;
}

/**
 * Returns the redirects whose source is one of the canonical paths, by path. They do not match because they target other
 * environments, wait for a deployment, or are outside of their window. Patterns are not searched.
 */
export async function findExistingRedirects(db: Queryable, websiteId: number, paths: string[]) {
  const rows = await queryRows<Row>(db)`
    select r.key, r.id, r.new_path, r.status_code, r.active_from, r.active_until, r.in_prod, r.in_staging, r.in_dev from redirects r
    where r.website_id = ${websiteId} and r.key = any(${sql.param(paths)}::text[]) and not r.is_regex`;
  return new Map(
    rows.map((row) => {
      const { key, id, newPath, statusCode } = row;
      const [activeFrom, activeUntil] = [timeOf(row.activeFrom), timeOf(row.activeUntil)];
      return [key, { id, newPath, statusCode, activeFrom, activeUntil, environments: environmentsOf(row) }];
    }),
  );
}
