import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { folderArgument, whyNot } from './cluster.ts';
import { serverUser } from './server-user.ts';
import { measureMachine, postgresSettings } from './settings.ts';
import { isErrorCode } from '../log/error-summary.ts';
import { isPostgresOf, readable } from '../process/process-identity.ts';

/** Recovery after a power failure may take minutes on a slow disk. */
const START_WITHIN_MS = 600_000;
const STOP_WITHIN_MS = 30_000;
const START_ATTEMPTS = 20;
const MAX_LOG_LENGTH = 8_000;

interface Start {
  binaries: string;
  cluster: string;
  durable: boolean;
  connections: number;
  onExit: (reason: string) => void;
}

/** Starts the server on a free port of 127.0.0.1. Resolves when it accepts connections. */
export async function runServer(start: Start) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort('127.0.0.1');
    const child = launch(start, port);
    const log = keepLog(child);
    const failure = await ready(child, log);
    if (failure === undefined) {
      // The log reports it just before postmaster.pid, which other processes read.
      for (let tries = 0; tries < 100 && !serverAt(start.cluster); tries++) await pause(5);
      return supervise(child, port, log, start.onExit);
    }
    // Another program took the port, or the last backends of a killed server still exit.
    if (attempt === START_ATTEMPTS || !/Address already in use|still in use/.test(failure))
      throw new Error(`the embedded PostgreSQL did not start: ${failure}`);
    await pause(250);
  }
}

function launch({ binaries, cluster, durable, connections }: Start, port: number): ChildProcess {
  const settings = postgresSettings(measureMachine(cluster), durable, connections);
  const args = ['-D', folderArgument(cluster), '-p', String(port)];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  // Detached: a separate session, so that Ctrl-C reaches this process only, which then stops the server.
  const child = spawn(join(binaries, 'bin', 'postgres'), args, {
    ...serverUser(cluster),
    cwd: cluster,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Stops the server if this process exits without stop(). After a kill the next start does it.
  const endWithUs = () => child.kill('SIGINT');
  process.on('exit', endWithUs);
  child.once('close', () => process.off('exit', endWithUs));
  return child;
}

/** Keeps the end of the server's log, for the message if it fails. */
function keepLog(child: ChildProcess): { text: string } {
  const log = { text: '' };
  child.stderr?.on('data', (chunk: Buffer) => {
    log.text = (log.text + chunk.toString()).slice(-MAX_LOG_LENGTH);
  });
  return log;
}

/** Resolves to undefined when the server accepts connections, or to the reason if it fails. */
function ready(child: ChildProcess, log: { text: string }): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    resolve(`it was not ready within ${START_WITHIN_MS / 1000} s; ${lastLines(log.text)}`);
  }, START_WITHIN_MS);
  child.stderr?.on('data', () => {
    if (log.text.includes('ready to accept connections')) resolve(undefined);
  });
  child.once('error', (error) => resolve(whyNot(error)));
  child.once('close', (code) => resolve(`it ended with ${code ?? 'a signal'}; ${lastLines(log.text)}`));
  return promise.finally(() => clearTimeout(timer));
}

function supervise(child: ChildProcess, port: number, log: { text: string }, onExit: (reason: string) => void) {
  let stopping = false;
  const closed = Promise.withResolvers<void>();
  child.once('close', (code, signal) => {
    if (!stopping) onExit(`it ended with ${code ?? signal ?? 'no code'}; ${lastLines(log.text)}`);
    closed.resolve();
  });
  return {
    pid: child.pid ?? 0,
    port,
    stop: async (withinMs: number) => {
      stopping = true;
      child.kill('SIGINT');
      const hurry = setTimeout(() => child.kill('SIGQUIT'), withinMs);
      await closed.promise;
      clearTimeout(hurry);
    },
  };
}

/** The server that accepts connections, from postmaster.pid; undefined if none does yet. */
export function serverAt(cluster: string): { pid: number; port: number } | undefined {
  const found = readPidFile(cluster);
  return found?.status === 'ready' && isPostgresOf(found.pid, cluster) ? found : undefined;
}

/**
 * Stops a server that a killed process left. Removes a stale postmaster.pid, because PostgreSQL does not start if its
 * id was reused.
 */
export async function stopServer(cluster: string): Promise<void> {
  const left = readPidFile(cluster);
  if (!left) return;
  for (let waitedMs = 0; isPostgresOf(left.pid, cluster); waitedMs += 50) {
    if (waitedMs === 0) signalLeftBehind(left.pid, 'SIGINT');
    if (waitedMs === STOP_WITHIN_MS) signalLeftBehind(left.pid, 'SIGQUIT');
    if (waitedMs === 2 * STOP_WITHIN_MS)
      throw new Error(`a PostgreSQL server left behind (process ${left.pid}) does not stop: end it by hand`);
    await pause(50);
  }
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

function signalLeftBehind(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (cause) {
    if (isErrorCode(cause, 'ESRCH')) return;
    throw new Error(
      `a PostgreSQL server left behind (process ${pid}) is another user's: start as the user that started it, or end it by hand`,
      { cause },
    );
  }
}

/** Lines of postmaster.pid: process, folder, start time, port, socket, address, memory, status. */
function readPidFile(cluster: string): { pid: number; port: number; status: string | undefined } | undefined {
  const lines = readable(() => readFileSync(join(cluster, 'postmaster.pid'), 'utf8'))?.split('\n') ?? [];
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 0 ? { pid, port: Number(lines[3]), status: lines[7]?.trim() } : undefined;
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join('; ');
}

/** A TCP port of the address that is free now. Another program may still take it. */
export async function freePort(host: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return port;
}
