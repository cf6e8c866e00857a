-- Overview. The index of windows that begin locks redirects against writers (SHARE) and reads the table once: 0.3 s for
-- 1,000,000 rows. It holds only redirects with a begin.
CREATE INDEX "redirects_active_from_idx" ON "redirects" USING btree ("website_id","active_from") WHERE "redirects"."active_from" is not null;