-- Addresses that download a path once. Locks accounts in SHARE ROW EXCLUSIVE mode for milliseconds: the table is new and
-- empty.
CREATE TABLE "downloads" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"path" text NOT NULL,
	"credential" "bytea" NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "downloads" ADD CONSTRAINT "downloads_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "downloads_account_id_idx" ON "downloads" USING btree ("account_id","expires_at");
