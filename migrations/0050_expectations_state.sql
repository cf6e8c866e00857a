-- What the results of expectations are of. ACCESS EXCLUSIVE on website_environments for an instant: both columns are nullable,
-- so no row is rewritten. Afterwards each environment with expectations runs them once, one at a time.
ALTER TABLE "website_environments" ADD COLUMN "expectations_state" text;--> statement-breakpoint
ALTER TABLE "website_environments" ADD COLUMN "expectations_rest_until" timestamp with time zone;
