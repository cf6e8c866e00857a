-- Random ids of versions and of the last revision of a website, which show that the database went back in time. Locks versions and
-- websites in ACCESS EXCLUSIVE mode for milliseconds: the columns are nullable, and the default is set after the column is added, so that
-- no row is rewritten. The default also gives ids to versions that a process of an earlier release publishes.
ALTER TABLE "versions" ADD COLUMN "history" uuid;--> statement-breakpoint
ALTER TABLE "versions" ALTER COLUMN "history" SET DEFAULT gen_random_uuid();--> statement-breakpoint
ALTER TABLE "websites" ADD COLUMN "history" uuid[];