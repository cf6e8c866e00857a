/** nginx, Apache and Caddy from their Debian packages, in the foreground, with a configuration of a test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './wait.ts';

export type ServerName = 'nginx' | 'apache' | 'caddy';

export interface WebServer {
  /** commands for `detour sync` */
  test: string;
  reload: string;
  /** the main configuration */
  main: string;
  stop(): Promise<void>;
}

/** A folder that the users of the servers can read. */
export function serverFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'detour-web-server-'));
  chmodSync(folder, 0o755);
  return folder;
}

const PATH = `${process.env['PATH']}:/usr/sbin:/sbin`;
const MODULES = ['mpm_event', 'authz_core', 'rewrite', 'proxy', 'proxy_http', 'headers'];

const MAIN: Record<ServerName, (at: string, site: string, admin: number) => string> = {
  nginx: (at, site) => `daemon off;
pid ${at}/pid;
error_log ${at}/error.log;
worker_processes 1;
events {}
http {
access_log off;
keepalive_requests 1000000;
large_client_header_buffers 4 32k;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${at}/${name};`).join('\n')}
${site}
}
`,
  apache: (at, site) => `ServerRoot ${at}
ServerName localhost
${MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
User www-data
Group www-data
PidFile ${at}/pid
ErrorLog ${at}/error.log
DocumentRoot ${at}
MaxKeepAliveRequests 0
LimitRequestLine 32768
${site}
`,
  caddy: (at, site, admin) => `{
	admin 127.0.0.1:${admin}
	auto_https off
	storage file_system ${at}/data
}
${site}
`,
};

const COMMANDS: Record<ServerName, (at: string) => { run: string; test: string; reload: string }> = {
  nginx: (at) => {
    const nginx = `nginx -e ${at}/error.log -p ${at} -c ${at}/main.conf`;
    return { run: nginx, test: `${nginx} -t`, reload: `${nginx} -s reload` };
  },
  apache: (at) => {
    const apache = `apache2 -f ${at}/main.conf`;
    return { run: `${apache} -D FOREGROUND`, test: `${apache} -t`, reload: `${apache} -k graceful` };
  },
  caddy: (at) => {
    const config = `--adapter caddyfile --config ${at}/main.conf`;
    return { run: `caddy run ${config}`, test: `caddy validate ${config}`, reload: `caddy reload ${config}` };
  },
};

/** Starts the server with `site` in its main configuration. Resolves when it listens on `port`. */
export async function startServer(
  name: ServerName,
  { site, port, admin = 1, folder }: { site: string; port: number; admin?: number; folder: string },
): Promise<WebServer> {
  const at = mkdtempSync(join(folder, `${name}-`));
  chmodSync(at, 0o755);
  mkdirSync(join(at, 'data'));
  writeFileSync(join(at, 'main.conf'), MAIN[name](at, site, admin));
  const { run, test, reload } = COMMANDS[name](at);
  const env = { ...process.env, PATH, HOME: at };
  const [program = '', ...args] = run.split(' ');
  const child: ChildProcess = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-1_000)));
  const exited = once(child, 'exit');
  await until(() => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${errors}`);
    return listens(port);
  }, 60_000);
  const inShell = (command: string): string => `PATH=${PATH} HOME=${at} ${command}`;
  return {
    test: inShell(test),
    reload: inShell(reload),
    main: join(at, 'main.conf'),
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(at, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
