-- The address of each sign-in. Locks sessions in ACCESS EXCLUSIVE mode for milliseconds: a column without a default rewrites
-- nothing.
ALTER TABLE "sessions" ADD COLUMN "address" text;