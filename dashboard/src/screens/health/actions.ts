/** Operations on redirects with broken targets. Each offers Undo. */
import { bulkDelete, type BulkEffect, fetchRedirect, retarget, updateRedirect } from '../../api/redirects.ts';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { startLiveCheck } from '../../api/live-checks.ts';
import type { BrokenTarget, Website } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import type { Pages } from '../../state/resource/use-pages.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { undoAction } from '../../ui/undo-change.ts';
import { reasonOf, resultText } from '../redirects/bulk/bulk-changes.ts';
import { retargetsOf } from './broken-groups.ts';

export interface BrokenList {
  environment: Environment;
  pages: Pages<BrokenTarget>;
  /** reads the list and the counts again */
  reload: () => void;
  /** reads the counts again */
  onChanged: () => void;
}

/** Sets the target of one redirect. Rejects if it is not valid for the redirect. */
export async function changeTarget(list: BrokenList, found: BrokenTarget, target: string): Promise<void> {
  const { redirect } = await fetchRedirect(found.redirect_id);
  if (redirect.new_path !== found.new_path) {
    toast(`Not changed: ${found.old_path} has another target by now. The list is up to date again.`);
    return list.reload();
  }
  const fields = { new_path: target, if_updated_at: redirect.updated_at };
  const { change_id: changeId } = await updateRedirect(redirect.id, fields);
  remove(list, [found]);
  toast(`${found.old_path} redirects to ${target}`, undoAction(changeId, { onUndone: list.reload }));
}

/** Sets the targets of redirects that `targetOf` has one for, as far as they are valid. Rejects if nothing was done. */
export async function changeTargets(
  list: BrokenList,
  found: readonly BrokenTarget[],
  targetOf: (found: BrokenTarget) => string | undefined,
): Promise<BulkEffect> {
  const { effect, changeIds, error } = await retarget(retargetsOf(found, targetOf));
  const { changed, unchanged, invalid, problems } = effect;
  const done = found.filter((each) => targetOf(each) !== undefined);
  if (changed === done.length) remove(list, done);
  else list.reload();
  const details = problems.map((problem) => `${counted(problem.count, 'redirect')}: ${reasonOf(problem)}`).join(' ');
  const undo = undoAction(changeIds, { onUndone: list.reload });
  if (changed > 0) toast(resultText(effect), undo, undefined, details || undefined);
  else if (invalid === 0 && unchanged > 0)
    toast('Not changed: the redirects have other targets by now. The list is up to date again.');
  if (error !== undefined) toastError(error, 'Could not change the other targets');
  return effect;
}

export async function deleteBroken(list: BrokenList, found: readonly BrokenTarget[]): Promise<void> {
  const redirectIds = found.map(({ redirect_id: id }) => id);
  const { deleted, change_id: changeId } = await bulkDelete({ redirectIds });
  remove(list, found);
  toast(`${counted(deleted, 'redirect')} deleted`, undoAction(changeId, { onUndone: list.reload }));
}

/** Own targets are checked in production only. */
export const canCheckAgain = ({ environment }: BrokenList, { new_path: target }: BrokenTarget): boolean =>
  environment === 'production' || !target.startsWith('/');

/** Starts a check of one target. The message leads to it. */
export async function checkAgain(website: Website, { environment }: BrokenList, found: BrokenTarget): Promise<void> {
  const body = { kind: 'targets', environment, filter: { new_path: found.new_path } } as const;
  const { check } = await startLiveCheck(website.id, body);
  const link = { label: 'Open the check', href: `/websites/${website.id}/checks/${check.id}` };
  toast(`${found.new_path} is checked again`, undefined, link);
}

/** Removes rows in place, so that the others that are loaded stay. */
function remove({ pages, reload, onChanged }: BrokenList, found: readonly BrokenTarget[]): void {
  // The list may have been read again since.
  const ids = new Set(found.map(({ redirect_id: id }) => id));
  const rest = pages.data.value?.filter(({ redirect_id: id }) => !ids.has(id)) ?? [];
  if (rest.length === 0) return reload();
  pages.data.value = rest;
  onChanged();
}
