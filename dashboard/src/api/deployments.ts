import type { Environment } from '../../../src/vocabulary/environment.ts';
import { call } from './client/client.ts';
import type { Agent, Deployment, Diff, EnvironmentState, GateFailure } from './client/wire.ts';

interface OneDeployment {
  deployment: Deployment;
}

export const listDeployments = (
  query: {
    website_id?: number;
    environment?: Environment | undefined;
    created_since?: string;
    created_before?: string;
    limit: number;
  },
  signal?: AbortSignal,
) => call<{ deployments: Deployment[] }>('GET', '/api/deployments', { query, signal });

export const fetchDiff = (
  query: {
    website_id: number;
    environment: Environment;
    /** `live` (default), `draft`, `none` or the number of a version */
    from?: string;
    /** likewise; default `draft` */
    to?: string;
    /** of `to`; default: environment */
    to_environment?: Environment | undefined;
    /** what publishing `to` would publish */
    as_published?: boolean | undefined;
    q?: string | undefined;
    /** lists only these entries; the counts are of all */
    kind?: keyof Diff['counts'] | 'not_targeted' | undefined;
    cursor?: string | undefined;
  },
  signal?: AbortSignal,
) => call<Diff>('GET', '/api/deployments/diff', { query, signal });

export const fetchDeployment = (id: string, signal?: AbortSignal) =>
  call<OneDeployment>('GET', `/api/deployments/${id}`, { signal });

/** The first 1,000 failures of each kind of a failed deployment. */
export const fetchFailures = (deploymentId: string, signal: AbortSignal) =>
  call<{ failures: GateFailure[] }>('GET', `/api/deployments/${deploymentId}/failures`, { signal });

/** The state of each environment: its live version, and how many changes wait. */
export const fetchEnvironmentStates = (websiteId: number, signal: AbortSignal) =>
  call<{ environments: EnvironmentState[] }>('GET', `/api/websites/${websiteId}/environments`, { signal });

export const listAgents = (websiteId: number, signal: AbortSignal) =>
  call<{ agents: Agent[] }>('GET', `/api/websites/${websiteId}/agents`, { signal });

export const forgetAgent = (websiteId: number, { environment, name }: Pick<Agent, 'environment' | 'name'>) =>
  call('DELETE', `/api/websites/${websiteId}/agents`, { query: { environment, name } });

/** An action that publishes a version: of the current redirects, of another environment, or a former one. */
export type ReviewedAction =
  { action: 'deploy' } | { action: 'promote'; source: Environment } | { action: 'rollback'; version: number };

interface PublishOptions {
  website_id: number;
  environment: Environment;
  /** with more removed live redirects, the service queues nothing and responds TOO_MANY_REMOVALS */
  max_removals: number;
  note?: string | undefined;
  /** publishes the version even if expectations do not hold */
  force?: boolean | undefined;
  /** of a deployment: also if a rollback or promotion holds the environment */
  resume?: boolean | undefined;
}

/** A promotion also adds its environment to the redirects, so that the next deployment keeps them. */
export function publish(reviewed: ReviewedAction, { environment, resume = false, ...options }: PublishOptions) {
  const send = (path: string, body: object) => call<OneDeployment>('POST', `/api/deployments${path}`, { body });
  if (reviewed.action === 'promote')
    return send('/promote', { ...options, from: reviewed.source, to: environment, targeting: 'extend' });
  if (reviewed.action === 'deploy') return send('', { ...options, environment, resume });
  return send('/rollback', { ...options, environment, version: reviewed.version });
}

/** True if a gate stopped the deployment with this error. */
export const isGateError = (error: string | null): error is string =>
  /^(EXPECTATIONS_FAILED|URLS_LOST): /.test(error ?? '');
