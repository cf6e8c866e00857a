-- URLs of websites. Locks websites in ACCESS EXCLUSIVE mode for milliseconds: the new columns have constant defaults, so no row is
-- rewritten. The new tables have no foreign keys to websites, whose locks would wait for imports.
CREATE TABLE "url_accepted_losses" (
	"website_id" integer NOT NULL,
	"position" integer NOT NULL,
	"glob" text NOT NULL,
	"reason" text NOT NULL,
	"until" timestamp with time zone,
	CONSTRAINT "url_accepted_losses_website_id_position_pk" PRIMARY KEY("website_id","position")
);
--> statement-breakpoint
CREATE TABLE "url_counts" (
	"website_id" integer PRIMARY KEY NOT NULL,
	"urls" integer DEFAULT 0 NOT NULL,
	"visitor_urls" integer DEFAULT 0 NOT NULL,
	"rules_rev" integer DEFAULT 0 NOT NULL,
	"rules_max_id" bigint DEFAULT 0 NOT NULL,
	"unmatched" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "url_list_changes" (
	"list_id" integer NOT NULL,
	"url_id" bigint NOT NULL,
	"version" integer NOT NULL,
	"website_id" integer NOT NULL,
	"added" smallint NOT NULL,
	CONSTRAINT "url_list_changes_list_id_version_url_id_pk" PRIMARY KEY("list_id","version","url_id")
);
--> statement-breakpoint
CREATE TABLE "url_list_versions" (
	"list_id" integer NOT NULL,
	"version" integer NOT NULL,
	"website_id" integer NOT NULL,
	"total" integer NOT NULL,
	"added" integer NOT NULL,
	"removed" integer NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "url_list_versions_list_id_version_pk" PRIMARY KEY("list_id","version")
);
--> statement-breakpoint
CREATE TABLE "url_lists" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "url_lists_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"name" text NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"total" integer DEFAULT 0 NOT NULL,
	"pushed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"problem" text,
	"fetched_at" timestamp with time zone,
	CONSTRAINT "url_lists_website_id_environment_name_key" UNIQUE("website_id","environment","name")
);
--> statement-breakpoint
CREATE TABLE "url_upload_parts" (
	"upload_id" text NOT NULL,
	"part" integer NOT NULL,
	"website_id" integer NOT NULL,
	"counts" jsonb NOT NULL,
	CONSTRAINT "url_upload_parts_upload_id_part_pk" PRIMARY KEY("upload_id","part")
);
--> statement-breakpoint
CREATE TABLE "url_upload_rows" (
	"upload_id" text NOT NULL,
	"part" integer NOT NULL,
	"website_id" integer NOT NULL,
	"n" integer NOT NULL,
	"url" text collate "C" NOT NULL,
	"raw_url" text,
	"title" text,
	"description" text,
	"headline" text,
	"clicks" bigint,
	"links" bigint,
	"flags" smallint NOT NULL,
	"cut" text
);
--> statement-breakpoint
CREATE TABLE "url_uploads" (
	"id" text PRIMARY KEY NOT NULL,
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"list" text NOT NULL,
	"from_hosts" text[] NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "urls" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "urls_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"website_id" integer NOT NULL,
	"url" text collate "C" NOT NULL,
	"raw_url" text,
	"title" text,
	"description" text,
	"headline" text,
	"lists" integer[] DEFAULT '{}' NOT NULL,
	"sources" smallint NOT NULL,
	"clicks" bigint,
	"links" bigint,
	"first_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"removed_production" timestamp with time zone,
	"removed_staging" timestamp with time zone,
	"removed_development" timestamp with time zone,
	CONSTRAINT "urls_website_id_url_key" UNIQUE("website_id","url")
);
--> statement-breakpoint
ALTER TABLE "websites" ADD COLUMN "url_gate" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "websites" ADD COLUMN "page_parameters" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "websites" ADD COLUMN "sitemap_urls" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "url_list_changes_website_id_idx" ON "url_list_changes" USING btree ("website_id");--> statement-breakpoint
CREATE INDEX "url_list_versions_website_id_idx" ON "url_list_versions" USING btree ("website_id");--> statement-breakpoint
CREATE INDEX "url_upload_parts_website_id_idx" ON "url_upload_parts" USING btree ("website_id");--> statement-breakpoint
CREATE INDEX "url_upload_rows_idx" ON "url_upload_rows" USING btree ("upload_id","part");--> statement-breakpoint
CREATE INDEX "url_upload_rows_website_id_idx" ON "url_upload_rows" USING btree ("website_id");--> statement-breakpoint
CREATE INDEX "url_uploads_website_id_idx" ON "url_uploads" USING btree ("website_id");--> statement-breakpoint
CREATE INDEX "url_uploads_created_at_idx" ON "url_uploads" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "urls_visitors_idx" ON "urls" USING btree ("website_id","last_seen_at") WHERE "urls"."sources" = 16;