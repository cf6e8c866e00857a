/** URLs of the dashboard's pages and of the websites that Detour serves. */
import { type Environment, isEnvironment } from '../../src/vocabulary/environment.ts';
import type { Website } from './api/client/wire.ts';
import type { ReviewedAction } from './api/deployments.ts';

/**
 * The parameters of a path that matches a pattern such as `/websites/:websiteId/redirects/:redirectId?`, whose last part
 * may be missing; undefined if it does not match.
 */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const parts = path.replace(/(?<=.)\/$/, '').split('/');
  const names = pattern.split('/');
  if (parts.length > names.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? '';
    if (name.startsWith(':') && part !== '') params[name.replace(/[:?]/g, '')] = part;
    else if (name !== part && !name.endsWith('?')) return undefined;
  }
  return params;
}

/** The `environment` of a page's query; production if it is missing or unknown. */
export function environmentIn(query: URLSearchParams): Environment {
  const name = query.get('environment') ?? '';
  return isEnvironment(name) ? name : 'production';
}

/** A path for an environment, without a parameter for production, which is the default. */
export const environmentUrl = (path: string, environment: Environment | null): string =>
  environment === null || environment === 'production' ? path : `${path}?environment=${environment}`;

/** The page of a redirect. */
export const redirectUrl = (websiteId: number, redirectId: number | string): string =>
  `/websites/${websiteId}/redirects/${redirectId}`;

/** The activity of a website: of the redirects with a path, or with the panel of a change open. */
export function activityUrl(websiteId: number, parameters: Record<string, string> = {}): string {
  const text = new URLSearchParams(parameters).toString();
  return `/websites/${websiteId}/activity${text && `?${text}`}`;
}

/** The path of a pasted URL; any other text as it is. */
export function pathOf(text: string): string {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url ? url.pathname + url.search : text;
}

/** The https URL of a host. Hosts under `.localhost` use the scheme and port of this page. */
export function hostUrl(hostname: string, path = '/'): string {
  const isLocal = hostname.endsWith('.localhost');
  return isLocal
    ? `${location.protocol}//${hostname}${location.port && `:${location.port}`}${path}`
    : `https://${hostname}${path}`;
}

/** The URL of a path as visitors request it; undefined if the environment has no verified exact host that serves rules. */
export function liveUrl(website: Website, environment: Environment, path: string): string | undefined {
  const hostname = firstHost(website, environment);
  return hostname === undefined ? undefined : hostUrl(hostname, path);
}

/** The first verified exact host of an environment that serves rules. */
export const firstHost = ({ hosts }: Website, environment: Environment): string | undefined =>
  hosts.find(
    (each) => each.environment === environment && each.verified && !each.redirect_to && !each.hostname.startsWith('*.'),
  )?.hostname;

/** The page that shows the whole difference before a deployment. `force`: without a check of the expectations. */
export function reviewUrl(
  websiteId: number,
  environment: Environment,
  reviewed: ReviewedAction,
  { force = false }: { force?: boolean } = {},
): string {
  const query = new URLSearchParams({ environment, action: reviewed.action });
  if (reviewed.action === 'promote') query.set('source', reviewed.source);
  if (reviewed.action === 'rollback') query.set('version', String(reviewed.version));
  if (force) query.set('force', 'true');
  return `/websites/${websiteId}/deployments/review?${query.toString()}`;
}

/** The reviewed action of a page's query; a deployment if it is missing or unknown. */
export function reviewedIn(query: URLSearchParams): ReviewedAction {
  const action = query.get('action');
  const source = query.get('source') ?? '';
  const version = query.get('version') ?? '';
  if (action === 'promote' && isEnvironment(source)) return { action, source };
  if (action === 'rollback' && /^[1-9]\d{0,8}$/.test(version)) return { action, version: Number(version) };
  return { action: 'deploy' };
}

export const savedViewUrl = (websiteId: number, { query }: { query: string }): string =>
  `/websites/${websiteId}/redirects?${query}`;

/** The next step after a change that has no effect before a deployment; undefined if it deploys automatically. */
export const deployStep = (
  { id, auto_deploy: isAutomatic, held_environments: held }: Website,
  environment: Environment,
): { label: string; href: string } | undefined =>
  isAutomatic && !held.includes(environment)
    ? undefined
    : { label: 'Deploy', href: reviewUrl(id, environment, { action: 'deploy' }) };
