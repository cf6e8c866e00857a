-- Whether a promotion extends the targeting of redirects, and the change that it made. Locks deployments in ACCESS EXCLUSIVE mode for
-- milliseconds: the columns are nullable without a default, so no row is rewritten.
ALTER TABLE "deployments" ADD COLUMN "targeting" text;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "change_id" text;