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
  query: {
    website_id: number;
    environment: Environment;
    /** `live` (default), `draft` or the number of a version */
    from?: string;
    /** likewise; default `draft` */
    to?: string;
    q?: string | undefined;
    cursor?: string | undefined;
  },
  signal?: AbortSignal,
) => call<Diff>('GET', '/api/deployments/diff', { query, signal });

/** `max_removals`: with more removed live redirects, the service queues nothing and responds TOO_MANY_REMOVALS. */
interface Guarded {
  max_removals: number;
  note: string | undefined;
}

export const deploy = (body: Guarded & { website_id: number; environment: Environment }) =>
  call<OneDeployment>('POST', '/api/deployments', { body });

export const rollBack = (body: Guarded & { website_id: number; environment: Environment; version: number }) =>
  call<OneDeployment>('POST', '/api/deployments/rollback', { body });

export const promote = (body: Guarded & { website_id: number; from: Environment; to: Environment }) =>
  call<OneDeployment>('POST', '/api/deployments/promote', { body });
