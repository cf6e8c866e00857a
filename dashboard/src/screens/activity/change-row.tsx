import type { Change } from '../../api/wire.ts';
import { query } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { changeIcon, changeText } from '../../ui/change-text.ts';
import { ActorName } from '../../ui/field-changes.tsx';
import { ROW } from '../../ui/use-rows.ts';
import { RowStart } from './days.tsx';

/** A change in the list. `onUndo`: undefined if the user may not undo. */
export function ChangeRow({ change, onUndo }: { change: Change; onUndo: ((id: string) => void) | undefined }) {
  const text = changeText(change);
  const isUndone = change.undone_by !== null;
  return (
    <li {...ROW}>
      <RowStart at={change.created_at} icon={changeIcon(change)} />
      <div class="activity-text">
        <p class="break">
          <ActorName actor={change.actor} />{' '}
          <a href={changeUrl(change.id)} data-key="Enter">
            {text}
          </a>
          {isUndone && <span class="badge">Undone</span>}
        </p>
      </div>
      {onUndo && !isUndone && (
        <Button size="small" icon="undo" data-key="u" aria-label={`Undo: ${text}`} onClick={() => onUndo(change.id)}>
          Undo
        </Button>
      )}
    </li>
  );
}

/** This list with the panel of the change open. */
function changeUrl(id: string): string {
  const next = new URLSearchParams(query.value);
  next.set('change', id);
  return `/activity?${next.toString()}`;
}
