-- Logs. The tables are new, without foreign keys: no lock on others.
CREATE TABLE "log_bodies" (
	"website_id" integer NOT NULL,
	"stream" text NOT NULL,
	"file" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"length" bigint NOT NULL,
	"header" text NOT NULL,
	"counted_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "log_bodies_website_id_stream_file_hash_pk" PRIMARY KEY("website_id","stream","file","hash")
);
--> statement-breakpoint
CREATE TABLE "url_hits" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"url_id" bigint NOT NULL,
	"day" date NOT NULL,
	"hits" bigint NOT NULL,
	"bot_hits" bigint NOT NULL,
	"assistant_hits" bigint NOT NULL,
	CONSTRAINT "url_hits_website_id_environment_url_id_day_pk" PRIMARY KEY("website_id","environment","url_id","day")
);
--> statement-breakpoint
CREATE INDEX "log_bodies_counted_at_idx" ON "log_bodies" USING btree ("counted_at");--> statement-breakpoint
CREATE INDEX "url_hits_day_idx" ON "url_hits" USING btree ("day");