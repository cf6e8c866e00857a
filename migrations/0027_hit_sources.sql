-- Hits by referrer host and by utm_source. Locks redirect_hits and website_hits with their partitions in ACCESS EXCLUSIVE mode for
-- milliseconds: the defaults are constant, so no row is rewritten. Hits are counted in memory meanwhile.
ALTER TABLE "redirect_hits" ADD COLUMN "referrers" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "redirect_hits" ADD COLUMN "utm_sources" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "website_hits" ADD COLUMN "referrers" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "website_hits" ADD COLUMN "utm_sources" jsonb DEFAULT '{}'::jsonb NOT NULL;