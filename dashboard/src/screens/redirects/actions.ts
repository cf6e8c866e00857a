/** Operations on single redirects: the request, the loaded rows, the toast, and Undo. */
import {
  bulkUpdate,
  type BulkChange,
  createRedirect,
  deleteRedirect,
  fetchRedirect,
  undoLast,
  updateRedirect,
} from '../../api/redirects.ts';
import type { Redirect, RedirectFields } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { currentWebsite } from '../../state/websites.ts';
import { REDIRECT_FIELDS } from './draft.ts';
import { nextStep } from './next-step.ts';
import type { RedirectList } from './redirect-list.ts';
import { environmentsOf } from './view.ts';

/** Delays between checks whether a change is live: mostly after about 10 ms, on large websites after a second. */
const CHECK_DELAYS_MS = [150, 400, 900, 2_000, 4_000];

/** Creates a redirect. Rejects if it is invalid. */
export async function createOne(list: RedirectList, body: RedirectFields & { website_id: number }): Promise<Redirect> {
  const { redirect } = await createRedirect(body);
  list.prepend(redirect);
  const undo = { label: 'Undo', run: () => void deleteOneByOne(list, [redirect], { isUndo: true }) };
  toast('Redirect created', undo, currentWebsite.value && nextStep(currentWebsite.value, redirect));
  void watchUntilLive(list, redirect.id);
  return redirect;
}

/** Updates a redirect. Rejects if the change is invalid. */
export async function updateOne(list: RedirectList, before: Redirect, fields: Partial<RedirectFields>): Promise<void> {
  const { redirect } = await updateRedirect(before.id, fields);
  const hasChanged =
    redirect.updated_at !== before.updated_at ||
    REDIRECT_FIELDS.some((name) => redirect[name] !== undefined && redirect[name] !== before[name]);
  list.patch(before.id, redirect);
  if (!hasChanged) return;
  toast('Saved', { label: 'Undo', run: () => void undoChange(list, before) });
  void watchUntilLive(list, before.id);
}

async function undoChange(list: RedirectList, { website_id, id }: Redirect): Promise<void> {
  try {
    list.patch(id, await undoLast(website_id, id, 'redirect.updated'));
    void watchUntilLive(list, id);
  } catch (thrown) {
    toastError(thrown, 'Could not undo');
  }
}

/**
 * Deletes each redirect with its own request, so that Undo can restore each. Rows disappear immediately, and return on
 * failure.
 */
export async function deleteOneByOne(
  list: RedirectList,
  redirects: readonly Redirect[],
  { isUndo = false }: { isUndo?: boolean } = {},
): Promise<void> {
  const restoreRows = list.remove(new Set(redirects.map(({ id }) => id)));
  const outcomes = await Promise.allSettled(redirects.map(({ id }) => deleteRedirect(id)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    restoreRows();
    list.reload();
    return toastError(failed.reason, 'Could not delete');
  }
  if (isUndo) return;
  toast(`${counted(redirects.length, 'redirect')} deleted`, {
    label: 'Undo',
    run: () => void undoDeletion(list, redirects, restoreRows),
  });
}

async function undoDeletion(
  list: RedirectList,
  redirects: readonly Redirect[],
  restoreRows: () => void,
): Promise<void> {
  try {
    for (const { website_id, id } of redirects) await undoLast(website_id, id, 'redirect.deleted');
    restoreRows();
    for (const { id } of redirects) void watchUntilLive(list, id);
  } catch (thrown) {
    list.reload();
    toastError(thrown, 'Could not undo');
  }
}

/** Undoes a bulk update of loaded rows: one request for all rows that had the same values. */
export async function restoreFields(
  list: RedirectList,
  before: readonly Redirect[],
  changed: readonly (keyof BulkChange)[],
): Promise<void> {
  const previousFields = (redirect: Redirect): BulkChange =>
    Object.fromEntries(changed.map((field) => [field, redirect[field]]));
  const groups = Map.groupBy(before, (redirect) => JSON.stringify(previousFields(redirect)));
  try {
    for (const group of groups.values()) {
      const [first] = group;
      if (first) await bulkUpdate({ redirectIds: group.map(({ id }) => id) }, previousFields(first));
    }
  } catch (thrown) {
    toastError(thrown, 'Could not undo');
  }
  list.reload();
  list.countBulkWrite();
}

/** Reloads a redirect until it is live in all of its environments, or until the last delay has passed. */
async function watchUntilLive(list: RedirectList, id: number): Promise<void> {
  if (currentWebsite.value?.auto_deploy === false) return;
  for (const ms of CHECK_DELAYS_MS) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    const found = await fetchRedirect(id).catch(() => undefined);
    if (!found) return;
    list.patch(id, found.redirect);
    if (isLive(found.redirect)) return;
  }
}

function isLive(redirect: Redirect): boolean {
  const since = liveSince(redirect);
  return environmentsOf(redirect).every((environment) => since[environment] !== null);
}

/** By environment, since when the current version of the redirect is live; null if it is not. */
export const liveSince = (redirect: Redirect) => ({
  production: redirect.deployed_to_prod,
  staging: redirect.deployed_to_staging,
  development: redirect.deployed_to_dev,
});
