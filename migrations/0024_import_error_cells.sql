-- The invalid rows of imported files. Locks import_errors and imports in ACCESS EXCLUSIVE mode for milliseconds: the columns are
-- nullable without a default, so no row is rewritten.
ALTER TABLE "import_errors" ADD COLUMN "cells" text[];--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "headers" text[];
