/**
 * Installs a configuration: swap, test, reload, and back if one of them fails. Each step is recorded before it is taken,
 * so that the next run finishes what a killed process began.
 */
import { rm } from 'node:fs/promises';
import { CommandError, EXIT } from '../errors.ts';
import { runShell, type ShellResult } from './run-shell.ts';
import { type Installed, type Pending, type State, writeState } from './state.ts';
import { digestOf, inheritAccess, keepFormer, swapBack, swapIn, type TargetFile } from './target-file.ts';

export interface Installer {
  file: TargetFile;
  test: string;
  reload: string;
  timeoutMs: number;
  env: NodeJS.ProcessEnv;
  state: State;
  note(line: string): void;
}

/** Asks the server for samples after a reload. Returns the first difference in words. */
export type Probe = () => Promise<string | undefined>;

/**
 * Makes the draft the server's configuration. Returns false if the file in place is equal. Throws a CommandError if the test refuses it (exit code 3) or the reload
 * fails (1), or if `probe` returns a difference (1); the server then runs with the former file. Without a former file,
 * a difference is only noted.
 */
export async function install(installer: Installer, next: Installed, probe: Probe): Promise<boolean> {
  const { file, state } = installer;
  if ((await digestOf(file.path)) === next.sha256) {
    await rm(file.draft, { force: true });
    await remember(installer, next);
    return false;
  }
  await inheritAccess(file);
  const hadFormer = await keepFormer(file);
  await save(installer, { ...state, pending: { ...next, phase: 'testing', hadFormer } });
  await swapIn(file);
  await finish(installer, probe);
  return true;
}

/** Records that the file in place is this configuration, and that the server runs with it. */
export function remember(installer: Installer, installed: Installed): Promise<void> {
  return save(installer, { installed, pending: null });
}

/** Finishes the installation of a process that was killed. Returns false if nothing is unfinished. Throws as `install` does. */
export async function recover(installer: Installer): Promise<boolean> {
  const { file, state } = installer;
  const { pending } = state;
  await rm(file.draft, { force: true });
  if (!pending) {
    await rm(file.former, { force: true });
    return false;
  }
  const isSwapped = (await digestOf(file.path)) === pending.sha256;
  if (isSwapped && pending.phase !== 'reverting') {
    await finish(installer, () => Promise.resolve(undefined));
    return true;
  }
  if (isSwapped) await swapBack(file, pending.hadFormer);
  // The server may have loaded the file that is no longer in place.
  const reloaded = pending.phase === 'testing' ? undefined : await run(installer, installer.reload);
  if (reloaded?.isDone === false) throw failure('failed', pending, [`the reload ${reloaded.how}`, reloaded]);
  await clear(installer);
  return true;
}

async function finish(installer: Installer, probe: Probe): Promise<void> {
  const { state, file, test, reload } = installer;
  const { pending } = state;
  if (!pending) return;
  const tested = await run(installer, test);
  if (!tested.isDone) {
    await swapBack(file, pending.hadFormer);
    // A former run may have reloaded already, with other commands.
    if (pending.phase === 'reloading') await run(installer, reload);
    await clear(installer);
    throw failure('refused', pending, [`the test ${tested.how}; the former file is back`, tested]);
  }
  await save(installer, { ...state, pending: { ...pending, phase: 'reloading' } });
  const reloaded = await run(installer, reload);
  const problem = reloaded.isDone ? await probe() : `the reload ${reloaded.how}`;
  if (problem !== undefined && reloaded.isDone && !pending.hadFormer) {
    installer.note(`version ${pending.version}: ${problem}; there is no former file to put back`);
  } else if (problem !== undefined) {
    await save(installer, { ...state, pending: { ...pending, phase: 'reverting' } });
    await swapBack(file, pending.hadFormer);
    const again = await run(installer, reload);
    await clear(installer);
    const end = again.isDone ? 'is loaded again' : `is back, but its reload ${again.how}: check the server`;
    throw failure('failed', pending, [`${problem}; the former file ${end}`, reloaded]);
  }
  const { phase: _phase, hadFormer: _hadFormer, ...installed } = pending;
  await remember(installer, installed);
  await rm(file.former, { force: true });
}

function failure(exit: 'refused' | 'failed', { version }: Pending, [what, { output }]: [string, ShellResult]) {
  const lines = output === '' ? [] : output.split('\n').map((line) => `  ${line}`);
  return new CommandError([`version ${version}: ${what}`, ...lines].join('\n'), {
    exit: EXIT[exit],
    json: { version, changed: false, output },
  });
}

async function clear(installer: Installer): Promise<void> {
  await save(installer, { ...installer.state, pending: null });
  await rm(installer.file.former, { force: true });
}

async function save(installer: Installer, state: Omit<State, 'source'>): Promise<void> {
  installer.state = { ...state, source: installer.state.source };
  await writeState(installer.file.state, installer.state);
}

function run({ env, file, timeoutMs }: Installer, command: string): Promise<ShellResult> {
  return runShell(command, { env: { ...env, DETOUR_FILE: file.path }, outputPath: file.output, timeoutMs });
}
