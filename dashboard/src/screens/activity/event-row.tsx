import { useSignal } from '@preact/signals';
import { restoreRedirect } from '../../api/events.ts';
import type { ActivityEvent } from '../../api/wire.ts';
import { mayEdit } from '../../state/session.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { websites } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { ActorName, FieldChanges } from '../../ui/field-changes.tsx';
import { ROW } from '../../ui/use-rows.ts';
import { RowStart } from './days.tsx';
import { changesOf, eventText, redirectOf } from './event-text.ts';

const UNDO_WINDOW_MS = 24 * 3_600_000;

export function EventRow({
  event,
  isWebsiteShown,
  onUndone,
}: {
  event: ActivityEvent;
  isWebsiteShown: boolean;
  onUndone: () => void;
}) {
  const { icon, tone, text, to } = eventText(event);
  const website = websites.value?.find(({ id }) => id === event.website_id);
  return (
    <li {...ROW}>
      <RowStart at={event.timestamp} icon={icon} isBad={tone === 'danger'} />
      <div class="activity-text">
        <p class="break">
          <ActorName actor={event.actor} />{' '}
          {to !== undefined && website ? (
            <a href={`/websites/${website.id}${to}`} data-key="Enter">
              {text}
            </a>
          ) : (
            text
          )}
        </p>
        <FieldChanges changes={changesOf(event)} />
        {website && isWebsiteShown && <p class="small muted truncate">{website.name}</p>}
      </div>
      {isUndoable(event) && <Undo event={event} onUndone={onUndone} />}
    </li>
  );
}

/**
 * True for single changes and deletions of the last 24 hours. The service rejects Undo if the redirect has changed
 * since.
 */
function isUndoable(activity: ActivityEvent): boolean {
  const { event, timestamp, website_id: websiteId } = activity;
  if (!mayEdit.value || websiteId === null || !redirectOf(activity)) return false;
  if (event !== 'redirect.updated' && event !== 'redirect.deleted') return false;
  return Date.now() - Date.parse(timestamp) < UNDO_WINDOW_MS;
}

function Undo({ event, onUndone }: { event: ActivityEvent; onUndone: () => void }) {
  const isBusy = useSignal(false);
  const path = redirectOf(event)?.old_path ?? '';
  async function undo(): Promise<void> {
    isBusy.value = true;
    try {
      await restoreRedirect({ website_id: event.website_id ?? 0, event_id: event.id });
      toast(event.event === 'redirect.deleted' ? `${path} restored` : `Change of ${path} undone`);
      onUndone();
    } catch (thrown) {
      toastError(thrown, 'Could not undo');
    }
    isBusy.value = false;
  }
  return (
    <Button
      size="small"
      icon="undo"
      data-key="u"
      disabled={isBusy.value}
      aria-label={`Undo: ${eventText(event).text}`}
      onClick={() => void undo()}
    >
      Undo
    </Button>
  );
}
