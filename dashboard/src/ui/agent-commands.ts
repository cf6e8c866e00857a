/** The lines that install an agent: a machine, a server or an application that answers with the live rules. */
import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { AgentKind } from '../../../src/vocabulary/kinds.ts';
import type { Website } from '../api/client/wire.ts';
import { firstHost } from '../urls.ts';

export const AGENT_LABEL: Readonly<Record<AgentKind, string>> = {
  edge: 'Edge agent',
  nginx: 'nginx',
  apache: 'Apache',
  caddy: 'Caddy',
  library: 'Edge library',
};

/** In a checkout of this service. Not npx, which asks the public registry for a package of this name. */
export const INSTALL = 'npm pack && npm install --global ./detour-*.tgz';

const SERVERS = {
  nginx: '/etc/nginx/detour/redirects.conf --test "nginx -t" --reload "nginx -s reload"',
  apache: '/etc/apache2/detour/redirects.conf --test "apachectl configtest" --reload "apachectl graceful"',
  caddy:
    '/etc/caddy/redirects.caddyfile --test "caddy validate --config /etc/caddy/Caddyfile" --reload "caddy reload --config /etc/caddy/Caddyfile"',
} as const;

/** How a command on another machine finds the service, and its key. `service`: the origin of this service. */
export const commandSettings = (service: string, key = 'dtr_...'): string =>
  `DETOUR_URL=${service} DETOUR_API_KEY=${key}`;

/** One line for each kind of agent. `service`: see commandSettings. */
export function agentCommands(
  website: Website,
  environment: Environment,
  service: string,
  key?: string,
): Record<AgentKind, string> {
  const { id } = website;
  const host = firstHost(website, environment);
  const settings = commandSettings(service, key);
  const isDefault = environment === 'production';
  const options = `--website ${host ?? id}${isDefault ? '' : ` --environment ${environment}`}`;
  const sync = (server: keyof typeof SERVERS): string =>
    `${settings} detour sync ${server} --watch ${options} --out ${SERVERS[server]}`;
  const target = `website: '${id}'${isDefault ? '' : `, environment: '${environment}'`}`;
  return {
    edge: `${settings} detour-edge ${options} --listen 0.0.0.0:8080`,
    nginx: sync('nginx'),
    apache: sync('apache'),
    caddy: sync('caddy'),
    library: `createEdge({ url: '${service}', key: process.env.DETOUR_API_KEY, ${target} })`,
  };
}
