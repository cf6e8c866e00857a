-- When a session's password was confirmed again, and where a failed sign-in came from. Locks sessions and sign_in_failures in
-- ACCESS EXCLUSIVE mode for milliseconds each: a nullable column without a default rewrites nothing.
ALTER TABLE "sessions" ADD COLUMN "confirmed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "sign_in_failures" ADD COLUMN "source_hash" "bytea";
