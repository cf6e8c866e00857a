/** Real processes of the service, as an operator starts them, for tests of signals, crashes and output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPostgresOf, processIdentity } from '../../src/platform/process/process-identity.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const COMPILE_CACHE = join(tmpdir(), `detour-test-code-${process.getuid?.() ?? 0}`);

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  ms: number;
}

export interface ServiceProcess {
  pid: number;
  /** the URL on the ready line; rejects with the output if the process exits first */
  ready: Promise<string>;
  ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
  signal(signal: NodeJS.Signals): void;
}

export interface Workshop {
  dataDir: string;
  /** src/main.ts on the data folder and a free port; `env` overrides both */
  start(env?: Record<string, string>): ServiceProcess;
  /** src/admin.ts on the data folder */
  admin(args: string[], env?: Record<string, string>): Promise<Ended>;
  /** the running embedded server of the data folder, if any */
  postgresPid(): number | undefined;
  /** the processes that answer requests with PROCESSES: children of the primary `of`, except PostgreSQL */
  workers(of: number): number[];
  /** stops all processes and removes the folder */
  clear(): Promise<void>;
}

/** A temporary data folder and the processes started on it. */
export function openWorkshop(root = ROOT): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'detour-process-'));
  const dataDir = join(folder, 'data');
  const cluster = join(dataDir, 'postgres', 'data');
  const running = new Set<ChildProcess>();

  function launch(file: string, args: string[], env: Record<string, string>): ServiceProcess {
    const began = performance.now();
    const child = spawn(process.execPath, [join(root, 'src', file), ...args], {
      cwd: root,
      env: {
        PATH: process.env['PATH'] ?? '',
        PORT: '0',
        DATA_DIR: dataDir,
        // Saves a third of the work of each start.
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (output.stdout += piece));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (output.stderr += piece));
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code) => {
        running.delete(child);
        resolve({ code, ...output, ms: performance.now() - began });
      });
    });
    const ready = new Promise<string>((resolve, reject) => {
      child.stdout.on('data', () => {
        const [, address] = /^Detour is ready: (\S+)$/m.exec(output.stdout) ?? [];
        if (address) resolve(address);
      });
      void ended.then(({ code, stderr }) => reject(new Error(`it ended with ${code}: ${stderr}`)));
    });
    ready.catch(() => {}); // tests that await the exit ignore this rejection
    const signal = (name: NodeJS.Signals) => void child.kill(name);
    return { pid: child.pid ?? 0, ready, ended, stdout: () => output.stdout, stderr: () => output.stderr, signal };
  }

  function postgresPid(): number | undefined {
    const pid = Number(readIfThere(join(cluster, 'postmaster.pid'))?.split('\n')[0]);
    return Number.isInteger(pid) && isPostgresOf(pid, cluster) ? pid : undefined;
  }

  return {
    dataDir,
    start: (env = {}) => launch('main.ts', [], env),
    admin: (args, env = {}) => launch('admin.ts', args, env).ended,
    postgresPid,
    workers(of) {
      const children = readFileSync(`/proc/${of}/task/${of}/children`, 'utf8').trim().split(' ').map(Number);
      return children.filter((pid) => pid > 0 && pid !== postgresPid());
    },
    async clear() {
      const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(ends);
      const left = postgresPid();
      if (left !== undefined) process.kill(left, 'SIGQUIT');
      while (postgresPid() !== undefined) await new Promise((resolve) => setImmediate(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** False for a process that has ended and was not collected by its parent. */
export const isAlive = (pid: number): boolean => processIdentity(pid) !== undefined;

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
