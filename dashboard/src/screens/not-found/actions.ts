/** Operations on unmatched paths. Each offers Undo. */
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { undoChange } from '../../api/changes.ts';
import { ignorePaths } from '../../api/analytics.ts';
import { createRedirect, updateRedirect } from '../../api/redirects.ts';
import type { MissingPath } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { toast, toastError } from '../../state/toasts.ts';
import type { Pages } from '../../state/resource/use-pages.ts';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';

export interface Inbox {
  websiteId: number;
  environment: Environment;
  pages: Pages<MissingPath>;
}

/** The redirect of an unmatched path. */
export type Existing = NonNullable<MissingPath['redirect']>;

export interface Target {
  /** null: a status without target */
  new_path: string | null;
  status_code: number;
}

/** Creates a redirect for the path, and ignores the path. Rejects if the redirect is invalid. */
export async function redirectPath(inbox: Inbox, missing: MissingPath, target: Target): Promise<void> {
  const { websiteId, environment } = inbox;
  const { change_id: changeId } = await createRedirect({
    website_id: websiteId,
    old_path: missing.path,
    ...target,
    is_regex: false,
    group_id: null,
    notes: null,
    target_environments: environment,
    active_from: null,
    active_until: null,
  });
  const restoreRow = removeRow(inbox, missing);
  const body = { paths: [missing.path], environment };
  await ignorePaths(websiteId, { ...body, ignored: true }).catch((thrown: unknown) =>
    toastError(thrown, 'Could not ignore the path'),
  );
  async function undo(): Promise<void> {
    if (changeId !== null) await undoChange(changeId);
    await ignorePaths(websiteId, { ...body, ignored: false });
    restoreRow();
  }
  const effect = target.new_path === null ? `responds with ${target.status_code}` : `redirects to ${target.new_path}`;
  toast(`${missing.path} ${effect}`, { label: 'Undo', run: () => reportFailure(undo(), 'Could not undo') });
}

/** Adds this environment to the existing redirect of the path. */
export function addEnvironment(inbox: Inbox, missing: MissingPath, { id, target_environments }: Existing): void {
  const { environment } = inbox;
  const added = [...target_environments.split(',').filter((each) => each !== ''), environment].join(',');
  const restoreRow = removeRow(inbox, missing);
  updateRedirect(id, { target_environments: added }).then(
    ({ change_id: changeId }) => {
      async function undo(): Promise<void> {
        if (changeId !== null) await undoChange(changeId);
        restoreRow();
      }
      toast(`The redirect of ${missing.path} now targets ${ENVIRONMENT_LABEL[environment].toLowerCase()}`, {
        label: 'Undo',
        run: () => reportFailure(undo(), 'Could not undo'),
      });
    },
    (thrown: unknown) => {
      restoreRow();
      toastError(thrown, 'Could not change the redirect');
    },
  );
}

/** Redirects the path to a suggested target; reports errors as a toast. */
export function applySuggestion(inbox: Inbox, missing: MissingPath, newPath: string): void {
  reportFailure(redirectPath(inbox, missing, { new_path: newPath, status_code: 301 }), 'Could not create the redirect');
}

/** Paths in one call of the service. */
const BATCH_SIZE = 1_000;

/** Ignores all listed paths in this environment, or stops ignoring them. */
export function setAllIgnored(inbox: Inbox, listed: readonly MissingPath[], ignored: boolean): void {
  const { websiteId, environment, pages } = inbox;
  const paths = listed.map(({ path }) => path);
  async function write(isIgnored: boolean): Promise<void> {
    for (let at = 0; at < paths.length; at += BATCH_SIZE) {
      await ignorePaths(websiteId, { paths: paths.slice(at, at + BATCH_SIZE), environment, ignored: isIgnored });
    }
    pages.reload();
  }
  write(ignored).then(
    () =>
      toast(`${counted(paths.length, 'path')} ${ignored ? 'ignored' : 'no longer ignored'}`, {
        label: 'Undo',
        run: () => reportFailure(write(!ignored), 'Could not undo'),
      }),
    (thrown: unknown) => {
      pages.reload();
      toastError(thrown, ignored ? 'Could not ignore the paths' : 'Could not stop ignoring the paths');
    },
  );
}

/** Ignores the path in this environment, or stops ignoring it. */
export function setIgnored(inbox: Inbox, missing: MissingPath, ignored: boolean): void {
  const { websiteId, environment } = inbox;
  const write = (isIgnored: boolean) =>
    ignorePaths(websiteId, { paths: [missing.path], environment, ignored: isIgnored });
  const restoreRow = removeRow(inbox, missing);
  write(ignored).then(
    () =>
      toast(ignored ? 'Path ignored' : 'Path no longer ignored', {
        label: 'Undo',
        run: () => reportFailure(write(!ignored).then(restoreRow), 'Could not undo'),
      }),
    (thrown: unknown) => {
      restoreRow();
      toastError(thrown, ignored ? 'Could not ignore the path' : 'Could not stop ignoring the path');
    },
  );
}

function reportFailure(work: Promise<unknown>, failure: string): void {
  work.catch((thrown: unknown) => toastError(thrown, failure));
}

/** Removes the row. Returns a function that puts it back in place. */
function removeRow({ pages: { data: rows } }: Inbox, missing: MissingPath): () => void {
  const at = rows.value?.indexOf(missing) ?? -1;
  rows.value = rows.value?.filter((row) => row !== missing);
  return () => {
    if (at >= 0) rows.value = (rows.value ?? []).toSpliced(at, 0, missing);
  };
}
