/** Operations on unmatched paths. Each offers Undo. */
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { undoChange } from '../../api/changes.ts';
import { ignorePaths } from '../../api/analytics.ts';
import { createRedirect, updateRedirect } from '../../api/redirects.ts';
import type { MissingPath, Website } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { toast, type Toast, toastError, toastResult, undoWith } from '../../state/toasts.ts';
import type { Pages } from '../../state/resource/use-pages.ts';
import type { RowSelection } from '../../ui/list/use-selection.ts';
import { deployStep } from '../../urls.ts';

export interface Inbox {
  website: Website;
  websiteId: number;
  environment: Environment;
  pages: Pages<MissingPath>;
  /** paths to decide together */
  selection: RowSelection<string>;
  /** suggestions arrive after the rows, which keep a place for them */
  hasLateSuggestions: boolean;
}

export type Existing = NonNullable<MissingPath['redirect']>;

export interface Target {
  /** null: a status without target */
  new_path: string | null;
  status_code: number;
}

/** Creates a redirect for the path, and ignores the path. Rejects if the redirect is invalid. */
export async function redirectPath(inbox: Inbox, missing: MissingPath, target: Target): Promise<void> {
  const { change_id: changeId } = await createRedirect({
    website_id: inbox.websiteId,
    old_path: missing.path,
    ...target,
    is_regex: false,
    group_id: null,
    notes: null,
    target_environments: inbox.environment,
    active_from: null,
    active_until: null,
  });
  const restoreRow = removeRow(inbox, missing);
  await ignore(inbox, [missing], true).catch((thrown: unknown) => toastError(thrown, 'Could not ignore the path'));
  const undo = undoWith(async () => {
    if (changeId !== null) await undoChange(changeId);
    await ignore(inbox, [missing], false);
    restoreRow();
  });
  const effect = target.new_path === null ? `responds with ${target.status_code}` : `redirects to ${target.new_path}`;
  toastSaved(inbox, `${missing.path} ${effect}`, undo);
}

/** Says of a saved decision whether it is live or waits for a deployment. */
export function toastSaved({ website, environment }: Inbox, effect: string, undo: Toast['action']): void {
  const deploy = deployStep(website, environment);
  toast(deploy ? `Saved, waits for a deployment: ${effect}` : effect, undo, deploy);
}

/** Redirects the path to a suggested target; reports errors as a toast. */
export function applySuggestion(inbox: Inbox, missing: MissingPath, newPath: string): void {
  redirectPath(inbox, missing, { new_path: newPath, status_code: 301 }).catch((thrown: unknown) =>
    toastError(thrown, 'Could not create the redirect'),
  );
}

/** Adds this environment to the existing redirect of the path. */
export function addEnvironment(inbox: Inbox, missing: MissingPath, { id, target_environments }: Existing): void {
  const { environment } = inbox;
  const added = [...target_environments.split(',').filter((each) => each !== ''), environment].join(',');
  async function add() {
    const { change_id: changeId } = await updateRedirect(id, { target_environments: added });
    return async () => changeId !== null && undoChange(changeId);
  }
  toastResult(add(), {
    done: `The redirect of ${missing.path} now targets ${environment}`,
    link: deployStep(inbox.website, environment),
    failure: 'Could not change the redirect',
    restore: removeRow(inbox, missing),
  });
}

/** Ignores the path in this environment, or stops ignoring it. */
export function setIgnored(inbox: Inbox, missing: MissingPath, ignored: boolean): void {
  const work = ignore(inbox, [missing], ignored).then(() => () => ignore(inbox, [missing], !ignored));
  toastResult(work, {
    done: ignored ? 'Path ignored' : 'Path no longer ignored',
    failure: ignored ? 'Could not ignore the path' : 'Could not stop ignoring the path',
    restore: removeRow(inbox, missing),
  });
}

/** Ignores all listed paths in this environment, or stops ignoring them. */
export function setAllIgnored(inbox: Inbox, listed: readonly MissingPath[], ignored: boolean): void {
  const { reload } = inbox.pages;
  async function write() {
    await ignore(inbox, listed, ignored);
    reload();
    return () => ignore(inbox, listed, !ignored);
  }
  toastResult(write(), {
    done: `${counted(listed.length, 'path')} ${ignored ? 'ignored' : 'no longer ignored'}`,
    failure: ignored ? 'Could not ignore the paths' : 'Could not stop ignoring the paths',
    restore: reload,
  });
}

/** Paths in one call of the service. */
const BATCH_SIZE = 1_000;

async function ignore({ websiteId, environment }: Inbox, listed: readonly MissingPath[], ignored: boolean) {
  const paths = listed.map(({ path }) => path);
  for (let at = 0; at < paths.length; at += BATCH_SIZE) {
    await ignorePaths(websiteId, { paths: paths.slice(at, at + BATCH_SIZE), environment, ignored });
  }
}

/** Removes the row. Returns a function that puts it back in place. */
export function removeRow({ pages: { data: rows } }: Inbox, missing: MissingPath): () => void {
  const at = rows.value?.indexOf(missing) ?? -1;
  rows.value = rows.value?.filter((row) => row !== missing);
  return () => {
    if (at >= 0) rows.value = (rows.value ?? []).toSpliced(at, 0, missing);
  };
}
