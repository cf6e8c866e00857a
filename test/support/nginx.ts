/** nginx with docs/examples/nginx.conf in front of processes on this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './wait.ts';

const EXAMPLE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'examples', 'nginx.conf'), 'utf8');
const SERVERS = /(?: {2}server 127\.0\.0\.1:300\d max_fails=0;\n)+/;

/** The response header with the address of the process that answered. */
export const SERVED_BY = 'x-served-by';

export interface Nginx {
  /** such as http://127.0.0.1:4000 */
  address: string;
  stop(): Promise<void>;
}

/** Starts nginx with the example, which differs only in its ports. Resolves when it listens. */
export async function startNginx(port: number, processes: number[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'detour-nginx-'));
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, processes));
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` };
  const child = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const address = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${errors}`);
    return fetch(address).then(
      () => true,
      () => false,
    );
  }, 60_000);
  return {
    address,
    async stop() {
      child.kill('SIGTERM');
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, port: number, processes: number[]): string {
  const servers = processes.map((to) => `  server 127.0.0.1:${to} max_fails=0;\n`).join('');
  const listen = 'listen 80;';
  if (!SERVERS.test(EXAMPLE) || !EXAMPLE.includes(listen)) throw new Error('docs/examples/nginx.conf has other ports');
  const example = EXAMPLE.replace(SERVERS, servers).replace(listen, `listen 127.0.0.1:${port};`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const main = ['daemon off;', `pid ${folder}/nginx.pid;`, 'error_log /dev/null;', 'worker_processes 1;'];
  const http = ['access_log off;', `add_header ${SERVED_BY} $upstream_addr always;`, ...temporary, example];
  return `${main.join('\n')}\nevents {}\nhttp {\n${http.join('\n')}\n}\n`;
}
