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
--> statement-breakpoint
-- Marks due deliveries as being sent by p_me and answers their ids, at most p_max of them. One claimer at a time over all processes
-- (the advisory lock p_lock lives for this one statement): only so are the numbers in flight exact. plpgsql and VOLATILE because
-- each of its statements then takes its snapshot after the lock. It answers ids only: a claimer that is stopped while it reads a
-- large answer would keep the lock. Held, and not claimed: what belongs to inactive webhooks, to those that asked for a pause and to accounts whose plan
-- has none. Webhooks take turns, quick ones first; those that are slow get p_max_slow of the places together: the failing ones,
-- and any with an attempt that has been under way for half a second, which hanging receivers show long before they fail.
-- The plan is cached and must hold from an empty queue to a long one, so only index scans are let in; `state || ''` keeps the partial
-- index away where the primary key is meant (a plan made on an empty queue read all that is pending: 100 ms a claim instead of 20).
CREATE FUNCTION claim_deliveries(p_lock int, p_me int, p_now timestamptz, p_lease_until timestamptz, p_plans text[], p_max int, p_max_slow int)
RETURNS TABLE (claimed_id bigint) LANGUAGE plpgsql VOLATILE SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(p_lock, 0);
  RETURN QUERY
  WITH RECURSIVE waiting (webhook_id) AS (
    (SELECT d.webhook_id FROM deliveries d WHERE d.state = 'pending' ORDER BY d.webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.webhook_id FROM deliveries d WHERE d.state = 'pending' AND d.webhook_id > waiting.webhook_id ORDER BY d.webhook_id LIMIT 1)
    FROM waiting WHERE waiting.webhook_id IS NOT NULL
  ), open AS (
    SELECT w.id, w.fail_streak >= 3 OR coalesce(f.oldest < p_lease_until - interval '0.5 seconds', false) AS slow, (w.max_in_flight - f.count)::int AS places
    FROM waiting JOIN webhooks w ON w.id = waiting.webhook_id JOIN accounts a ON a.id = w.account_id
      CROSS JOIN LATERAL (SELECT count(*), min(d.lease_until) AS oldest FROM deliveries d WHERE d.state = 'sending' AND d.webhook_id = w.id) f
    WHERE w.is_active AND (w.paused_until IS NULL OR w.paused_until <= p_now) AND a.plan = ANY (p_plans)
  ), due AS (
    SELECT c.id, c.due_at, open.slow, row_number() OVER (PARTITION BY open.id ORDER BY c.due_at, c.id) AS turn
    FROM open CROSS JOIN LATERAL (
      SELECT d.id, d.due_at FROM deliveries d WHERE d.state = 'pending' AND d.webhook_id = open.id AND d.due_at <= p_now
      ORDER BY d.due_at, d.id LIMIT greatest(open.places, 0)) c
  ), chosen AS MATERIALIZED (
    SELECT q.id FROM (SELECT due.*, row_number() OVER (PARTITION BY due.slow ORDER BY due.turn, due.due_at) AS place FROM due) q
    WHERE NOT q.slow OR q.place <= p_max_slow ORDER BY q.slow, q.turn, q.due_at LIMIT p_max
  ), locked AS MATERIALIZED (
    SELECT d.id FROM deliveries d JOIN chosen USING (id) WHERE d.state || '' = 'pending' FOR UPDATE OF d SKIP LOCKED
  )
  UPDATE deliveries d SET state = 'sending', attempt_no = d.attempt_no + 1, locked_by = p_me, lease_until = p_lease_until
  FROM locked WHERE d.id = locked.id RETURNING d.id;
END $$;
--> statement-breakpoint
-- Writes a batch of outcomes: what becomes of each delivery, how its receiver fares, and every attempt. An outcome counts only for the claim
-- that it belongs to (attempt_no, still being sent by p_me); one that was overtaken changes nothing and is logged as superseded.
-- Locks webhooks before deliveries, in the order of their ids, as all that lock both must.
--   p_finished: ord, id, webhook_id, attempt_no (of the claim), last_attempt_no, state, due_at, failures, status, error, verdict
--     ('success', 'failure', 'gone'; null where it says nothing of the receiver), paused_until, sign_with
--   p_attempts: delivery_id, attempt_no, started_at, duration_ms, outcome, status, error, response_body, signed_with
-- A success is written to a healthy webhook at most once a second: the row would otherwise be rewritten with every batch.
CREATE FUNCTION finish_deliveries(p_me int, p_now timestamptz, p_finished jsonb, p_attempts jsonb)
RETURNS TABLE (finished_id bigint) LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
BEGIN
  PERFORM 1 FROM webhooks w
  WHERE w.id IN (SELECT f ->> 'webhook_id' FROM jsonb_array_elements(p_finished) f)
    AND (w.id IN (SELECT f ->> 'webhook_id' FROM jsonb_array_elements(p_finished) f WHERE f ->> 'verdict' IS DISTINCT FROM 'success' OR f ->> 'sign_with' IS NOT NULL)
      OR w.fail_streak > 0 OR w.failing_since IS NOT NULL OR w.last_success_at IS NULL OR w.last_success_at < p_now - interval '1 second')
  ORDER BY w.id FOR NO KEY UPDATE;
  RETURN QUERY
  WITH x AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(p_finished) AS f (ord int, id bigint, webhook_id text, attempt_no int, last_attempt_no int, state text,
      due_at timestamptz, failures int, status int, error text, verdict text, paused_until timestamptz, sign_with text)
  ), done AS (
    UPDATE deliveries d SET
      state = CASE WHEN x.state = 'pending' AND w.id IS NULL THEN 'canceled' ELSE x.state END,
      attempt_no = x.last_attempt_no, failures = x.failures, due_at = coalesce(x.due_at, d.due_at), locked_by = NULL, lease_until = NULL,
      last_status = x.status, last_error = x.error, finished_at = CASE WHEN x.state <> 'pending' OR w.id IS NULL THEN p_now END
    FROM x LEFT JOIN webhooks w ON w.id = x.webhook_id
    WHERE d.id = x.id AND d.attempt_no = x.attempt_no AND d.state || '' = 'sending' AND d.locked_by = p_me
    RETURNING d.id, x.ord
  ), told AS (
    SELECT x.*, max(x.ord) FILTER (WHERE x.verdict = 'success') OVER (PARTITION BY x.webhook_id) AS success_ord
    FROM x JOIN done USING (ord) WHERE x.verdict IS NOT NULL
  ), fared AS (
    SELECT t.webhook_id, bool_or(t.verdict = 'success') AS succeeded, bool_or(t.verdict = 'gone') AS gone,
      count(*) FILTER (WHERE t.verdict <> 'success' AND t.ord > coalesce(t.success_ord, 0))::int AS failed,
      coalesce(bool_or(t.state = 'failed' AND t.ord > coalesce(t.success_ord, 0)), false) AS exhausted,
      max(t.paused_until) AS paused_until, (array_agg(t.sign_with ORDER BY t.ord DESC) FILTER (WHERE t.sign_with IS NOT NULL))[1] AS sign_with
    FROM told t GROUP BY t.webhook_id
  ), health AS (
    SELECT w.id, f.succeeded, f.gone, f.paused_until, f.sign_with,
      CASE WHEN f.succeeded THEN 0 ELSE w.fail_streak END + f.failed AS fail_streak,
      CASE WHEN f.failed > 0 THEN coalesce(CASE WHEN NOT f.succeeded THEN w.failing_since END, p_now) WHEN NOT f.succeeded THEN w.failing_since END AS failing_since,
      f.exhausted OR (w.exhausted AND NOT f.succeeded) AS exhausted
    FROM webhooks w JOIN fared f ON f.webhook_id = w.id
    WHERE f.failed > 0 OR f.gone OR f.sign_with IS NOT NULL OR w.fail_streak > 0 OR w.failing_since IS NOT NULL
      OR w.last_success_at IS NULL OR w.last_success_at < p_now - interval '1 second'
  ), kept AS (
    UPDATE webhooks w SET fail_streak = h.fail_streak, failing_since = h.failing_since, exhausted = h.exhausted,
      last_success_at = CASE WHEN h.succeeded THEN p_now ELSE w.last_success_at END,
      paused_until = CASE WHEN greatest(w.paused_until, h.paused_until) > p_now THEN greatest(w.paused_until, h.paused_until) END,
      sign_with = coalesce(h.sign_with, w.sign_with),
      is_active = w.is_active AND NOT v.over,
      deactivated_at = CASE WHEN w.is_active AND v.over THEN p_now ELSE w.deactivated_at END,
      deactivated_reason = CASE WHEN w.is_active AND v.over THEN CASE WHEN h.gone THEN 'gone' ELSE 'failing' END ELSE w.deactivated_reason END
    FROM health h CROSS JOIN LATERAL (SELECT h.gone OR coalesce(h.exhausted AND h.failing_since <= p_now - interval '8 days', false) AS over) v
    WHERE w.id = h.id
  ), logged AS (
    INSERT INTO attempts AS a (day, delivery_id, attempt_no, started_at, duration_ms, outcome, status, error, response_body, signed_with, superseded)
    SELECT (t.started_at AT TIME ZONE 'UTC')::date, t.delivery_id, t.attempt_no, t.started_at, t.duration_ms, t.outcome, t.status, t.error, t.response_body,
      t.signed_with, t.delivery_id NOT IN (SELECT done.id FROM done)
    FROM jsonb_to_recordset(p_attempts) AS t (delivery_id bigint, attempt_no int, started_at timestamptz, duration_ms int, outcome text, status int,
      error text, response_body text, signed_with text)
    ON CONFLICT (delivery_id, attempt_no, day) DO UPDATE SET started_at = excluded.started_at, duration_ms = excluded.duration_ms, outcome = excluded.outcome,
      status = excluded.status, error = excluded.error, response_body = excluded.response_body, signed_with = excluded.signed_with, superseded = true
    WHERE a.outcome = 'interrupted' AND excluded.outcome <> 'interrupted'
  )
  SELECT done.id FROM done;
END $$;
