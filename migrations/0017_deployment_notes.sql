-- Notes of deployments. Locks deployments in ACCESS EXCLUSIVE mode for a moment; a nullable column rewrites nothing.
ALTER TABLE "deployments" ADD COLUMN "note" text;
