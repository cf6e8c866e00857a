-- Live checks. Locks websites in ACCESS EXCLUSIVE mode for milliseconds: the new columns have constant defaults, so no row is
-- rewritten. The other tables are new, without foreign keys to websites, whose locks would wait for imports.
CREATE TABLE "check_credentials" (
	"website_id" integer PRIMARY KEY NOT NULL,
	"hostname" text NOT NULL,
	"secret" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "check_hosts" (
	"host" text collate "C" PRIMARY KEY NOT NULL,
	"next_at" timestamp with time zone NOT NULL,
	"held_until" timestamp with time zone,
	"in_flight" timestamp with time zone[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "check_robots" (
	"origin" text collate "C" PRIMARY KEY NOT NULL,
	"rules" jsonb NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "check_rules" (
	"check_id" text NOT NULL,
	"n" integer NOT NULL,
	"redirect_id" bigint NOT NULL,
	"website_id" integer NOT NULL,
	"target" text,
	CONSTRAINT "check_rules_check_id_n_redirect_id_pk" PRIMARY KEY("check_id","n","redirect_id")
);
--> statement-breakpoint
CREATE TABLE "check_starts" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"what" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "check_starts_website_id_environment_what_pk" PRIMARY KEY("website_id","environment","what")
);
--> statement-breakpoint
CREATE TABLE "check_targets" (
	"check_id" text NOT NULL,
	"n" integer NOT NULL,
	"website_id" integer NOT NULL,
	"url" text collate "C" NOT NULL,
	"host" text NOT NULL,
	"is_own" boolean NOT NULL,
	"weight" bigint NOT NULL,
	"expected_status" smallint,
	"expected_location" text,
	"before" text,
	"due_at" timestamp with time zone,
	"tries" smallint DEFAULT 0 NOT NULL,
	"waiting_since" timestamp with time zone,
	"state" text,
	"reason" text,
	"confirmed" boolean DEFAULT false NOT NULL,
	"status" smallint,
	"location" text,
	"end_url" text,
	"note" text,
	"duration_ms" integer,
	"checked_at" timestamp with time zone,
	CONSTRAINT "check_targets_check_id_n_pk" PRIMARY KEY("check_id","n")
);
--> statement-breakpoint
CREATE TABLE "checks" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"kind" text NOT NULL,
	"trigger" text DEFAULT 'manual' NOT NULL,
	"cycle_started_at" timestamp with time zone,
	"status" text NOT NULL,
	"error" text,
	"filter" jsonb,
	"base_url" text,
	"rate" smallint NOT NULL,
	"total" integer NOT NULL,
	"skipped" integer NOT NULL,
	"postponed" integer DEFAULT 0 NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"estimated_end" timestamp with time zone NOT NULL,
	"next_at" timestamp with time zone,
	"lease" text,
	"lease_until" timestamp with time zone,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"actor_type" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "target_states" (
	"website_id" integer NOT NULL,
	"redirect_id" bigint NOT NULL,
	"target" text NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"checked_at" timestamp with time zone NOT NULL,
	CONSTRAINT "target_states_website_id_redirect_id_pk" PRIMARY KEY("website_id","redirect_id")
);
--> statement-breakpoint
ALTER TABLE "websites" ADD COLUMN "check_schedule" jsonb DEFAULT '{"every":"off","hour":3,"weekday":1,"timeZone":"UTC"}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "websites" ADD COLUMN "check_after_deployment" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "check_hosts_next_at_idx" ON "check_hosts" USING btree ("next_at");--> statement-breakpoint
CREATE INDEX "check_robots_fetched_at_idx" ON "check_robots" USING btree ("fetched_at");--> statement-breakpoint
CREATE INDEX "check_rules_website_id_idx" ON "check_rules" USING btree ("website_id");--> statement-breakpoint
CREATE INDEX "check_targets_due_idx" ON "check_targets" USING btree ("check_id","n") WHERE "check_targets"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "check_targets_state_idx" ON "check_targets" USING btree ("check_id","state","n");--> statement-breakpoint
CREATE INDEX "check_targets_url_idx" ON "check_targets" USING btree ("website_id",hashtextextended(url, 0),"checked_at" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "checks_website_id_idx" ON "checks" USING btree ("website_id","created_at" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "checks_account_id_idx" ON "checks" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "checks_running_key" ON "checks" USING btree ("account_id") WHERE "checks"."status" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "checks_next_at_idx" ON "checks" USING btree ("next_at") WHERE "checks"."next_at" is not null;--> statement-breakpoint
CREATE INDEX "target_states_state_idx" ON "target_states" USING btree ("website_id","state","redirect_id");
