-- Webhooks: receivers, the queue of deliveries and the log of attempts. By hand: the partitions of attempts (retention drops whole
-- days) and the storage parameters (a delivery is rewritten twice within moments, a webhook with every outcome). New tables
-- only: nothing waits for a lock.
CREATE TABLE "attempts" (
	"day" date NOT NULL,
	"delivery_id" bigint NOT NULL,
	"attempt_no" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"outcome" text NOT NULL,
	"status" integer,
	"error" text,
	"response_body" text,
	"signed_with" text,
	"superseded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "attempts_delivery_id_attempt_no_day_pk" PRIMARY KEY("delivery_id","attempt_no","day")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"webhook_id" text NOT NULL,
	"event_day" date NOT NULL,
	"event_id" text NOT NULL,
	"event" text NOT NULL,
	"kind" text DEFAULT 'event' NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempt_no" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"locked_by" integer,
	"lease_until" timestamp with time zone,
	"last_status" integer,
	"last_error" text,
	"created_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	"test_body" text
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" integer NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_secret_until" timestamp with time zone,
	"sign_with" text DEFAULT 'current' NOT NULL,
	"max_in_flight" integer DEFAULT 8 NOT NULL,
	"fail_streak" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"exhausted" boolean DEFAULT false NOT NULL,
	"last_success_at" timestamp with time zone,
	"paused_until" timestamp with time zone,
	"deactivated_at" timestamp with time zone,
	"deactivated_reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_due_idx" ON "deliveries" USING btree ("webhook_id","due_at","id") WHERE "deliveries"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_sending_idx" ON "deliveries" USING btree ("webhook_id") WHERE "deliveries"."state" = 'sending';--> statement-breakpoint
CREATE INDEX "deliveries_webhook_id_idx" ON "deliveries" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_finished_at_idx" ON "deliveries" USING btree ("finished_at") WHERE "deliveries"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX "webhooks_account_id_idx" ON "webhooks" USING btree ("account_id","id");--> statement-breakpoint
-- Catches what has no day's partition; days are made ahead, so it stays empty.
CREATE TABLE "attempts_default" PARTITION OF "attempts" DEFAULT;
