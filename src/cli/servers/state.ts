/** The state of a sync, stored beside the configuration file: the installed configuration, and one in progress. */
import { open, readFile, rename, rm } from 'node:fs/promises';
import { flushFolder, unwritable } from './target-file.ts';

/** A configuration of one version. */
export interface Installed {
  /** the number of the live version; 0 before the first deployment */
  version: number;
  /** checksum of the website's options, from the feed; empty if unknown */
  options: string;
  /** of the export */
  etag: string;
  /** of the file */
  sha256: string;
}

/**
 * An installation in progress. `testing`: the test runs, or the swap is about to happen; `reloading`: the server may
 * have loaded the new file; `reverting`: the reload failed, and the former file must be loaded again.
 */
export interface Pending extends Installed {
  phase: 'testing' | 'reloading' | 'reverting';
  hadFormer: boolean;
}

export interface State {
  /** service, website, environment and server */
  source: string;
  installed: Installed | null;
  pending: Pending | null;
}

const NONE: State = { source: '', installed: null, pending: null };

/** The state of a file. A state that cannot be read counts as none: the file is then written again. */
export async function readState(path: string): Promise<State> {
  const state: Partial<State> = await readFile(path, 'utf8')
    .then(JSON.parse)
    .catch(() => ({}));
  return { ...NONE, ...state };
}

/** The state for a source: what is remembered of another one does not count. */
export function stateOfSource(state: State, source: string): State {
  return state.source === source ? state : { ...NONE, source };
}

/** Replaces the state, so that it survives a crash and a power failure at any moment. */
export async function writeState(path: string, state: State): Promise<void> {
  const draft = `${path}.part`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw unwritable(path, error);
  }
  await flushFolder(path);
}
