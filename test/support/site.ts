/** Creates websites and redirects as a client does, and waits for deployments. */
import { expect } from 'vitest';
import type { TestAccount } from './detour.ts';
import { until } from './wait.ts';
import { expectStatus } from './expect-status.ts';

/** The parts of an account that these helpers need. */
export type Caller = Pick<TestAccount, 'call'>;

export interface DeploymentAnswer {
  id: string;
  website_id: number;
  environment: string;
  kind: string;
  source: { environment: string; version: number } | null;
  status: 'queued' | 'running' | 'completed' | 'failed';
  version: number | null;
  redirect_count: number | null;
  changes: { added: number; changed: number; removed: number } | null;
  warnings: { code: string; old_paths: string[]; growing?: boolean }[];
  created_at: string;
  started_at: string | null;
  deployed_at: string | null;
  error: string | null;
  forced: boolean;
  targeting: string | null;
  change_id: string | null;
  note: string | null;
  actor: { type: string; id: string; name: string };
}

/** Creates a website and returns its id. `hosts` without an environment are production hosts. */
export async function createSite(
  owner: Caller,
  hosts: (string | { hostname: string; environment: string })[],
  options: Record<string, unknown> = {},
): Promise<number> {
  const { status, text, body } = await owner.call('POST', '/api/websites', {
    name: `website ${JSON.stringify(hosts)}`.slice(0, 200),
    hosts: hosts.map((host) => (typeof host === 'string' ? { hostname: host, environment: 'production' } : host)),
    ...options,
  });
  expectStatus({ status, text }, 201);
  return body.website.id;
}

/** Creates a redirect and returns its id. */
export async function addRedirect(
  owner: Caller,
  websiteId: number,
  fields: Record<string, unknown> & { old_path: string },
): Promise<number> {
  const { status, text, body } = await owner.call('POST', '/api/redirects', {
    website_id: websiteId,
    ...fields,
  });
  expectStatus({ status, text }, 201);
  return body.redirect.id;
}

export async function deploymentsOf(
  owner: Caller,
  websiteId: number,
  environment?: string,
): Promise<DeploymentAnswer[]> {
  const suffix = environment === undefined ? '' : `&environment=${environment}`;
  return (await owner.call('GET', `/api/deployments?limit=1000&website_id=${websiteId}${suffix}`)).body.deployments;
}

/** Waits until no deployment of the website is queued or running. Returns its deployments, newest first. */
export function settled(
  owner: Caller,
  websiteId: number,
  environment?: string,
  withinMs?: number,
): Promise<DeploymentAnswer[]> {
  return until(async () => {
    const all = await deploymentsOf(owner, websiteId, environment);
    return all.every(({ status }) => status === 'completed' || status === 'failed') && all;
  }, withinMs);
}

/** Starts a deployment and waits for its end. */
export async function deploy(owner: Caller, websiteId: number, environment = 'production'): Promise<DeploymentAnswer> {
  const { status, body } = await owner.call('POST', '/api/deployments', {
    website_id: websiteId,
    environment,
  });
  expect(status).toBe(202);
  return ended(owner, body.deployment.id);
}

export function ended(owner: Caller, id: string): Promise<DeploymentAnswer> {
  return until(async () => {
    const { deployment } = (await owner.call('GET', `/api/deployments/${id}`)).body;
    return (deployment.status === 'completed' || deployment.status === 'failed') && deployment;
  });
}
