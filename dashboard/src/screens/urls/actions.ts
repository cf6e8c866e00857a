/** Redirects for lost URLs, from their suggestions. Each operation offers Undo. */
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { writes } from '../../api/client/client.ts';
import { importFile, newImportId } from '../../api/imports.ts';
import { createRedirect } from '../../api/redirects.ts';
import type { Website, WebsiteUrl } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { toast, type Toast } from '../../state/toasts.ts';
import { usable } from '../../ui/suggestions.ts';
import { undoAction } from '../../ui/undo-change.ts';
import { reviewUrl } from '../../urls.ts';

export interface LostUrls {
  website: Website;
  environment: Environment;
}

/** Deployments take 10 ms to 1 s, on large websites more. */
const LIVE_MS = [300, 1_000, 3_000];
const STATUS = 301;

/** True for a lost URL, unless an undeployed redirect answers it. */
export const needsRedirect = ({ answered, draft }: WebsiteUrl): boolean =>
  answered === 'lost' && (draft === undefined || draft.answered === 'lost');

/** True for a lost URL that the next deployment answers. */
export const waitsForDeployment = (url: WebsiteUrl): boolean => url.answered === 'lost' && !needsRedirect(url);

/**
 * The page that a lost URL has most probably become; undefined if none is probable enough, or if the URL has a redirect
 * that ends at a lost page.
 */
export const bestTarget = (url: WebsiteUrl): string | undefined =>
  needsRedirect(url) && url.redirect_id === null ? usable(url.suggestions ?? [])[0]?.target : undefined;

/** Redirects a lost URL. Rejects if the redirect is not valid. */
export async function redirectLost(lost: LostUrls, url: string, target: string): Promise<void> {
  const { change_id: changeId } = await createRedirect({
    website_id: lost.website.id,
    old_path: url,
    new_path: target,
    status_code: STATUS,
    is_regex: false,
    group_id: null,
    notes: null,
    target_environments: lost.environment,
    active_from: null,
    active_until: null,
  });
  toast(`${url} redirects to ${target}`, settle(changeId), nextStep(lost));
}

/** Redirects each URL to its suggestion, as one change. Those that have a redirect by now keep it. */
export async function redirectAllLost(lost: LostUrls, urls: readonly WebsiteUrl[]): Promise<void> {
  const rows = urls.flatMap((each) => {
    const target = bestTarget(each);
    return target === undefined ? [] : [{ old_path: each.url, new_path: target, status_code: STATUS }];
  });
  const file = new File([JSON.stringify(rows)], 'suggestions.json', { type: 'application/json' });
  const options = {
    website_id: lost.website.id,
    dry_run: false,
    import_id: newImportId(),
    on_conflict: 'skip',
    add_slash: false,
    columns: {},
    target_environments: lost.environment,
    group_id: undefined,
    corrections: {},
  } as const;
  const {
    imported,
    skipped,
    errors,
    error_count: invalid,
    change_id: changeId,
  } = await importFile(file, options, {
    onSent: () => {},
    signal: new AbortController().signal,
  });
  const others = [
    ...(skipped > 0 ? [`${counted(skipped, 'URL has', 'URLs have')} a redirect already.`] : []),
    ...(invalid > 0 ? [`${counted(invalid, 'redirect')} would be invalid: ${errors[0]?.message ?? ''}.`] : []),
  ];
  toast(`${counted(imported, 'redirect')} created`, settle(changeId), nextStep(lost), others.join(' ') || undefined);
}

/** Reads the list again once redirects may be live. */
export function reloadWhenLive(): void {
  for (const ms of LIVE_MS) setTimeout(() => writes.value++, ms);
}

/** Reads the list again once the redirects may be live, also after an undo. Returns the Undo. */
function settle(changeId: string | null): Toast['action'] {
  reloadWhenLive();
  return undoAction(changeId, { onUndone: reloadWhenLive, onRedone: reloadWhenLive });
}

/** The review of the deployment that undeployed redirects wait for; undefined if it is automatic. */
export function nextStep({
  website: { id, auto_deploy: isAutomatic, held_environments: held },
  environment,
}: LostUrls) {
  if (isAutomatic && !held.includes(environment)) return undefined;
  return { label: 'Deploy', href: reviewUrl(id, environment, { action: 'deploy' }) };
}
