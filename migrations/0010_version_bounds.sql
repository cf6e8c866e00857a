-- The versions that can end the run of an unchanged rule, and a trigger that maintains them: deployed_to_* no longer costs more with each
-- version. Locks versions against writers (SHARE ROW EXCLUSIVE: deployments wait, readers do not) while it is read once, about 5 s a
-- million versions, and at the end in ACCESS EXCLUSIVE mode for milliseconds, to drop an index.
CREATE TABLE "version_bounds" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"rules_env" text NOT NULL,
	"bound" text NOT NULL,
	"rules_rev" integer NOT NULL,
	"version" integer NOT NULL,
	CONSTRAINT "version_bounds_pkey" PRIMARY KEY("website_id","environment","rules_env","bound","rules_rev")
);
--> statement-breakpoint
CREATE TABLE "version_hosts" (
	"website_id" integer NOT NULL,
	"environment" text NOT NULL,
	"hosts_hash" text NOT NULL,
	"target_hosts" text[] NOT NULL,
	"version" integer NOT NULL,
	CONSTRAINT "version_hosts_website_id_environment_hosts_hash_pk" PRIMARY KEY("website_id","environment","hosts_hash")
);
--> statement-breakpoint
-- A version is inserted under the lock of its environment, with the largest number: each row it removes is never needed again.
CREATE FUNCTION keep_version_bounds() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  DELETE FROM version_bounds
  WHERE website_id = NEW.website_id AND environment = NEW.environment AND rules_env = NEW.rules_env
    AND bound = 'low' AND rules_rev >= NEW.rules_rev;
  DELETE FROM version_bounds
  WHERE website_id = NEW.website_id AND environment = NEW.environment AND rules_env = NEW.rules_env
    AND bound = 'high' AND rules_rev <= NEW.rules_rev;
  INSERT INTO version_bounds (website_id, environment, rules_env, bound, rules_rev, version)
  SELECT NEW.website_id, NEW.environment, NEW.rules_env, bound, NEW.rules_rev, NEW.version
  FROM unnest(array['low', 'high']) AS bound;
  IF NEW.target_hosts IS NOT NULL THEN
    INSERT INTO version_hosts (website_id, environment, hosts_hash, target_hosts, version)
    VALUES (NEW.website_id, NEW.environment, md5(NEW.target_hosts::text), NEW.target_hosts, NEW.version)
    ON CONFLICT (website_id, environment, hosts_hash) DO UPDATE SET version = excluded.version;
  END IF;
  RETURN NULL;
END $body$;
--> statement-breakpoint
CREATE TRIGGER keep_version_bounds AFTER INSERT ON versions FOR EACH ROW EXECUTE FUNCTION keep_version_bounds();
--> statement-breakpoint
INSERT INTO version_bounds (website_id, environment, rules_env, bound, rules_rev, version)
SELECT website_id, environment, rules_env, 'low', rules_rev, version FROM (
  SELECT v.*, min(rules_rev) OVER (PARTITION BY website_id, environment, rules_env ORDER BY version DESC
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS later FROM versions v) v
WHERE later IS NULL OR rules_rev < later
UNION ALL
SELECT website_id, environment, rules_env, 'high', rules_rev, version FROM (
  SELECT v.*, max(rules_rev) OVER (PARTITION BY website_id, environment, rules_env ORDER BY version DESC
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS later FROM versions v) v
WHERE later IS NULL OR rules_rev > later;
--> statement-breakpoint
INSERT INTO version_hosts (website_id, environment, hosts_hash, target_hosts, version)
SELECT DISTINCT ON (website_id, environment, md5(target_hosts::text))
  website_id, environment, md5(target_hosts::text), target_hosts, version
FROM versions WHERE target_hosts IS NOT NULL
ORDER BY website_id, environment, md5(target_hosts::text), version DESC;
--> statement-breakpoint
DROP INDEX "versions_left_out_idx";
