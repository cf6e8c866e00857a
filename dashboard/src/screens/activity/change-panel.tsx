import { useSignal } from '@preact/signals';
import { fetchChange } from '../../api/changes.ts';
import type { Change, ChangeItem } from '../../api/client/wire.ts';
import { mayEditAt } from '../../state/session.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { redirectUrl } from '../../urls.ts';
import { Button } from '../../ui/button.tsx';
import { changeText, itemVerb } from '../../ui/text/change-text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ActorName, FieldChanges } from '../../ui/list/field-changes.tsx';
import { fieldChanges, ruleText } from '../../ui/form/redirect-fields.ts';
import { TextWithPath, WrappedPath } from '../../ui/text/path-text.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Time } from '../../ui/text/time.tsx';
import { UndoLinks } from './entries.tsx';

const PAGE_SIZE = 100;

/** A change with its redirects, before and after. */
export function ChangePanel(props: { id: string; onUndo: (id: string) => void; onClose: () => void }) {
  const { id, onUndo, onClose } = props;
  const change = useSignal<Change | undefined>(undefined);
  const pages = usePages(
    `change:${id}`,
    (cursor, signal) => fetchChange(id, { cursor, limit: PAGE_SIZE }, signal),
    (page) => {
      change.value = page.change;
      return page.items;
    },
  );
  return (
    <Dialog title="Change" shape="side" onClose={onClose}>
      <div class="dialog-body fields">
        {change.value && <Summary change={change.value} />}
        <ResourceList
          list={pages}
          class="change-list"
          label="Redirects"
          keyOf={({ redirect_id: redirectId }) => redirectId}
          cells={(item) => <Cells item={item} websiteId={change.value?.website_id ?? 0} />}
          empty={null}
        />
      </div>
      <footer>
        <Button kind="quiet" onClick={onClose}>
          Close
        </Button>
        {change.value?.undone_by === null && mayEditAt(change.value.website_id) && (
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
      <UndoLinks change={change} />
    </div>
  );
}

function Cells({ item, websiteId }: { item: ChangeItem; websiteId: number }) {
  const { redirect_id: id, old_path: path, before, after } = item;
  const verb = itemVerb(item);
  const rule = after ?? before ?? {};
  return (
    <>
      <p class="row apart top">
        <span class="mono break">
          {after ? (
            <a href={redirectUrl(websiteId, id)}>
              <WrappedPath path={path} />
            </a>
          ) : (
            <WrappedPath path={path} />
          )}
        </span>
        <span class={`badge ${BADGES[verb]}`}>{verb}</span>
      </p>
      {before && after ? (
        <FieldChanges changes={fieldChanges(before, after)} />
      ) : (
        <p class="small muted break">{ruleText({ old_path: path, ...rule })}</p>
      )}
    </>
  );
}

const BADGES = { created: 'ok', updated: 'warn', deleted: 'danger' };
