-- Expectations, and the gate of deployments. Locks deployments and websites in ACCESS EXCLUSIVE mode for a moment each: a column with
-- a constant default rewrites nothing. The new tables have no foreign keys (src/db/schema.ts).
CREATE TABLE "deployment_failures" (
	"website_id" integer NOT NULL,
	"deployment_id" text NOT NULL,
	"position" integer NOT NULL,
	"failure" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deployment_failures_website_id_deployment_id_position_pk" PRIMARY KEY("website_id","deployment_id","position")
);
--> statement-breakpoint
CREATE TABLE "expectations" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"key" text collate "C" NOT NULL,
	"url" text NOT NULL,
	"status_code" smallint NOT NULL,
	"location" text,
	"final" text,
	CONSTRAINT "expectations_website_id_environment_key_pk" PRIMARY KEY("website_id","environment","key")
);
--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "forced" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "websites" ADD COLUMN "gated_environments" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "deployment_failures_created_at_idx" ON "deployment_failures" USING btree ("created_at");