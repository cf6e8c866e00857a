/** The measured service: a separate process on its own embedded PostgreSQL, used over sockets only. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runningPostgres } from '../src/platform/postgres/embedded.ts';
import type { Reading } from './meter.ts';

const ROOT = join(import.meta.dirname, '..');

export interface Subject {
  address: string;
  databaseUrl: string;
  key: string;
  /** seconds from the start of the process to its ready line */
  readySeconds: number;
  call<Body>(method: string, path: string, body?: string | FormData): Promise<Body>;
  /** POSTs a streamed body with the API key */
  post(path: string, type: string, body: AsyncIterable<Buffer>): Promise<void>;
  /** reads a response of the key API to its end, and returns its size in bytes */
  download(path: string): Promise<number>;
  visit(host: string, path: string): Promise<{ status: number; location: string | undefined }>;
  /** memory and event loop delay since the last `reset` */
  read(reset?: boolean): Promise<Reading>;
  /** restarts it on the same data */
  restart(): Promise<Subject>;
  stop(): Promise<void>;
}

export function startSubject(): Promise<Subject> {
  const parent = mkdtempSync(join(tmpdir(), 'detour-bench-'));
  return launch(join(parent, 'data'), parent);
}

async function launch(dataDir: string, parent: string): Promise<Subject> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--expose-gc', '--import', './bench/meter.ts', 'src/main.ts'], {
    cwd: ROOT,
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', WEBHOOK_EGRESS: 'private' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const publicUrl = await readyLine(child);
  const readySeconds = (performance.now() - started) / 1_000;
  const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Record<string, string>;
  const address = publicUrl.replace('localhost', '127.0.0.1');
  const cookie = await signIn(address, credentials['email'] ?? '', credentials['password'] ?? '');
  const key = credentials['api_key'] ?? '';
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return {
    address,
    databaseUrl: runningPostgres(dataDir) ?? '',
    key,
    readySeconds,
    call: (method, path, body) => call(address, cookie, method, path, body),
    post: (path, type, body) => post(address + path, key, type, body),
    download: (path) => download(address + path, key),
    visit: (host, path) => visit(address, host, path),
    async read(reset = false) {
      const answer = once(child, 'message');
      child.send(reset ? 'reset' : 'read');
      const [reading] = (await answer) as [Reading];
      return reading;
    },
    async restart() {
      await stop();
      return launch(dataDir, parent);
    },
    async stop() {
      await stop();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

function readyLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const ready = /Detour is ready: (\S+)/.exec(text)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    child.once('exit', () => reject(new Error(`the service did not start: ${text}`)));
  });
}

async function signIn(address: string, email: string, password: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email, password });
  const response = await fetch(`${address}/api/auth/sign-in`, { method: 'POST', headers, body });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

async function call<Body>(
  address: string,
  cookie: string,
  method: string,
  path: string,
  body?: string | FormData,
): Promise<Body> {
  const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const response = await fetch(address + path, {
    method,
    headers: { cookie, ...json },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Body;
}

function visit(address: string, host: string, path: string): Promise<{ status: number; location: string | undefined }> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, headers: { host } }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, location: response.headers.location }));
    });
    request.on('error', reject).end();
  });
}

async function post(url: string, key: string, type: string, body: AsyncIterable<Buffer>): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type };
  const request = httpRequest(url, { method: 'POST', headers });
  const answered = once(request, 'response');
  await pipeline(body, request);
  const [response] = (await answered) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${text}`);
}

/** Over plain node:http, because the reader shares the CPU with the service. */
async function download(url: string, key: string): Promise<number> {
  const asked = httpRequest(url, { headers: { authorization: `Bearer ${key}` } }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  if (!response.complete) throw new Error(`${url}: incomplete response`);
  return bytes;
}
