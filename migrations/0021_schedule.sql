-- The window of a redirect: outside of it the rule does not exist. Locks redirects, then redirect_revisions, in ACCESS EXCLUSIVE mode
-- for milliseconds: the columns are nullable without a default, so no row is rewritten. Replaces two functions.
ALTER TABLE "redirects" ADD COLUMN "active_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "redirects" ADD COLUMN "active_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "redirect_revisions" ADD COLUMN "active_from" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "redirect_revisions" ADD COLUMN "active_until" timestamp (3) with time zone;--> statement-breakpoint
-- As in migration 0020, with the window.
CREATE OR REPLACE FUNCTION keep_updated_redirects() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  first_rev integer;
  last_rev integer;
  first_website integer;
  last_website integer;
BEGIN
  SELECT min(rev), max(rev), min(website_id), max(website_id) INTO first_rev, last_rev, first_website, last_website FROM new_rows;
  IF first_rev = last_rev AND first_website = last_website
    AND last_rev = (SELECT head_rev FROM websites WHERE id = last_website) THEN
    INSERT INTO redirect_revisions
      (website_id, redirect_id, rev_from, rev_to, key, old_path, new_path, status_code, is_regex, in_prod, in_staging, in_dev,
       group_id, notes, created_at, updated_at, active_from, active_until)
    SELECT o.website_id, o.id, o.rev, last_rev, o.key, o.old_path, o.new_path, o.status_code, o.is_regex,
      o.in_prod, o.in_staging, o.in_dev, o.group_id, o.notes, o.created_at, o.updated_at, o.active_from, o.active_until
    FROM old_rows o WHERE o.rev <> last_rev;
  ELSE
    EXECUTE 'insert into redirect_revisions
      (website_id, redirect_id, rev_from, rev_to, key, old_path, new_path, status_code, is_regex, in_prod, in_staging, in_dev,
       group_id, notes, created_at, updated_at, active_from, active_until)
      select o.website_id, o.id, case when n.rev = o.rev then w.head_rev else o.rev end,
      case when n.rev = o.rev then w.head_rev else n.rev end, o.key, o.old_path, o.new_path, o.status_code, o.is_regex,
      o.in_prod, o.in_staging, o.in_dev, o.group_id, o.notes, o.created_at, o.updated_at, o.active_from, o.active_until
      from old_rows o join new_rows n on n.website_id = o.website_id and n.id = o.id join websites w on w.id = o.website_id
      where n.rev <> o.rev or (o.rev <> w.head_rev
        and (n.old_path, n.group_id, n.notes) is distinct from (o.old_path, o.group_id, o.notes))';
  END IF;
  RETURN NULL;
END $body$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION keep_deleted_redirects() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  EXECUTE 'insert into redirect_revisions
      (website_id, redirect_id, rev_from, rev_to, key, old_path, new_path, status_code, is_regex, in_prod, in_staging, in_dev,
       group_id, notes, created_at, updated_at, active_from, active_until)
    select o.website_id, o.id, o.rev, w.head_rev, o.key, o.old_path, o.new_path, o.status_code, o.is_regex,
      o.in_prod, o.in_staging, o.in_dev, o.group_id, o.notes, o.created_at, o.updated_at, o.active_from, o.active_until
    from old_rows o join websites w on w.id = o.website_id where w.deleting_since is null';
  RETURN NULL;
END $body$;
