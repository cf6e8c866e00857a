/** What can be done with redirects: the call, the rows at hand, what is told, and how it is undone. */
import { isEnvironment } from '../../../../src/vocabulary/environment.ts';
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
import { nextStep } from './next-step.ts';
import type { RedirectList } from './redirect-list.ts';

/** When it is looked whether a change is live: an edit takes some ten milliseconds, a large website a second. */
const LOOK_AFTER_MS = [150, 400, 900, 2_000, 4_000];

/** Creates one; rejects with what is wrong with it. */
export async function create(
  list: RedirectList,
  body: RedirectFields & { website_id: number },
): Promise<Redirect> {
  const { redirect } = await createRedirect(body);
  list.prepend(redirect);
  const undo = { label: 'Undo', run: () => void remove(list, [redirect], { isUndo: true }) };
  toast('Redirect created', undo, currentWebsite.value && nextStep(currentWebsite.value, redirect));
  void watchUntilLive(list, redirect.id);
  return redirect;
}

/** Changes one; rejects with what is wrong with the change. */
export async function change(
  list: RedirectList,
  before: Redirect,
  fields: Partial<RedirectFields>,
): Promise<void> {
  const { redirect } = await updateRedirect(before.id, fields);
  const hasChanged = redirect.updated_at !== before.updated_at || differs(before, redirect);
  list.patch(before.id, redirect);
  if (!hasChanged) return;
  toast('Saved', { label: 'Undo', run: () => void undoChange(list, before) });
  void watchUntilLive(list, before.id);
}

const differs = (before: Redirect, after: Partial<Redirect>): boolean =>
  Object.entries(after).some(
    ([name, value]) => Object.entries(before).find(([key]) => key === name)?.[1] !== value,
  );

async function undoChange(list: RedirectList, { website_id, id }: Redirect): Promise<void> {
  try {
    list.patch(id, await undoLast(website_id, id, 'redirect.updated'));
    void watchUntilLive(list, id);
  } catch (thrown) {
    toastError(thrown, 'Undoing');
  }
}

/** Deletes each by itself, so that each can be brought back; the rows go at once and return where it fails. */
export async function remove(
  list: RedirectList,
  redirects: readonly Redirect[],
  { isUndo = false }: { isUndo?: boolean } = {},
): Promise<void> {
  const putBack = list.remove(new Set(redirects.map(({ id }) => id)));
  const outcomes = await Promise.allSettled(redirects.map(({ id }) => deleteRedirect(id)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    putBack();
    list.reload();
    return toastError(failed.reason, 'Deleting');
  }
  if (isUndo) return;
  toast(`${counted(redirects.length, 'redirect')} deleted`, {
    label: 'Undo',
    run: () => void undoDeletion(list, redirects, putBack),
  });
}

async function undoDeletion(
  list: RedirectList,
  redirects: readonly Redirect[],
  putBack: () => void,
): Promise<void> {
  try {
    for (const { website_id, id } of redirects) await undoLast(website_id, id, 'redirect.deleted');
    putBack();
    for (const { id } of redirects) void watchUntilLive(list, id);
  } catch (thrown) {
    list.reload();
    toastError(thrown, 'Undoing');
  }
}

/** Gives rows that are at hand back what a bulk change took from them: one call for those that had the same. */
export async function restoreFields(
  list: RedirectList,
  before: readonly Redirect[],
  changed: readonly (keyof BulkChange)[],
): Promise<void> {
  const had = (redirect: Redirect): BulkChange =>
    Object.fromEntries(changed.map((field) => [field, redirect[field]]));
  const alike = Map.groupBy(before, (redirect) => JSON.stringify(had(redirect)));
  try {
    for (const group of alike.values()) {
      const [first] = group;
      if (first) await bulkUpdate({ redirectIds: group.map(({ id }) => id) }, had(first));
    }
  } catch (thrown) {
    toastError(thrown, 'Undoing');
  }
  list.reload();
  list.wrote();
}

/** Reads a redirect again until it is live wherever it is targeted, or it has taken too long to be waited for. */
async function watchUntilLive(list: RedirectList, id: number): Promise<void> {
  if (currentWebsite.value?.auto_deploy === false) return;
  for (const ms of LOOK_AFTER_MS) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    const found = await fetchRedirect(id).catch(() => undefined);
    if (!found) return;
    list.patch(id, found.redirect);
    if (isLive(found.redirect)) return;
  }
}

function isLive(redirect: Redirect): boolean {
  const since = liveSince(redirect);
  return redirect.target_environments
    .split(',')
    .filter(isEnvironment)
    .every((environment) => since[environment] !== null);
}

/** Since when the redirect is live as it stands, by environment. */
export const liveSince = (redirect: Redirect) => ({
  production: redirect.deployed_to_prod,
  staging: redirect.deployed_to_staging,
  development: redirect.deployed_to_dev,
});
