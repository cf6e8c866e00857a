-- Hits: what was followed, by whom (one-way), and what nothing matched. By hand: the partitions (retention drops whole months; each
-- month is made ahead by hits/months.ts, with the fillfactor that its rows need) and the fillfactors (a row is rewritten every second
-- while it is followed). New tables only: nothing waits for a lock.
CREATE TABLE "hit_writers" (
	"writer" text PRIMARY KEY NOT NULL,
	"batch" bigint NOT NULL,
	"written_at" timestamp with time zone NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "not_found" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"path" text collate "C" NOT NULL,
	"hits" bigint NOT NULL,
	"bot_hits" bigint NOT NULL,
	"noise" boolean NOT NULL,
	"referrer_host" text,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	"ignored_at" timestamp with time zone,
	CONSTRAINT "not_found_website_id_environment_path_pk" PRIMARY KEY("website_id","environment","path")
) WITH (fillfactor = 80);
--> statement-breakpoint
CREATE TABLE "not_found_other" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"hits" bigint NOT NULL,
	"bot_hits" bigint NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "not_found_other_website_id_environment_pk" PRIMARY KEY("website_id","environment")
) WITH (fillfactor = 80);
--> statement-breakpoint
CREATE TABLE "redirect_activity" (
	"website_id" integer NOT NULL,
	"redirect_id" bigint NOT NULL,
	"environment" text NOT NULL,
	"last_hit_at" timestamp with time zone NOT NULL,
	"last_hit_minute" timestamp with time zone NOT NULL,
	CONSTRAINT "redirect_activity_website_id_redirect_id_environment_pk" PRIMARY KEY("website_id","redirect_id","environment")
) WITH (fillfactor = 80);
--> statement-breakpoint
CREATE TABLE "redirect_hits" (
	"website_id" integer NOT NULL,
	"redirect_id" bigint NOT NULL,
	"environment" text NOT NULL,
	"day" date NOT NULL,
	"hits" bigint NOT NULL,
	"bot_hits" bigint NOT NULL,
	"micros" bigint NOT NULL,
	"countries" jsonb NOT NULL,
	"visitors" "bytea" NOT NULL,
	CONSTRAINT "redirect_hits_website_id_redirect_id_environment_day_pk" PRIMARY KEY("website_id","redirect_id","environment","day")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE TABLE "website_hits" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"day" date NOT NULL,
	"hits" bigint NOT NULL,
	"bot_hits" bigint NOT NULL,
	"micros" bigint NOT NULL,
	"countries" jsonb NOT NULL,
	"visitors" "bytea" NOT NULL,
	"unmatched" bigint NOT NULL,
	"unmatched_bots" bigint NOT NULL,
	CONSTRAINT "website_hits_website_id_environment_day_pk" PRIMARY KEY("website_id","environment","day")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE INDEX "redirect_activity_last_idx" ON "redirect_activity" USING btree ("website_id","environment","last_hit_minute","redirect_id");--> statement-breakpoint
CREATE INDEX "redirect_hits_most_idx" ON "redirect_hits" USING btree ("website_id","environment","day","hits" DESC NULLS FIRST,"redirect_id") WHERE "redirect_hits"."hits" > 0;