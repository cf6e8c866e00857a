/** SQL conditions on rows of redirects and their revisions. */
import { type SQL, sql } from '../db/drizzle.ts';
import { TARGET_HOST } from '../deployments/live/database/rules-sql.ts';

/** The target column of the environment in the column `at` of the row is set. */
export const isTargeted = (row: string, at: string): SQL =>
  sql.raw(
    `case ${at} when 'production' then ${row}.in_prod when 'staging' then ${row}.in_staging else ${row}.in_dev end is not null`,
  );

/** The live rules of the environment `e`, a row of website_environments, take the row: its environment and host. */
export const isInRules = (row: string, e: string): SQL => sql`${isTargeted(row, `${e}.rules_env`)}
  and (${sql.raw(e)}.target_hosts is null or ${sql.raw(row)}.new_path is null or left(${sql.raw(row)}.new_path, 1) = '/'
    or ${sql.raw(TARGET_HOST.replace('new_path', `${row}.new_path`))} = any (${sql.raw(e)}.target_hosts))`;
