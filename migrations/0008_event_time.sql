-- The time of an event as a column, so that src/webhooks/queue/replay.ts and src/redirects/undo/restore.ts need not read it from the
-- body. Nullable and without a default: nothing is rewritten. Locks events (ACCESS EXCLUSIVE) for milliseconds.
ALTER TABLE "events" ADD COLUMN "happened_at" timestamp with time zone;
