-- Which hosts are proven, and hostnames that several websites claim. Existing hosts are verified. Locks website_hosts in ACCESS EXCLUSIVE
-- mode while two indexes are built, about 3 s a million hosts: reading and writing websites waits, redirects are served from memory.
ALTER TABLE "website_hosts" ADD COLUMN "verified" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "website_hosts" DROP CONSTRAINT "website_hosts_pkey";--> statement-breakpoint
ALTER TABLE "website_hosts" ADD CONSTRAINT "website_hosts_pkey" PRIMARY KEY("website_id","hostname");--> statement-breakpoint
CREATE UNIQUE INDEX "website_hosts_verified_key" ON "website_hosts" USING btree ("hostname") WHERE verified;--> statement-breakpoint
DROP INDEX "website_hosts_website_id_idx";--> statement-breakpoint
-- Part of the values of TXT records, so that those of another installation prove nothing here.
INSERT INTO "settings" ("name", "value") VALUES ('host_proof', gen_random_uuid()::text) ON CONFLICT DO NOTHING;
