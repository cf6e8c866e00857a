import { systemActorByEmail } from '../accounts/system-actor.ts';
import type { Db } from '../db/connection/client.ts';
import { listDeployments } from '../deployments/publish/deployment.ts';
import type { RedirectFields } from '../redirects/rule/redirect.ts';
import { ALWAYS } from '../rules/schedule.ts';
import { createRedirect } from '../redirects/write/single.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { DomainError } from '../vocabulary/error.ts';
import type { HostRules } from '../websites/service-hosts.ts';
import { createWebsite } from '../websites/store.ts';
import { listWebsites, type WebsiteHost } from '../websites/website.ts';
import type { Credentials } from './credentials.ts';

export const DEMO_PATH = '/old-page';

export const DEMO_HOSTS: WebsiteHost[] = [
  { hostname: 'demo.localhost', environment: 'production' },
  { hostname: 'staging.demo.localhost', environment: 'staging' },
  { hostname: 'dev.demo.localhost', environment: 'development' },
];

const DEMO: RedirectFields = {
  oldPath: DEMO_PATH,
  newPath: '/new-page',
  statusCode: 301,
  isRegex: false,
  groupId: 'demo',
  notes: null,
  environments: ['production', 'staging', 'development'],
  ...ALWAYS,
};

const DEMO_REDIRECTS: RedirectFields[] = [
  DEMO,
  { ...DEMO, oldPath: '/sale', newPath: '/offers/summer', statusCode: 302 },
  { ...DEMO, oldPath: '/blog/(\\d{4})/(.+)', newPath: '/articles/$2?year=$1', isRegex: true },
  { ...DEMO, oldPath: '/discontinued', newPath: null, statusCode: 410 },
  {
    ...DEMO,
    oldPath: '/beta',
    newPath: '/preview',
    statusCode: 307,
    environments: ['staging', 'development'],
  },
];

/** Creates the demo website, or completes one from an interrupted start. Returns its id. */
export async function createDemoWebsite(db: Db, actor: Actor, rules: HostRules): Promise<number> {
  const [existing] = await listWebsites(db, actor);
  const input = { name: 'Demo', hosts: DEMO_HOSTS };
  const { id } = existing ?? (await createWebsite(db, actor, input, rules));
  for (const redirect of DEMO_REDIRECTS) {
    await createRedirect(db, actor, id, redirect).catch((error: unknown) => {
      const isCreated = existing && error instanceof DomainError && error.code === 'CONFLICT';
      if (!isCreated) throw error;
    });
  }
  return id;
}

/** Returns whether the demo website is live, so that the printed command works. */
export async function readDemoState(db: Db, credentials: Credentials): Promise<'pending' | 'live' | 'failed'> {
  const actor = await systemActorByEmail(db, credentials.email);
  const deployments = await listDeployments(db, actor, { websiteId: credentials.website_id });
  if (deployments.some(({ status }) => status === 'failed')) return 'failed';
  const isLive = deployments.length > 0 && deployments.every(({ status }) => status === 'completed');
  return isLive ? 'live' : 'pending';
}
