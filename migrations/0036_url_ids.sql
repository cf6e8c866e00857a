-- Takes ids of URLs from the sequence in blocks. Locks urls in ACCESS EXCLUSIVE mode for milliseconds; no row is read.
ALTER TABLE "urls" ALTER COLUMN "id" SET CACHE 1000;
