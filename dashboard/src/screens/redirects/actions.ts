/** Operations on single redirects: the request, the loaded rows, the toast, and Undo. */
import { bulkDelete, createRedirect, deleteRedirect, fetchRedirect, updateRedirect } from '../../api/redirects.ts';
import type { Redirect, RedirectFields, Website } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { toast, type Toast, toastError } from '../../state/toasts.ts';
import { currentWebsite } from '../../state/websites.ts';
import { liveSince } from './live-state.ts';
import type { RedirectList } from './list/redirect-list.ts';
import { environmentsOf } from './view.ts';
import { shownPath } from '../../ui/text/path-parts.ts';
import { undoAction } from '../../ui/undo-change.ts';
import { deployStep, liveUrl } from '../../urls.ts';

/** The rows that an operation keeps up to date. */
export type RedirectRows = Pick<RedirectList, 'prepend' | 'patch' | 'remove' | 'reload'>;

/** Delays between checks whether a change is live: mostly after about 10 ms, on large websites after a second. */
const CHECK_DELAYS_MS = [150, 400, 900, 2_000, 4_000];

/** Creates a redirect. Rejects if it is invalid. */
export async function createOne(list: RedirectRows, body: RedirectFields & { website_id: number }): Promise<Redirect> {
  const { redirect, change_id: changeId } = await createRedirect(body);
  list.prepend(redirect);
  const undo = undoAction(changeId, {
    onUndone: () => void list.remove(new Set([redirect.id])),
    onRedone: () => list.reload(),
  });
  toast(
    `Redirect created: ${shortened(shownPath(redirect.old_path).text)}`,
    undo,
    currentWebsite.value && nextStep(currentWebsite.value, redirect),
  );
  void watchUntilLive(list, redirect.id);
  return redirect;
}

const MAX_IN_TOAST = 60;
const shortened = (text: string): string => (text.length > MAX_IN_TOAST ? `${text.slice(0, MAX_IN_TOAST)}…` : text);

/** Updates a redirect, and returns it. Rejects if the change is invalid, or if `before` is not its state any more. */
export async function updateOne(
  list: RedirectRows,
  before: Redirect,
  fields: Partial<RedirectFields>,
  done = 'Saved',
): Promise<Partial<Redirect>> {
  const { redirect, change_id: changeId } = await updateRedirect(before.id, {
    ...fields,
    if_updated_at: before.updated_at,
  });
  list.patch(before.id, redirect);
  if (changeId === null) return redirect;
  toast(done, undoAction(changeId, { onUndone: () => void watchUntilLive(list, before.id) }));
  void watchUntilLive(list, before.id);
  return redirect;
}

/** Deletes redirects. Rows disappear immediately, and return on failure and on Undo. */
export async function deleteWithUndo(list: RedirectRows, redirects: readonly Redirect[]): Promise<void> {
  const ids = redirects.map(({ id }) => id);
  const [only] = ids;
  const restoreRows = list.remove(new Set(ids));
  try {
    const write = ids.length === 1 && only !== undefined ? deleteRedirect(only) : bulkDelete({ redirectIds: ids });
    const undo = undoAction((await write).change_id, {
      onUndone() {
        restoreRows();
        for (const id of ids) void watchUntilLive(list, id);
      },
      onRedone: () => list.reload(),
    });
    toast(`${counted(ids.length, 'redirect')} deleted`, undo);
  } catch (thrown) {
    restoreRows();
    list.reload();
    toastError(thrown, 'Could not delete');
  }
}

/** Loads a redirect, and again until it is live in all of its environments or the last delay has passed. */
async function watchUntilLive(list: RedirectRows, id: number): Promise<void> {
  for (const ms of [0, ...CHECK_DELAYS_MS]) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    const found = await fetchRedirect(id).catch(() => undefined);
    if (!found) return;
    list.patch(id, found.redirect);
    if (isLive(found.redirect) || currentWebsite.value?.auto_deploy === false) return;
  }
}

function isLive(redirect: Redirect): boolean {
  const since = liveSince(redirect);
  return environmentsOf(redirect).every((environment) => since[environment] !== null && !redirect.live?.[environment]);
}

/**
 * The link of the toast after a new redirect: deploy it, its release with a gate, add or verify a host, or visit it. Drafts
 * have none, and patterns no visit.
 */
function nextStep(website: Website, redirect: Redirect): Toast['link'] {
  const [environment] = environmentsOf(redirect);
  if (!environment) return undefined;
  const base = `/websites/${website.id}`;
  const deploy = deployStep(website, environment);
  if (deploy) return deploy;
  // A gate may stop the deployment, and then the redirect does not answer.
  if ([...website.gated_environments, ...website.url_gate].includes(environment))
    return { label: 'View release', href: `${base}/deployments?environment=${environment}` };
  const url = liveUrl(website, environment, redirect.old_path);
  if (url === undefined) {
    const hasHost = website.hosts.some((host) => host.environment === environment);
    return { label: hasHost ? 'Verify the host' : 'Add a host', href: `${base}/settings` };
  }
  return redirect.is_regex ? undefined : { label: 'Visit', href: url };
}
