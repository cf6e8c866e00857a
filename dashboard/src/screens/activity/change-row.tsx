import type { Change } from '../../api/wire.ts';
import { query } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { changeIcon, changeText } from '../../ui/change-text.ts';
import { ActorName } from '../../ui/field-changes.tsx';
import { TextWithPath } from '../../ui/path-text.tsx';
import { Time } from '../../ui/time.tsx';
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
            <TextWithPath text={text} path={change.old_path} />
          </a>
          {isUndone && <span class="badge">Undone</span>}
        </p>
        <Undid change={change} />
        <UndoneBy change={change} />
      </div>
      {onUndo && !isUndone && (
        <Button size="small" icon="undo" data-key="u" aria-label={`Undo: ${text}`} onClick={() => onUndo(change.id)}>
          Undo
        </Button>
      )}
    </li>
  );
}

/** The link of an undo to what it undid. */
export function Undid({ change: { undoes } }: { change: Change }) {
  if (undoes === null) return null;
  return (
    <p class="small muted">
      <a href={changeUrl(undoes)}>View what was undone</a>
    </p>
  );
}

/** The actor and the time of the undo, with a link to the undo. */
export function UndoneBy({ change: { undone, undone_by: id } }: { change: Change }) {
  if (!undone || id === null) return null;
  return (
    <p class="small muted break">
      Undone by <ActorName actor={undone.actor} />, <Time at={undone.created_at} />.{' '}
      <a href={changeUrl(id)}>View the undo</a>
    </p>
  );
}

/** This list with the panel of the change open. */
function changeUrl(id: string): string {
  const next = new URLSearchParams(query.value);
  next.set('change', id);
  return `/activity?${next.toString()}`;
}
