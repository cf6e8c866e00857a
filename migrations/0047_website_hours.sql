-- Hits of websites by hour. Locks nothing: the table is new and has no foreign key.
CREATE TABLE "website_hours" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"hits" bigint NOT NULL,
	"bot_hits" bigint NOT NULL,
	"assistant_hits" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "website_hours_website_id_environment_hour_pk" PRIMARY KEY("website_id","environment","hour")
);
