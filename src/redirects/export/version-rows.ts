import { isServedSql, type RulesPointer } from '../../deployments/live/rules-sql.ts';

/**
 * SQL query for the rules of a version with the columns of `redirects` that an export reads. `rev` is the revision that
 * ended the rule, or 0 if it is the current one. Group, notes and time of creation are those of the redirect now.
 */
export function versionRowsSql(websiteId: number, at: RulesPointer): string {
  const rev = at.rulesRev;
  if (!Number.isSafeInteger(websiteId) || !Number.isSafeInteger(rev)) throw new Error('not an id and a revision');
  return `
    select id, key, old_path, new_path, status_code, is_regex, in_prod, in_staging, in_dev, 0 as rev,
      group_id, notes, created_at
    from redirects where website_id = ${websiteId} and rev <= ${rev} and ${isServedSql(at)}
    union all
    select v.redirect_id, v.key, v.old_path, v.new_path, v.status_code, v.is_regex, v.in_prod, v.in_staging, v.in_dev,
      v.rev_to, c.group_id, c.notes, c.created_at
    from (select * from redirect_revisions
      where website_id = ${websiteId} and rev_to > ${rev} and rev_from <= ${rev} and ${isServedSql(at)}) v
    left join redirects c on c.website_id = ${websiteId} and c.id = v.redirect_id`;
}
