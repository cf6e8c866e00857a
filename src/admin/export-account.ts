/** Writes everything of an account as files. docs/operations.md says how to import them. */
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { accountWithUsage } from '../accounts/account.ts';
import { listApiKeys } from '../accounts/api-key.ts';
import { recordAudit } from '../accounts/audit.ts';
import { listUsers } from '../accounts/user.ts';
import { type Db, withClient } from '../db/connection/client.ts';
import { copyOut } from '../db/copy/copy-out.ts';
import { listAgents } from '../deployments/agents/list-agents.ts';
import { exportExpectations } from '../expectations/list.ts';
import { exportRedirects } from '../redirects/export/export-redirects.ts';
import { listNotices } from '../notices/notice.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { listAccepted } from '../urls/accepted.ts';
import { systemClock } from '../platform/clock.ts';
import { exportUrls } from '../urls/export-urls.ts';
import { listUrlLists } from '../urls/lists.ts';
import type { Environment } from '../vocabulary/environment.ts';
import { listWebhooks } from '../webhooks/receivers/webhook.ts';
import { websiteOptions } from '../websites/audit-change.ts';
import { domainRedirectWire, listWebsites, requireWebsite, type Website } from '../websites/website.ts';

/**
 * Writes `account.json`, and a folder per website with `website.json` (a body of POST /api/websites),
 * `redirects.ndjson` (a body of POST /api/v1/redirects/bulk), `expectations.ndjson` (a body of PUT
 * /api/v1/websites/{id}/expectations), `urls.ndjson` and a file for each list of URLs, `accepted-losses.json`, `agents.json` (as last seen), `hits.csv` and `hit-sources.csv` (sums by day). Streams, so that memory does
 * not grow with the number of redirects. Without passwords, keys and secrets. Throws if `folder` exists.
 */
export async function exportAccount(db: Db, actor: Actor, folder: string, now: Date): Promise<{ websites: number }> {
  mkdirSync(folder, { mode: 0o700 });
  writeJson(join(folder, 'account.json'), await describeAccount(db, actor, now));
  const websites = await listWebsites(db, actor);
  for (const website of websites) {
    const own = join(folder, `website-${website.id}`);
    mkdirSync(own);
    writeJson(join(own, 'website.json'), websiteBody(await requireWebsite(db, actor, website.id)));
    const input = {
      websiteId: website.id,
      format: 'ndjson',
      filter: {},
      filters: {},
      environment: undefined,
      version: 'draft',
    } as const;
    const redirects = exportRedirects({ db, streams: db }, actor, { ...input, lossy: false }, now);
    await pipeline(Readable.from(redirects), createWriteStream(join(own, 'redirects.ndjson')));
    const expectations = exportExpectations(db, actor, input);
    await pipeline(Readable.from(expectations), createWriteStream(join(own, 'expectations.ndjson')));
    await writeUrls(db, actor, website.id, own);
    writeJson(join(own, 'agents.json'), await describeAgents(db, actor, website.id));
    await writeHits(db, website.id, join(own, 'hits.csv'));
    await writeHitSources(db, website.id, join(own, 'hit-sources.csv'));
  }
  await recordAudit(db, actor, { action: 'account.exported', details: { websites: websites.length } });
  return { websites: websites.length };
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

async function describeAccount(db: Db, actor: Actor, now: Date) {
  const { id, plan, createdAt } = await accountWithUsage(db, actor, now);
  const users = (await listUsers(db, actor)).map((user) => ({
    email: user.email,
    role: user.role,
    website_roles: user.websiteRoles,
    created_at: user.createdAt,
  }));
  const apiKeys = (await listApiKeys(db, actor)).map((key) => ({
    name: key.name,
    scope: key.scope,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
  }));
  const webhooks = (await listWebhooks(db, actor)).map(({ name, url, events, isActive }) => ({
    name,
    url,
    events,
    is_active: isActive,
  }));
  const notices = (await listNotices(db, actor)).map((notice) => ({
    name: notice.name,
    channel: { type: notice.channel, ...(notice.channel === 'email' && { to: notice.address }) },
    kinds: notice.kinds,
    website_ids: notice.websiteIds,
    is_active: notice.isActive,
    time_zone: notice.timeZone,
  }));
  const account = { id, plan, created_at: createdAt };
  return { exported_at: now, account, users, api_keys: apiKeys, webhooks, notices };
}

function websiteBody(website: Website): Record<string, unknown> {
  const options = websiteOptions(website);
  const hosts = website.hosts.map(({ hostname, environment, redirectTo }) => ({
    hostname,
    environment,
    ...(redirectTo && { redirect_to: domainRedirectWire(redirectTo) }),
  }));
  return { ...options, hosts };
}

async function describeAgents(db: Db, actor: Actor, websiteId: number) {
  return (await listAgents(db, actor, websiteId)).map(({ environment, name, kind, version, lastSeenAt }) => ({
    environment,
    name,
    kind,
    version,
    last_seen_at: lastSeenAt,
  }));
}

/** `urls.ndjson` is a body of POST .../urls, and each list one of PUT .../urls/living for its environment and name. */
async function writeUrls(db: Db, actor: Actor, websiteId: number, own: string): Promise<void> {
  const write = (file: string, filter: { environment: Environment; list?: string }): Promise<void> =>
    pipeline(
      Readable.from(
        exportUrls(db, actor, { websiteId, ...filter, format: 'ndjson' }, { live: undefined, now: systemClock.now() }),
      ),
      createWriteStream(join(own, file)),
    );
  await write('urls.ndjson', { environment: 'production' });
  for (const { list, environment } of await listUrlLists(db, actor, { websiteId }))
    await write(`urls-${environment}-${list.replaceAll(':', '_')}.ndjson`, { environment, list });
  writeJson(join(own, 'accepted-losses.json'), { accepted: await listAccepted(db, actor, websiteId) });
}

/** One row per day, environment and redirect; without a redirect, the website's own sums. */
async function writeHits(db: Db, websiteId: number, file: string): Promise<void> {
  const query = `copy (
    select day, environment, redirect_id, hits, bot_hits, assistant_hits, null::bigint as unmatched from redirect_hits where website_id = ${websiteId}
    union all select day, environment, null, hits, bot_hits, assistant_hits, unmatched from website_hits where website_id = ${websiteId}
  ) to stdout with (format csv, header)`;
  await writeCopy(db, query, file);
}

/** One row per day, environment, redirect and source; without a redirect, the website's own sums. */
async function writeHitSources(db: Db, websiteId: number, file: string): Promise<void> {
  const rowsOf = (table: string, redirectId: string, column: string): string =>
    `select day, environment, ${redirectId} as redirect_id, '${column}' as kind, e.key as name, e.value as hits
     from ${table} cross join lateral jsonb_each_text(${column}) e where website_id = ${websiteId}`;
  const rows = ['referrers', 'utm_sources'].flatMap((column) => [
    rowsOf('redirect_hits', 'redirect_id', column),
    rowsOf('website_hits', 'null::bigint', column),
  ]);
  rows.push(
    `select day, environment, null::bigint, 'agents', name, (hits + unmatched)::text from named_hits where website_id = ${websiteId}`,
  );
  await writeCopy(db, `copy (${rows.join(' union all ')}) to stdout with (format csv, header)`, file);
}

async function writeCopy(db: Db, query: string, file: string): Promise<void> {
  await withClient(db, (client) => pipeline(client.query(copyOut(query)), createWriteStream(file)));
}
