-- The fields of a change, and indexes for filters of changes and for the activity of a website. Locks changes in ACCESS EXCLUSIVE mode
-- for milliseconds: the column is nullable without a default. Locks changes, deployments and redirect_revisions against writers (SHARE)
-- while their indexes are built, about a second a million rows; redirects are served from memory, and reads continue.
ALTER TABLE "changes" ADD COLUMN "fields" text[];--> statement-breakpoint
CREATE INDEX "changes_kind_idx" ON "changes" USING btree ("website_id","kind","revision");--> statement-breakpoint
CREATE INDEX "changes_actor_name_idx" ON "changes" USING btree ("website_id","actor_name","revision");--> statement-breakpoint
CREATE INDEX "deployments_activity_idx" ON "deployments" USING btree ("website_id","created_at","id") WHERE "deployments"."kind" <> 'automatic' or "deployments"."error" is not null;--> statement-breakpoint
CREATE INDEX "redirect_revisions_key_idx" ON "redirect_revisions" USING btree ("website_id",hashtextextended(key, 0));