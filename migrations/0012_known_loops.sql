-- The loops of the live version of each environment. Locks website_environments in ACCESS EXCLUSIVE mode for milliseconds, to add an
-- empty column.
ALTER TABLE "website_environments" ADD COLUMN "loops" jsonb;