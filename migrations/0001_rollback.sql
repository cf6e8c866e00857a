-- Rollbacks and promotions: what a deployment publishes where that is not the working state, what a version left out, and the
-- deployments that wait behind the next one. Every column is nullable or has a constant default, so no table is rewritten: each ALTER
-- holds ACCESS EXCLUSIVE for milliseconds. The index is partial and empty at first; building it reads versions once, a small table.
ALTER TABLE "deployments" ADD COLUMN "source_environment" text;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "source_version" integer;--> statement-breakpoint
ALTER TABLE "versions" ADD COLUMN "target_hosts" text[];--> statement-breakpoint
ALTER TABLE "website_environments" ADD COLUMN "target_hosts" text[];--> statement-breakpoint
ALTER TABLE "website_environments" ADD COLUMN "queued_after" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "website_environments" ADD COLUMN "queue_joinable" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "versions_left_out_idx" ON "versions" USING btree ("website_id","environment","version") WHERE "versions"."target_hosts" is not null;
