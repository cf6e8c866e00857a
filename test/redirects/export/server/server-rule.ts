import { hostNames } from '../../../../src/resolver/host-table.ts';
import { proofOf } from '../../../../src/websites/txt-record.ts';
import type { ServerSite } from '../../../../src/formats/write/servers/server-format.ts';
import type { TargetedRule } from '../../../../src/redirects/export/server/server-rows.ts';
import type { WebsiteOptions } from '../../../../src/websites/website.ts';

const time = new Date('2030-01-01T00:00:00Z');

/** The production environment of a website on www.example.com. */
export function serverSite(options: Partial<WebsiteOptions> = {}): ServerSite {
  const website: ServerSite['website'] = {
    id: 7,
    accountId: 3,
    name: 'site',
    caseSensitive: true,
    trailingSlash: 'ignore',
    query: 'pass',
    fallbackUrl: null,
    allowedTargetHosts: [],
    autoDeploy: false,
    onLoop: 'warn',
    gatedEnvironments: [],
    headRev: 1,
    history: null,
    createdAt: time,
    updatedAt: time,
    hosts: [
      {
        hostname: 'www.example.com',
        environment: 'production',
        redirectTo: null,
        position: 0,
        verified: true,
        verification: proofOf('www.example.com', 'x'),
      },
    ],
    hostCount: 1,
    heldEnvironments: [],
    ...options,
  };
  return {
    website,
    environment: 'production',
    hosts: ['www.example.com'],
    ownHosts: hostNames(website.hosts),
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
