-- Changes of redirects, what undoing them needs, and the history of a redirect. Locks redirect_revisions against writers (SHARE)
-- while its new index is built, about a second a million rows; redirects are served from memory, and reads continue. The new
-- columns rewrite no table.
CREATE TABLE "changes" (
	"id" text PRIMARY KEY NOT NULL,
	"website_id" integer NOT NULL,
	"revision" integer NOT NULL,
	"kind" text NOT NULL,
	"created" integer NOT NULL,
	"updated" integer NOT NULL,
	"deleted" integer NOT NULL,
	"first_id" bigint NOT NULL,
	"last_id" bigint NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"undoes" text,
	"undone_by" text,
	CONSTRAINT "changes_website_id_revision_key" UNIQUE("website_id","revision")
);
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "change_id" text;--> statement-breakpoint
ALTER TABLE "redirect_revisions" ADD COLUMN "group_id" text;--> statement-breakpoint
ALTER TABLE "redirect_revisions" ADD COLUMN "notes" text;--> statement-breakpoint
ALTER TABLE "redirect_revisions" ADD COLUMN "created_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "redirect_revisions" ADD COLUMN "updated_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "changes_created_at_idx" ON "changes" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "redirect_revisions_redirect_id_idx" ON "redirect_revisions" USING btree ("website_id","redirect_id","rev_to");--> statement-breakpoint
-- As before, with the labels and times of the former state. A change that moves no `rev`, because it concerns only labels
-- or the spelling of the path, stores its former state with the empty interval [head_rev, head_rev). If all new rows have the revision
-- of the transaction, there is no such change: then no join is needed, from a single edit to an import of a million.
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
       group_id, notes, created_at, updated_at)
    SELECT o.website_id, o.id, o.rev, last_rev, o.key, o.old_path, o.new_path, o.status_code, o.is_regex,
      o.in_prod, o.in_staging, o.in_dev, o.group_id, o.notes, o.created_at, o.updated_at
    FROM old_rows o WHERE o.rev <> last_rev;
  ELSE
    EXECUTE 'insert into redirect_revisions
      (website_id, redirect_id, rev_from, rev_to, key, old_path, new_path, status_code, is_regex, in_prod, in_staging, in_dev,
       group_id, notes, created_at, updated_at)
      select o.website_id, o.id, case when n.rev = o.rev then w.head_rev else o.rev end,
      case when n.rev = o.rev then w.head_rev else n.rev end, o.key, o.old_path, o.new_path, o.status_code, o.is_regex,
      o.in_prod, o.in_staging, o.in_dev, o.group_id, o.notes, o.created_at, o.updated_at
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
       group_id, notes, created_at, updated_at)
    select o.website_id, o.id, o.rev, w.head_rev, o.key, o.old_path, o.new_path, o.status_code, o.is_regex,
      o.in_prod, o.in_staging, o.in_dev, o.group_id, o.notes, o.created_at, o.updated_at
    from old_rows o join websites w on w.id = o.website_id where w.deleting_since is null';
  RETURN NULL;
END $body$;
