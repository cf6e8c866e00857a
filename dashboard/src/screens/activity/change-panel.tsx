import { useSignal } from '@preact/signals';
import { fetchChange } from '../../api/changes.ts';
import type { Change, ChangeItem } from '../../api/wire.ts';
import { usePages } from '../../state/use-pages.ts';
import { redirectUrl } from '../../urls.ts';
import { Button } from '../../ui/button.tsx';
import { changeText, itemVerb } from '../../ui/change-text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ActorName, FieldChanges } from '../../ui/field-changes.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { fieldChanges, ruleText } from '../../ui/redirect-fields.ts';
import { TextWithPath, WrappedPath } from '../../ui/path-text.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Undid, UndoneBy } from './change-row.tsx';

const PAGE_SIZE = 100;

/** A change with its redirects, before and after. `onUndo`: undefined if the user may not undo. */
export function ChangePanel({
  id,
  onUndo,
  onClose,
}: {
  id: string;
  onUndo: ((id: string) => void) | undefined;
  onClose: () => void;
}) {
  const change = useSignal<Change | undefined>(undefined);
  const pages = usePages(`change:${id}`, async (cursor, signal) => {
    const page = await fetchChange(id, { cursor, limit: PAGE_SIZE }, signal);
    change.value = page.change;
    return { rows: page.items, next: page.next_cursor };
  });
  const items = pages.rows.value;
  const error = pages.error.value;
  return (
    <Dialog title="Change" shape="side" onClose={onClose}>
      <div class="dialog-body change-items">
        {change.value && <Summary change={change.value} />}
        {error && <Problem error={error} onRetry={pages.reload} />}
        {!items && !error && <Skeleton lines={6} height={22} />}
        {items && change.value && (
          <ol class="row-list card" aria-label="Redirects">
            {items.map((item) => (
              <Item key={item.redirect_id} item={item} websiteId={change.value?.website_id ?? 0} />
            ))}
          </ol>
        )}
        <LoadMore pages={pages} />
      </div>
      <footer>
        <Button kind="quiet" onClick={onClose}>
          Close
        </Button>
        {onUndo && change.value?.undone_by === null && (
          <Button icon="undo" onClick={() => onUndo(id)}>
            Undo
          </Button>
        )}
      </footer>
    </Dialog>
  );
}

function Summary({ change }: { change: Change }) {
  return (
    <div class="activity-text">
      <p class="break">
        <ActorName actor={change.actor} /> <TextWithPath text={changeText(change)} path={change.old_path} />,{' '}
        <Time at={change.created_at} />.{change.undone_by !== null && <span class="badge">Undone</span>}
      </p>
      <Undid change={change} />
      <UndoneBy change={change} />
    </div>
  );
}

function Item({ item, websiteId }: { item: ChangeItem; websiteId: number }) {
  const { redirect_id: id, old_path: path, before, after } = item;
  const verb = itemVerb(item);
  const rule = after ?? before ?? {};
  return (
    <li>
      <p class="change-item">
        {after ? (
          <a class="mono break" href={redirectUrl(websiteId, id)}>
            <WrappedPath path={path} />
          </a>
        ) : (
          <span class="mono break">
            <WrappedPath path={path} />
          </span>
        )}
        <span class={`badge ${BADGES[verb]}`}>{verb}</span>
      </p>
      {before && after ? (
        <FieldChanges changes={fieldChanges(before, after)} />
      ) : (
        <p class="small muted break">{ruleText({ old_path: path, ...rule })}</p>
      )}
    </li>
  );
}

const BADGES = { created: 'ok', updated: 'warn', deleted: 'danger' };
