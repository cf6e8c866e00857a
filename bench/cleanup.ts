/** Stops processes and removes folders at the end of a run, also when it fails or is interrupted. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Stop = () => Promise<void> | void;

const stops = new Set<Stop>();
let isEnding = false;

/**
 * Registers `stop` for the end of the run. Returns a function that calls it at once. Throws if the run is ending, so that
 * nothing starts any more.
 */
export function atEnd(stop: Stop): () => Promise<void> {
  if (isEnding) {
    void stop();
    throw new Error('the bench is ending');
  }
  stops.add(stop);
  return async () => {
    if (stops.delete(stop)) await stop();
  };
}

/** Stops everything, the last registered first. */
export async function cleanUp(): Promise<void> {
  isEnding = true;
  for (const stop of [...stops].toReversed()) {
    if (!stops.delete(stop)) continue;
    try {
      await stop();
    } catch (error) {
      console.error(error);
    }
  }
}

/**
 * Cleans up before the process exits because of a signal or an uncaught error. Returns a promise that never resolves once
 * that has begun, and at once before.
 */
export function cleanUpOnExit(): () => Promise<void> {
  let isInterrupted = false;
  const end = (code: number): void => {
    if (isInterrupted) return;
    isInterrupted = true;
    void cleanUp().finally(() => process.exit(code));
  };
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
    process.on(signal, () => {
      console.error(`bench: ${signal}: stopping the service and removing its folder`);
      end(code);
    });
  }
  process.on('uncaughtException', (error) => {
    console.error(error);
    end(1);
  });
  return () => (isInterrupted ? new Promise(() => {}) : Promise.resolve());
}

/** Creates a temporary folder that is removed at the end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'detour-bench-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Forks a helper process of this folder, which is killed at the end. */
export function helper(file: string, args: string[] = []): { child: ChildProcess; stop: () => Promise<void> } {
  const child = fork(join(import.meta.dirname, file), args, { execArgv: [] });
  return { child, stop: atEnd(() => void child.kill('SIGKILL')) };
}
