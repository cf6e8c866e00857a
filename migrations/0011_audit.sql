-- The audit log, and the creator of API keys. Locks api_keys in ACCESS EXCLUSIVE mode for milliseconds, to add empty columns, and
-- accounts against writers (SHARE ROW EXCLUSIVE) for milliseconds, to refer to it.
CREATE TABLE "audit" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"action" text NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_name" text NOT NULL,
	"target" text,
	"details" jsonb,
	"address" text,
	"user_agent" text
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "used_address" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "created_by_type" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "created_by_id" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "created_by_name" text;--> statement-breakpoint
ALTER TABLE "audit" ADD CONSTRAINT "audit_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_account_id_idx" ON "audit" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "audit_action_idx" ON "audit" USING btree ("account_id","action","id");--> statement-breakpoint
CREATE INDEX "audit_created_at_idx" ON "audit" USING brin ("created_at");