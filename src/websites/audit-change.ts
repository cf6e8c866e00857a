import { recordAudit } from '../accounts/audit.ts';
import type { Tx } from '../db/client.ts';
import type { Actor } from '../vocabulary/actor.ts';
import type { Website, WebsiteHost } from './website.ts';

/** A website in the audit log. */
export const websiteTarget = ({ id, name }: Pick<Website, 'id' | 'name'>): string => `${name} (${id})`;

type Audited = Pick<Website, (typeof WEBSITE_OPTIONS)[number][1]> & { hosts: WebsiteHost[] };

/** Records changed hosts and changed options, each in an entry with the values before and after. */
export async function auditChange(
  tx: Tx,
  actor: Actor,
  before: Audited & Pick<Website, 'id'>,
  after: Audited,
): Promise<void> {
  const target = websiteTarget(before);
  const hosts = { before: hostsOf(before), after: hostsOf(after) };
  if (JSON.stringify(hosts.before) !== JSON.stringify(hosts.after))
    await recordAudit(tx, actor, { action: 'website.hosts_changed', target, details: hosts });
  const changed = WEBSITE_OPTIONS.filter(([, field]) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  if (changed.length === 0) return;
  const valuesOf = (website: Audited) => Object.fromEntries(changed.map(([name, field]) => [name, website[field]]));
  const details = { before: valuesOf(before), after: valuesOf(after) };
  await recordAudit(tx, actor, { action: 'website.updated', target, details });
}

const hostsOf = ({ hosts }: Audited) => hosts.map(({ hostname, environment }) => ({ hostname, environment }));

/** Options by their names in the API. */
export const WEBSITE_OPTIONS = [
  ['name', 'name'],
  ['case_sensitive', 'caseSensitive'],
  ['trailing_slash', 'trailingSlash'],
  ['query', 'query'],
  ['fallback_url', 'fallbackUrl'],
  ['allowed_target_hosts', 'allowedTargetHosts'],
  ['auto_deploy', 'autoDeploy'],
  ['on_loop', 'onLoop'],
  ['gated_environments', 'gatedEnvironments'],
] as const;
