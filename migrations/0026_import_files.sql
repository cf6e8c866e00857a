-- Who imported which file. Locks imports in ACCESS EXCLUSIVE mode for milliseconds: the columns are nullable without a default, so
-- no row is rewritten.
ALTER TABLE "imports" ADD COLUMN "fields" text[];--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "file_name" text;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "actor_type" text;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "actor_id" text;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "actor_name" text;