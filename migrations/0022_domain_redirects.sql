-- Hosts that redirect as a whole. Locks website_hosts in ACCESS EXCLUSIVE mode for milliseconds: the columns are nullable without a
-- default, so no row is rewritten.
ALTER TABLE "website_hosts" ADD COLUMN "redirect_url" text;--> statement-breakpoint
ALTER TABLE "website_hosts" ADD COLUMN "redirect_status_code" smallint;--> statement-breakpoint
ALTER TABLE "website_hosts" ADD COLUMN "redirect_keep_path" boolean;