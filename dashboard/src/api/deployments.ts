import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client.ts';
import type { Deployment, Diff } from './wire.ts';

interface OneDeployment {
  deployment: Deployment;
}

export const listDeployments = (
  query: { website_id?: number; environment?: Environment | undefined; limit: number },
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
