-- Hits by assistants. Locks website_hits and redirect_hits with their partitions, not_found and not_found_other in ACCESS EXCLUSIVE
-- mode for milliseconds, in the order of a write of hits: the defaults are constant, so no row is rewritten. Hits are counted in
-- memory meanwhile.
ALTER TABLE "website_hits" ADD COLUMN "assistant_hits" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "website_hits" ADD COLUMN "unmatched_assistants" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "redirect_hits" ADD COLUMN "assistant_hits" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "not_found" ADD COLUMN "assistant_hits" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "not_found_other" ADD COLUMN "assistant_hits" bigint DEFAULT 0 NOT NULL;
