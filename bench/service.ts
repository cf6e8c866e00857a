/** The measured service: `src/main.ts` in a separate process with its own DATA_DIR, used over sockets only. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runningPostgres } from '../src/platform/postgres/embedded.ts';
import { atEnd } from './cleanup.ts';
import { type Client, type Credentials, signIn } from './client.ts';
import type { Reading } from './meter.ts';

const ROOT = join(import.meta.dirname, '..');
/** The service itself exits within 10 s of SIGTERM. */
const STOP_MS = 15_000;
/** Lines of the log that are printed for each process. */
const MAX_LOG_LINES = 5;

export interface Launched {
  pid: number;
  address: string;
  /** when the process was spawned, by performance.now() */
  spawnedAt: number;
  /** resolves with the ready line; rejects with the output if the process exits first */
  ready: Promise<unknown>;
  hasExited(): boolean;
  /** memory, and event loop delay since the last `reset` */
  read(message: 'reset' | 'read'): Promise<Reading>;
  /** SIGTERM; SIGKILL if it does not exit */
  stop(): Promise<void>;
}

/** Starts a process on a data folder and a free port, without waiting until it is ready. */
export async function launch(
  dataDir: string,
  env: Record<string, string> = {},
  preload: string[] = [],
): Promise<Launched> {
  const port = await freePort();
  const imports = ['./bench/meter.ts', ...preload].flatMap((file) => ['--import', file]);
  const spawnedAt = performance.now();
  const child = spawn(process.execPath, ['--expose-gc', ...imports, 'src/main.ts'], {
    cwd: ROOT,
    // Nothing of this shell's environment, except what programs need.
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: process.env['TMPDIR'],
      DATA_DIR: dataDir,
      PORT: String(port),
      WEBHOOK_EGRESS: 'private',
      TRUST_PROXY: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A separate process group: Ctrl-C reaches the bench only, which then stops the service.
    detached: true,
  });
  const stop = atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const isLate = await Promise.race([exited.then(() => false), pause(STOP_MS, true, { ref: false })]);
    if (!isLate) return;
    child.kill('SIGKILL');
    await exited;
  });
  const ready = readyLine(child);
  ready.catch(() => {}); // for callers that do not wait for it
  return {
    pid: child.pid ?? 0,
    address: `http://127.0.0.1:${port}`,
    spawnedAt,
    ready,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    async read(message) {
      const answer = once(child, 'message', { signal: AbortSignal.timeout(60_000) });
      child.send(message);
      const [reading] = (await answer) as [Reading];
      return reading;
    },
    stop,
  };
}

/** A service with its embedded database and its first user. */
export interface Service extends Launched, Client {
  dataDir: string;
  databaseUrl: string;
  credentials: Credentials;
  /** settings for another process on the same database */
  sharedEnv: Record<string, string>;
}

/** Starts the service with its embedded PostgreSQL, and waits until it is ready. */
export async function startService(dataDir: string, env: Record<string, string> = {}): Promise<Service> {
  const launched = await launch(dataDir, env);
  await launched.ready;
  const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
  const databaseUrl = runningPostgres(dataDir);
  if (databaseUrl === undefined) throw new Error(`no PostgreSQL runs in ${dataDir}`);
  return {
    ...launched,
    ...(await signIn(launched.address, credentials)),
    dataDir,
    databaseUrl,
    credentials,
    sharedEnv: {
      DATABASE_URL: databaseUrl,
      PUBLIC_URL: 'http://localhost:3000',
      SECRET_KEY: readFileSync(join(dataDir, 'secret.key'), 'utf8').trim(),
    },
  };
}

function readyLine(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer): void => {
      text = (text + chunk.toString()).slice(-5_000);
      if (/Detour is ready: /.test(text)) resolve(undefined);
    };
    child.stdout?.on('data', read);
    let shown = 0;
    child.stderr?.on('data', (chunk: Buffer) => {
      read(chunk);
      for (const line of chunk.toString().trim().split('\n')) {
        if (shown++ < MAX_LOG_LINES) console.error(`  service: ${line.slice(0, 300)}`);
      }
    });
    child.once('exit', () => reject(new Error(`the service did not start: ${text.trim().slice(-300)}`)));
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return address !== null && typeof address === 'object' ? address.port : 0;
}
