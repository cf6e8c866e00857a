-- Saved views. The table is new, without foreign keys: no lock on others.
CREATE TABLE "saved_views" (
	"id" text PRIMARY KEY NOT NULL,
	"website_id" integer NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_views_website_id_name_key" UNIQUE("website_id","name")
);
