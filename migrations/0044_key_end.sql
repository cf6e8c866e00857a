-- The last characters of each new key. Locks api_keys in ACCESS EXCLUSIVE mode for milliseconds: a column without a default
-- rewrites nothing.
ALTER TABLE "api_keys" ADD COLUMN "key_end" text;
