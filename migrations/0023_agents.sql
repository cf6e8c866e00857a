-- Agents that follow live rules, and the batches of hits that they report. Takes no locks on existing tables. The fillfactor leaves
-- room for the update of a row by each report.
CREATE TABLE "feed_agents" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"version" integer,
	"last_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "feed_agents_website_id_environment_name_pk" PRIMARY KEY("website_id","environment","name")
) WITH (fillfactor = 70);
--> statement-breakpoint
CREATE TABLE "hit_reports" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"agent" text NOT NULL,
	"series" text NOT NULL,
	"batch" bigint NOT NULL,
	"reported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "hit_reports_website_id_environment_agent_series_pk" PRIMARY KEY("website_id","environment","agent","series")
) WITH (fillfactor = 70);
