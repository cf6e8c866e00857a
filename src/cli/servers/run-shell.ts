/** Runs a command of the user, such as `nginx -t`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_OUTPUT_BYTES = 4_096;

export interface ShellResult {
  isDone: boolean;
  /** such as `ended with 1` */
  how: string;
  /** the last 4 KiB of both outputs */
  output: string;
}

/**
 * Runs a shell command in its own process group, so that Ctrl-C does not end it halfway. Its output goes through the file
 * `outputPath`: a server that the command starts may keep it open, and would block a pipe.
 */
export async function runShell(
  command: string,
  { env, outputPath, timeoutMs }: { env: NodeJS.ProcessEnv; outputPath: string; timeoutMs: number },
): Promise<ShellResult> {
  const file = await open(outputPath, 'w+', 0o600);
  try {
    const child = spawn(command, { shell: true, detached: true, env, stdio: ['ignore', file.fd, file.fd] });
    const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    const waited = new AbortController();
    const limit = sleep(timeoutMs, undefined, { signal: waited.signal, ref: false }).catch(() => undefined);
    const outcome = await Promise.race([ended, limit.then(() => undefined)]);
    waited.abort();
    if (!outcome) await endGroup(child.pid, ended);
    const { size } = await file.stat();
    const start = Math.max(0, size - MAX_OUTPUT_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    return { ...verdict(outcome, timeoutMs), output: buffer.toString('utf8', 0, bytesRead).trim() };
  } finally {
    await file.close();
    await rm(outputPath, { force: true });
  }
}

function verdict(outcome: [number | null, NodeJS.Signals | null] | undefined, timeoutMs: number) {
  if (!outcome) return { isDone: false, how: `did not end within ${timeoutMs / 1_000} s` };
  const [code, signal] = outcome;
  return { isDone: code === 0, how: signal === null ? `ended with ${code}` : `was ended by ${signal}` };
}

async function endGroup(pid: number | undefined, ended: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
  await ended;
}
