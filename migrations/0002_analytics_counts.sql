-- Kept counts for the analytics of a website, and the triggers that keep them. Takes a SHARE ROW EXCLUSIVE lock on redirects (writers
-- wait, readers do not) for as long as counting what is there takes: about half a second a million.
CREATE TABLE "redirect_days" (
	"website_id" integer NOT NULL,
	"day" date NOT NULL,
	"redirects" integer NOT NULL,
	"by_targets" integer[] NOT NULL,
	CONSTRAINT "redirect_days_website_id_day_pk" PRIMARY KEY("website_id","day")
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "redirect_groups" (
	"website_id" integer NOT NULL,
	"group_id" text collate "C" NOT NULL,
	"redirects" integer NOT NULL,
	"by_targets" integer[] NOT NULL,
	CONSTRAINT "redirect_groups_website_id_group_id_pk" PRIMARY KEY("website_id","group_id")
);
--> statement-breakpoint
CREATE INDEX "redirect_groups_largest_idx" ON "redirect_groups" USING btree ("website_id","redirects" DESC NULLS LAST,"group_id");--> statement-breakpoint
CREATE INDEX "redirect_groups_empty_idx" ON "redirect_groups" USING btree ("website_id") WHERE "redirect_groups"."redirects" = 0;--> statement-breakpoint
-- Adds what a statement did to redirects. Whole sets, no joins: each side is grouped by itself, and what an update leaves as it was
-- cancels out, so a rewrite of every target touches no count. EXECUTE, because a plan kept from a one-row edit is slow on a million; days
-- are cut by the session's time zone, hence the setting (naming the zone in the text costs three times as much). Writers of one
-- website hold its lock, so they never wait for each other here. Rows of a website that is being deleted are not worth counting.
CREATE FUNCTION count_redirects() RETURNS trigger LANGUAGE plpgsql SET timezone = 'UTC' AS $body$
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
  EXECUTE format('
    with changes as materialized (
      select website_id, day, group_id, targets, sum(n) as n from (%s) as sides group by 1, 2, 3, 4 having sum(n) <> 0),
    days as (
      insert into redirect_days as t (website_id, day, redirects, by_targets)
      select website_id, day, sum(n), %s from changes group by 1, 2
      on conflict (website_id, day) do update %s)
    insert into redirect_groups as t (website_id, group_id, redirects, by_targets)
    select website_id, group_id, sum(n), %s from changes where group_id is not null group by 1, 2
    on conflict (website_id, group_id) do update %s', changes, by_targets, added, by_targets, added);
  IF TG_OP <> 'INSERT' THEN
    EXECUTE 'delete from redirect_groups where redirects = 0';
  END IF;
  RETURN NULL;
END $body$;--> statement-breakpoint
CREATE TRIGGER count_inserted_redirects AFTER INSERT ON redirects
  REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_redirects();--> statement-breakpoint
CREATE TRIGGER count_updated_redirects AFTER UPDATE ON redirects
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_redirects();--> statement-breakpoint
CREATE TRIGGER count_deleted_redirects AFTER DELETE ON redirects
  REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_redirects();--> statement-breakpoint
-- What is there already; nobody can write between the triggers and the count.
INSERT INTO redirect_days (website_id, day, redirects, by_targets)
SELECT website_id, day, sum(n), array_agg(n ORDER BY targets)::int[] FROM (
  SELECT d.website_id, d.day, t.targets, coalesce(c.n, 0) AS n
  FROM (SELECT DISTINCT website_id, (created_at AT TIME ZONE 'UTC')::date AS day FROM redirects) d
  CROSS JOIN generate_series(0, 7) AS t(targets)
  LEFT JOIN (
    SELECT website_id, (created_at AT TIME ZONE 'UTC')::date AS day,
      (in_prod IS NOT NULL)::int + (in_staging IS NOT NULL)::int * 2 + (in_dev IS NOT NULL)::int * 4 AS targets, count(*) AS n
    FROM redirects GROUP BY 1, 2, 3) c USING (website_id, day, targets)) counted
GROUP BY 1, 2;--> statement-breakpoint
INSERT INTO redirect_groups (website_id, group_id, redirects, by_targets)
SELECT website_id, group_id, sum(n), array_agg(n ORDER BY targets)::int[] FROM (
  SELECT g.website_id, g.group_id, t.targets, coalesce(c.n, 0) AS n
  FROM (SELECT DISTINCT website_id, group_id FROM redirects WHERE group_id IS NOT NULL) g
  CROSS JOIN generate_series(0, 7) AS t(targets)
  LEFT JOIN (
    SELECT website_id, group_id,
      (in_prod IS NOT NULL)::int + (in_staging IS NOT NULL)::int * 2 + (in_dev IS NOT NULL)::int * 4 AS targets, count(*) AS n
    FROM redirects WHERE group_id IS NOT NULL GROUP BY 1, 2, 3) c USING (website_id, group_id, targets)) counted
GROUP BY 1, 2;
