-- People limited to websites. Locks invitations and users in ACCESS EXCLUSIVE mode, and users against writers (SHARE ROW EXCLUSIVE)
-- for the foreign key, for milliseconds: no row is rewritten. The new table has no foreign key to websites, so imports go on.
CREATE TABLE "user_websites" (
	"user_id" integer NOT NULL,
	"website_id" integer NOT NULL,
	"role" text NOT NULL,
	CONSTRAINT "user_websites_user_id_website_id_pk" PRIMARY KEY("user_id","website_id")
);
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "website_roles" jsonb;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "is_limited" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "user_websites" ADD CONSTRAINT "user_websites_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_websites_website_id_idx" ON "user_websites" USING btree ("website_id");