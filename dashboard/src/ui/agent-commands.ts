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

/** How an agent runs on its machine. */
export type AgentRun = 'service' | 'docker' | 'shell';

export const RUN_LABEL: Readonly<Record<AgentRun, string>> = {
  service: 'Service of systemd',
  docker: 'Docker container',
  shell: 'Command in a terminal',
};

/** The ways to run a kind. The library is part of an application, and a server is reloaded on its own machine. */
export const runsOf = (kind: AgentKind): readonly AgentRun[] =>
  kind === 'library' ? [] : kind === 'edge' ? ['service', 'docker', 'shell'] : ['service', 'shell'];

/** The service serves its commands and library. Not by name, because the public registry has another package of it. */
const packageOf = (service: string): string => `${service}/detour.tgz`;

const SERVERS = {
  nginx: '/etc/nginx/detour/redirects.conf --test "nginx -t" --reload "nginx -s reload"',
  apache: '/etc/apache2/detour/redirects.conf --test "apachectl configtest" --reload "apachectl graceful"',
  caddy:
    '/etc/caddy/redirects.caddyfile --test "caddy validate --config /etc/caddy/Caddyfile" --reload "caddy reload --config /etc/caddy/Caddyfile"',
} as const;

/** A line that runs a command of the package without an installation. `service`: the origin of this service. */
export const commandLine = (command: string, service: string, key = 'dtr_...'): string =>
  `DETOUR_URL=${service} DETOUR_API_KEY=${key} npx --yes --package=${packageOf(service)} ${command}`;

/** The texts to copy for an agent, each with what it does. `service`: the origin of this service. */
export function agentTexts(
  { kind, run, website, environment }: { kind: AgentKind; run: AgentRun; website: Website; environment: Environment },
  service: string,
  key = 'dtr_...',
): { label: string; text: string }[] {
  if (kind === 'library') {
    const target = `website: '${website.id}'${environment === 'production' ? '' : `, environment: '${environment}'`}`;
    const code = `createEdge({ url: '${service}', key: process.env.DETOUR_API_KEY, ${target} })`;
    return [
      { label: 'Installs the library', text: `curl -fsSO ${packageOf(service)} && npm install ./detour.tgz` },
      { label: 'In the environment of your application', text: `DETOUR_API_KEY=${key}` },
      { label: 'In your code', text: code },
    ];
  }
  const program = programOf(kind, website, environment);
  // A machine may run agents of several websites.
  const name = `detour-${kind}-${website.id}-${environment}`;
  if (run === 'shell') return [{ label: 'Runs it until you stop it', text: commandLine(program, service, key) }];
  const text = run === 'docker' ? container : unit;
  return [{ label: 'Installs and starts it', text: text({ kind, name, program, service, key }) }];
}

interface Installed {
  kind: AgentKind;
  name: string;
  program: string;
  service: string;
  key: string;
}

/** The program of each kind with its options. */
function programOf(kind: Exclude<AgentKind, 'library'>, website: Website, environment: Environment): string {
  const name = environment === 'production' ? '' : ` --environment ${environment}`;
  const options = `--website ${firstHost(website, environment) ?? website.id}${name}`;
  if (kind === 'edge') return `detour-edge ${options} --listen 0.0.0.0:8080`;
  return `detour sync ${kind} --watch ${options} --out ${SERVERS[kind]}`;
}

/** Installed in the volume, so that it starts again while the service is away. */
const container = ({ name, program, service, key }: Installed): string =>
  `docker run --detach --name ${name} --restart unless-stopped --publish 8080:8080 --volume ${name}:/data \\
  --env DETOUR_URL=${service} --env DETOUR_API_KEY=${key} --env DETOUR_DATA=/data/rules node:24-slim \\
  sh -c 'test -e /data/bin/detour-edge || npm install --global --prefix /data ${packageOf(service)} && exec /data/bin/${program}'`;

/** A service of systemd with its key in a file of root. */
function unit({ kind, name, program, service, key }: Installed): string {
  // The edge agent needs no rights, and a folder for its copy of the rules. A server is reloaded by root.
  const rights =
    kind === 'edge' ? `Environment=DETOUR_DATA=/var/lib/${name}\nStateDirectory=${name}\nDynamicUser=yes\n` : '';
  return `sudo npm install --global ${packageOf(service)}
sudo install -m 600 /dev/stdin /etc/${name}.env <<'END'
DETOUR_URL=${service}
DETOUR_API_KEY=${key}
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
