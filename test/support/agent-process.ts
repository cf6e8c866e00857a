/** Real processes of the edge agent, as an operator starts them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export interface AgentProcess {
  pid: number;
  /** where visitors are answered */
  address: string;
  /** where probes and metrics are */
  adminAddress: string;
  /** where other agents follow it; empty without --relay */
  relayAddress: string;
  stderr(): string;
  /** Sends the signal, and resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface AgentFolder {
  dataDir: string;
  /** Starts an agent on the data folder, with free ports. Rejects if it exits before it is ready. */
  start(args: string[], env?: Record<string, string>): Promise<AgentProcess>;
  /** Stops all agents and removes the folder. */
  clear(): Promise<void>;
}

export function openAgentFolder(): AgentFolder {
  const dataDir = mkdtempSync(join(tmpdir(), 'detour-agent-'));
  const running = new Set<ChildProcess>();
  return {
    dataDir,
    async start(args, env = {}) {
      const ports = ['--listen', '0', '--admin-listen', '0', '--data', dataDir];
      const child = spawn(process.execPath, [join(ROOT, 'src/edge-agent.ts'), ...ports, ...args], {
        env: { PATH: process.env['PATH'] ?? '', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      running.add(child);
      const output = { stdout: '', stderr: '' };
      child.stderr.setEncoding('utf8').on('data', (piece: string) => (output.stderr += piece));
      const ended = new Promise<number | null>((resolve) => {
        child.once('close', (code) => {
          running.delete(child);
          resolve(code);
        });
      });
      const ready = new Promise<Pick<AgentProcess, 'address' | 'adminAddress' | 'relayAddress'>>((resolve, reject) => {
        child.stdout.setEncoding('utf8').on('data', (piece: string) => {
          output.stdout += piece;
          const found = /^detour-edge is ready: (\S+), probes and metrics on ([^\s,]+)(?:, relay on (\S+))?$/m.exec(
            output.stdout,
          );
          if (found) resolve({ address: found[1] ?? '', adminAddress: found[2] ?? '', relayAddress: found[3] ?? '' });
        });
        void ended.then((code) => reject(new Error(`it ended with ${code}: ${output.stderr}`)));
      });
      return {
        pid: child.pid ?? 0,
        ...(await ready),
        stderr: () => output.stderr,
        end(signal) {
          child.kill(signal);
          return ended;
        },
      };
    },
    async clear() {
      const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(ends);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
