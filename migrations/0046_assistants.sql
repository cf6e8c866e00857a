-- Requests of assistants and crawlers by name, and the lines of logs by day. Both tables are new, without foreign keys:
-- no lock on others.
CREATE TABLE "named_hits" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"day" date NOT NULL,
	"name" text NOT NULL,
	"hits" bigint NOT NULL,
	"unmatched" bigint NOT NULL,
	CONSTRAINT "named_hits_website_id_environment_day_name_pk" PRIMARY KEY("website_id","environment","day","name")
);
--> statement-breakpoint
CREATE TABLE "log_days" (
	"website_id" integer NOT NULL,
	"stream" text NOT NULL,
	"day" date NOT NULL,
	"lines" bigint NOT NULL,
	"counted" bigint NOT NULL,
	"not_ours" bigint NOT NULL,
	"invalid" bigint NOT NULL,
	"unused" bigint NOT NULL,
	"last_line_at" timestamp with time zone,
	"received_at" timestamp with time zone NOT NULL,
	CONSTRAINT "log_days_website_id_stream_day_pk" PRIMARY KEY("website_id","stream","day")
);
--> statement-breakpoint
CREATE INDEX "named_hits_day_idx" ON "named_hits" USING btree ("day");--> statement-breakpoint
CREATE INDEX "log_days_day_idx" ON "log_days" USING btree ("day");