-- Mail about users. Locks webhooks and deliveries in ACCESS EXCLUSIVE mode, and invitations against writers (SHARE ROW EXCLUSIVE),
-- for milliseconds: no row is rewritten or read. A mail that waits for an attempt is canceled when its link ends, by any statement.
CREATE TABLE "password_requests" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "password_requests_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"email_hash" "bytea" NOT NULL,
	"email" text,
	"address" text,
	"user_agent" text,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhooks" ALTER COLUMN "secret" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "message" "bytea";--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "channel" text DEFAULT 'webhook' NOT NULL;--> statement-breakpoint
CREATE INDEX "password_requests_idx" ON "password_requests" USING btree ("email_hash","at");--> statement-breakpoint
CREATE INDEX "password_requests_waiting_idx" ON "password_requests" USING btree ("id") WHERE "password_requests"."email" is not null;--> statement-breakpoint
CREATE FUNCTION cancel_mail() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  UPDATE deliveries SET state = 'canceled', finished_at = now(), message = NULL
    WHERE webhook_id = 'mail_' || old.account_id AND state = 'pending' AND event_id = old.id;
  RETURN NULL;
END $body$;--> statement-breakpoint
CREATE TRIGGER cancel_mail AFTER DELETE ON invitations FOR EACH ROW EXECUTE FUNCTION cancel_mail();
