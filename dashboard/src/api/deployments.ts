import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';
import type { Deployment } from './wire.ts';

export interface DiffRule {
  old_path: string;
  new_path: string | null;
  status_code: number;
  is_regex: boolean;
}

/** What a deployment would change now: the first 1,000 of each kind, the counts exact. */
export interface Diff {
  added: (DiffRule & { id: number })[];
  changed: { id: number; before: DiffRule; after: DiffRule }[];
  removed: (DiffRule & { id: number })[];
  counts: { added: number; changed: number; removed: number };
  next_cursor: string | null;
}

interface OneDeployment {
  deployment: Deployment;
}

export const listDeployments = (
  query: { website_id: number; environment?: Environment | undefined; limit: number },
  signal?: AbortSignal,
) => call<{ deployments: Deployment[] }>('GET', '/api/deployments', { query, signal });

export const fetchDiff = (
  query: { website_id: number; environment: Environment; cursor?: string | undefined },
  signal?: AbortSignal,
) => call<Diff>('GET', '/api/deployments/diff', { query, signal });

export const deploy = (body: { website_id: number; environment: Environment }) =>
  call<OneDeployment>('POST', '/api/deployments', { body });

export const rollBack = (body: { website_id: number; environment: Environment; version: number }) =>
  call<OneDeployment>('POST', '/api/deployments/rollback', { body });

export const promote = (body: { website_id: number; from: Environment; to: Environment }) =>
  call<OneDeployment>('POST', '/api/deployments/promote', { body });
