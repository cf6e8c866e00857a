-- The websites that a key is limited to. Locks api_keys in ACCESS EXCLUSIVE mode for milliseconds: a nullable column without a
-- default rewrites nothing.
ALTER TABLE "api_keys" ADD COLUMN "website_ids" integer[];
