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

/** The program of each kind with its options; undefined for the library. */
function programOf(kind: AgentKind, website: Website, environment: Environment): string | undefined {
  const name = environment === 'production' ? '' : ` --environment ${environment}`;
  const options = `--website ${firstHost(website, environment) ?? website.id}${name}`;
  if (kind === 'library') return undefined;
  if (kind === 'edge') return `detour-edge ${options} --listen 0.0.0.0:8080`;
  return `detour sync ${kind} --watch ${options} --out ${SERVERS[kind]}`;
}

/** The line that runs an agent of a kind. `service`: see commandSettings. */
export function agentCommand(
  kind: AgentKind,
  website: Website,
  environment: Environment,
  service: string,
  key?: string,
): string {
  const program = programOf(kind, website, environment);
  if (program !== undefined) return `${commandSettings(service, key)} ${program}`;
  const target = `website: '${website.id}'${environment === 'production' ? '' : `, environment: '${environment}'`}`;
  return `createEdge({ url: '${service}', key: process.env.DETOUR_API_KEY, ${target} })`;
}

/** Commands that keep an agent running under systemd, with its key in a file of root; undefined for the library. */
export function agentService(
  kind: AgentKind,
  website: Website,
  environment: Environment,
  service: string,
  key?: string,
): string | undefined {
  const program = programOf(kind, website, environment);
  if (program === undefined) return undefined;
  // A machine may run agents of several websites.
  const name = `detour-${kind}-${website.id}-${environment}`;
  // The edge agent needs no rights, and a folder for its copy of the rules. A server is reloaded by root.
  const rights =
    kind === 'edge' ? `Environment=DETOUR_DATA=/var/lib/${name}\nStateDirectory=${name}\nDynamicUser=yes\n` : '';
  return `sudo install -m 600 /dev/stdin /etc/${name}.env <<'END'
${commandSettings(service, key).replace(' ', '\n')}
END
sudo tee /etc/systemd/system/${name}.service <<'END'
[Unit]
Description=${AGENT_LABEL[kind]} of Detour
Wants=network-online.target
After=network-online.target
[Service]
EnvironmentFile=/etc/${name}.env
ExecStart=/usr/bin/env ${program}
${rights}Restart=always
[Install]
WantedBy=multi-user.target
END
sudo systemctl enable --now ${name}`;
}
