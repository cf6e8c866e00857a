import { isServedSql, type RulesPointer } from '../../deployments/live/database/rules-sql.ts';

/**
 * SQL query for the rules of a version with the columns of `redirects` that an export reads. `rev` is the revision that
 * ended the rule, or 0 if it is the current one. The spelling of the path, group and notes are those at the version's
 * revision: of the first former state since then, or the current ones without any. So the file of a version stays the
 * same.
 */
export function versionRowsSql(websiteId: number, at: RulesPointer): string {
  const rev = at.rulesRev;
  if (!Number.isSafeInteger(websiteId) || !Number.isSafeInteger(rev)) throw new Error('not an id and a revision');
  return `
    select s.id, s.key, case when l.id is null then s.old_path else l.old_path end as old_path, s.new_path,
      s.status_code, s.is_regex, s.in_prod, s.in_staging, s.in_dev, s.rev,
      case when l.id is null then s.group_id else l.group_id end as group_id,
      case when l.id is null then s.notes else l.notes end as notes, s.created_at,
      s.active_from, s.active_until
    from (
      select id, key, old_path, new_path, status_code, is_regex, in_prod, in_staging, in_dev, 0 as rev,
        group_id, notes, created_at, active_from, active_until
      from redirects where website_id = ${websiteId} and rev <= ${rev} and ${isServedSql(at)}
      union all
      select v.redirect_id, v.key, v.old_path, v.new_path, v.status_code, v.is_regex, v.in_prod, v.in_staging, v.in_dev,
        v.rev_to, c.group_id, c.notes, coalesce(v.created_at, c.created_at),
        v.active_from, v.active_until
      from (select * from redirect_revisions
        where website_id = ${websiteId} and rev_to > ${rev} and rev_from <= ${rev} and ${isServedSql(at)}) v
      left join redirects c on c.website_id = ${websiteId} and c.id = v.redirect_id) s
    left join (
      select distinct on (redirect_id) redirect_id as id, old_path, group_id, notes from redirect_revisions
      where website_id = ${websiteId} and rev_to > ${rev} and created_at is not null
      order by redirect_id, rev_to) l on l.id = s.id`;
}
