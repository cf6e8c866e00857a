import type { ServerSite } from '../../../../src/formats/write/servers/server-format.ts';
import type { TargetedRule } from '../../../../src/formats/write/servers/server-format.ts';

/** The production environment of a website on www.example.com. */
export function serverSite(options: Partial<ServerSite['website']> = {}): ServerSite {
  const hosts = ['www.example.com'];
  return {
    website: { id: 7, caseSensitive: true, trailingSlash: 'ignore', query: 'pass', ...options },
    environment: 'production',
    hosts,
    ownHosts: new Set(hosts),
    state: 'version 3 of production',
  };
}

/** The redirect /a -> /b. */
export function targetedRule(values: Partial<TargetedRule> = {}): TargetedRule {
  return {
    id: '5',
    key: '/a',
    oldPath: '/a',
    newPath: '/b',
    statusCode: 301,
    isRegex: false,
    isScheduled: false,
    companions: [],
    ...values,
  };
}
