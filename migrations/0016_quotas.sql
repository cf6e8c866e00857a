-- The number of redirects of each website, for the quotas of plans. Locks websites in ACCESS EXCLUSIVE mode until the counts of days are
-- summed, a few milliseconds: it waits for running writes and holds up further ones, so that none escapes the count. Redirects are
-- served from memory. Rewrites no table.
ALTER TABLE "websites" ADD COLUMN "redirects" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE websites w SET redirects = d.n
FROM (SELECT website_id, sum(redirects)::int AS n FROM redirect_days GROUP BY 1) d WHERE d.website_id = w.id;--> statement-breakpoint
-- As in migration 0009, and maintains websites.redirects. The writer of the redirects holds the lock of the website already.
CREATE OR REPLACE FUNCTION count_redirects() RETURNS trigger LANGUAGE plpgsql SET timezone = 'UTC' AS $body$
DECLARE
  targets CONSTANT text :=
    '(in_prod is not null)::int + (in_staging is not null)::int * 2 + (in_dev is not null)::int * 4 as targets';
  counted CONSTANT text := 'select website_id, created_at::date as day, group_id, ' || targets || ', %s count(*) as n
    from %s group by 1, 2, 3, 4';
  -- A statement that inserts gives all its rows one time and one revision: grouped as they are, a third less work.
  inserted CONSTANT text := 'select website_id, created_at::date as day, group_id, ' || targets || ', n from (
    select website_id, created_at, group_id, in_prod, in_staging, in_dev, count(*) as n from new_rows group by 1, 2, 3, 4, 5, 6) as alike';
  by_targets CONSTANT text := (
    SELECT 'array[' || string_agg(format('coalesce(sum(n) filter (where targets = %s), 0)', i), ', ') || ']::int[]'
    FROM generate_series(0, 7) AS i);
  added CONSTANT text := 'set redirects = t.redirects + excluded.redirects, by_targets = (select array_agg(a + b order by i)
    from unnest(t.by_targets, excluded.by_targets) with ordinality as both_sides(a, b, i))';
  changes CONSTANT text := CASE TG_OP
    WHEN 'INSERT' THEN inserted
    WHEN 'DELETE' THEN format(counted, '-', '(select o.* from old_rows o join websites w on w.id = o.website_id
      where w.deleting_since is null) as kept')
    ELSE format(counted, '', 'new_rows') || ' union all ' || format(counted, '-', 'old_rows')
  END;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    -- An import knows what it changes (redirects/import/merge.ts), and sets this for one statement.
    IF current_setting('detour.counts', true) = 'unchanged' THEN
      RETURN NULL;
    END IF;
    -- A few rows: comparing each with each is cheaper than planning the statement below.
    PERFORM 1 FROM new_rows OFFSET 10 LIMIT 1;
    IF NOT FOUND AND NOT EXISTS (
      SELECT FROM new_rows n JOIN old_rows o ON o.website_id = n.website_id AND o.id = n.id
      WHERE n.group_id IS DISTINCT FROM o.group_id OR n.created_at <> o.created_at
        OR (n.in_prod IS NULL) <> (o.in_prod IS NULL) OR (n.in_staging IS NULL) <> (o.in_staging IS NULL)
        OR (n.in_dev IS NULL) <> (o.in_dev IS NULL)) THEN
      RETURN NULL;
    END IF;
  END IF;
  EXECUTE format('
    with changes as materialized (
      select website_id, day, group_id, targets, sum(n) as n from (%s) as sides group by 1, 2, 3, 4 having sum(n) <> 0),
    days as (
      insert into redirect_days as t (website_id, day, redirects, by_targets)
      select website_id, day, sum(n), %s from changes group by 1, 2
      on conflict (website_id, day) do update %s),
    totals as (
      update websites w set redirects = w.redirects + c.n
      from (select website_id, sum(n)::int as n from changes group by 1 having sum(n) <> 0) c where w.id = c.website_id)
    insert into redirect_groups as t (website_id, group_id, redirects, by_targets)
    select website_id, group_id, sum(n), %s from changes where group_id is not null group by 1, 2
    on conflict (website_id, group_id) do update %s', changes, by_targets, added, by_targets, added);
  IF TG_OP <> 'INSERT' THEN
    EXECUTE 'delete from redirect_groups where redirects = 0';
  END IF;
  RETURN NULL;
END $body$;
