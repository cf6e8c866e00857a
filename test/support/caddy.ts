/** Caddy with docs/examples/Caddyfile on this machine, with certificates of its own authority. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/platform/postgres/server.ts';
import type { EdgeAnswer } from './detour.ts';
import { until } from './wait.ts';

const EXAMPLE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'examples', 'Caddyfile'), 'utf8');

export interface Caddy {
  /** Requests a path of a host, and verifies its certificate over https. Rejects if the handshake fails. */
  visit(scheme: 'http' | 'https', host: string, path: string): Promise<EdgeAnswer>;
  /** the hosts with a stored certificate */
  certificates(): string[];
  stop(): Promise<void>;
}

/** Starts Caddy in front of `detour` (host and port). Resolves when it has the certificate of `publicUrl`. */
export async function startCaddy(publicUrl: string, detour: string): Promise<Caddy> {
  const folder = mkdtempSync(join(tmpdir(), 'detour-caddy-'));
  const ports = { http: await freePort('127.0.0.1'), https: await freePort('127.0.0.1') };
  writeFileSync(join(folder, 'Caddyfile'), configuration(folder, ports));
  const env = { ...process.env, PUBLIC_URL: publicUrl, DETOUR: detour, HOME: folder };
  const run = ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
  const child = spawn('caddy', run, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close');
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const stored = join(folder, 'certificates', 'local');
  const certificates = (): string[] => (existsSync(stored) ? readdirSync(stored) : []);
  const rootFile = join(folder, 'pki', 'authorities', 'local', 'root.crt');
  let root = '';
  const visit: Caddy['visit'] = (scheme, host, path) => send(scheme, ports[scheme], { host, path, root });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`caddy ended with ${child.exitCode}: ${log}`);
    if (!existsSync(rootFile)) return false;
    root = readFileSync(rootFile, 'utf8');
    return visit('https', new URL(publicUrl).hostname, '/health').then(
      () => true,
      () => false,
    );
  }, 60_000);
  return {
    visit,
    certificates,
    async stop() {
      child.kill('SIGTERM');
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The example, with ports and a folder of the test, and without a public certificate authority. */
function configuration(folder: string, ports: { http: number; https: number }): string {
  const start = '\n{\n';
  if (!EXAMPLE.includes(start)) throw new Error('docs/examples/Caddyfile has no global options');
  const options = [
    'admin off',
    'local_certs',
    'skip_install_trust',
    `http_port ${ports.http}`,
    `https_port ${ports.https}`,
    `storage file_system ${folder}`,
    'default_bind 127.0.0.1',
  ];
  return EXAMPLE.replace(start, `${start}${options.join('\n')}\n`);
}

function send(
  scheme: 'http' | 'https',
  port: number,
  { host, path, root }: { host: string; path: string; root: string },
): Promise<EdgeAnswer> {
  const target = { host: '127.0.0.1', port, path, headers: { host }, agent: false };
  return new Promise((resolve, reject) => {
    const request = scheme === 'http' ? httpRequest(target) : httpsRequest({ ...target, servername: host, ca: root });
    request.on('error', reject).end();
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      const { headers, statusCode: status = 0 } = response;
      response.on('end', () => resolve({ status, headers, location: headers.location, body }));
    });
  });
}
