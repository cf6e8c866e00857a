/** A redirect that is not live because of its schedule, where a path gets another response now. */
import type { TestedUrl } from '../api/client/wire.ts';
import { updateRedirect } from '../api/redirects.ts';
import { capitalized, fullTime } from '../format.ts';
import { mayEdit } from '../state/session.ts';
import { toast } from '../state/toasts.ts';
import { currentWebsite } from '../state/websites.ts';
import { redirectUrl } from '../urls.ts';
import { ActionButton, LinkButton } from './button.tsx';
import { type Bounds, scheduleOf } from './text/schedule.ts';
import { TextWithPath } from './text/path-text.tsx';
import { undoAction, type UndoHandlers } from './undo-change.ts';

export interface Inactive extends Bounds {
  id: number;
  websiteId: number;
  status: number;
  target: string | null;
}

/** The redirect of a test that would match within its schedule. */
export const inactiveOf = (websiteId: number, found: NonNullable<TestedUrl['inactive']>): Inactive => ({
  ...found,
  id: found.redirect_id,
  websiteId,
  status: found.status_code,
  target: found.location,
});

/** `From 26 Nov 2026, 22:01: 302 to /deals`. */
export function scheduledText(
  { status, target, ...bounds }: Bounds & Pick<Inactive, 'status' | 'target'>,
  now = Date.now(),
): string {
  const { active_from: from, active_until: until } = bounds;
  const isEnded = scheduleOf(bounds, now).phase === 'ended';
  const when = isEnded ? `ended ${fullTime(until ?? '')}` : `from ${fullTime(from ?? '')}`;
  return `${capitalized(when)}: ${status}${target === null ? '' : ` to ${target}`}`;
}

/** The button that makes it live: `Start now`, or `Remove end` if it has ended. */
export const startLabel = (bounds: Bounds, now = Date.now()): string =>
  scheduleOf(bounds, now).phase === 'ended' ? 'Remove end' : 'Start now';

/** Removes the bound of the schedule because of which the redirect is not live. Rejects like `updateRedirect`. */
export function startNow({ id, websiteId, ...bounds }: Inactive, handlers: UndoHandlers): Promise<void> {
  const isEnded = scheduleOf(bounds, Date.now()).phase === 'ended';
  return removeBound({ id, websiteId }, isEnded ? 'active_until' : 'active_from', handlers);
}

/** Removes the start or the end of a schedule. Rejects like `updateRedirect`. */
export async function removeBound(
  { id, websiteId }: Pick<Inactive, 'id' | 'websiteId'>,
  bound: keyof Bounds,
  handlers: UndoHandlers = { onUndone: nothing },
): Promise<void> {
  const { change_id: changeId } = await updateRedirect(id, { [bound]: null });
  const website = currentWebsite.value?.id === websiteId ? currentWebsite.value : undefined;
  const isNow = website?.auto_deploy !== false;
  toast(
    isNow ? 'Schedule removed' : 'Schedule removed. Deploy the change to make it live.',
    undoAction(changeId, handlers),
  );
}

const nothing = (): void => {};

interface ScheduledRedirectProps {
  of: Inactive;
  /** the response until then, such as `404 now. `; '' if it is known */
  now: string;
  onStarted?: () => void;
  onUndone?: () => void;
}

/** Effect and schedule of a redirect, with buttons that open and start it. */
export function ScheduledRedirect({ of, now, onStarted = nothing, onUndone = nothing }: ScheduledRedirectProps) {
  return (
    <div class="row wrap">
      <span class="break">
        <TextWithPath text={`${now}${scheduledText(of)}.`} path={of.target} />
      </span>
      <LinkButton size="small" href={redirectUrl(of.websiteId, of.id)}>
        Open
      </LinkButton>
      {mayEdit.value && (
        <ActionButton
          size="small"
          failure="Could not change the schedule"
          onAct={async () => {
            await startNow(of, { onUndone, onRedone: onStarted });
            onStarted();
          }}
        >
          {startLabel(of)}
        </ActionButton>
      )}
    </div>
  );
}
