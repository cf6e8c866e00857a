-- The last request of each host. Locks website_hosts in ACCESS EXCLUSIVE mode for milliseconds: a column without a default
-- rewrites nothing.
ALTER TABLE "website_hosts" ADD COLUMN "last_request_at" timestamp with time zone;