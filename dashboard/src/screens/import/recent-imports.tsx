import { useSignal } from '@preact/signals';
import { listChanges } from '../../api/changes.ts';
import type { Change, Website } from '../../api/wire.ts';
import { mayEdit } from '../../state/session.ts';
import { useResource } from '../../state/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { changeText } from '../../ui/change-text.ts';
import { ActorName } from '../../ui/field-changes.tsx';
import { ListCard } from '../../ui/list-card.tsx';
import { Time } from '../../ui/time.tsx';
import { UndoChange } from '../../ui/undo-change.tsx';
import { ROW, useRows } from '../../ui/use-rows.ts';
import { activityUrl } from '../../urls.ts';

const KINDS = ['import', 'sync'] as const;
const SHOWN = 20;
const REFRESH_MS = 10_000;

/** The latest imports and syncs of a website. Each can be undone for 30 days. */
export function RecentImports({ website }: { website: Website }) {
  const recent = useResource(
    `imports:${website.id}`,
    async (signal) => {
      const lists = await Promise.all(
        KINDS.map((kind) => listChanges({ website_id: website.id, kind, limit: SHOWN }, signal)),
      );
      return lists
        .flatMap(({ changes }) => changes)
        .toSorted((a, b) => b.revision - a.revision)
        .slice(0, SHOWN);
    },
    { everyMs: REFRESH_MS },
  );
  const asked = useSignal<string | undefined>(undefined);
  const rows = useRows(mayEdit.value ? [{ keys: 'u', label: 'Undo the import' }] : []);
  return (
    <>
      <ListCard title="Recent imports" aside={null} resource={recent}>
        {(imports) =>
          imports.length === 0 ? (
            <p class="body muted">No imports yet.</p>
          ) : (
            <div {...rows}>
              <ol class="row-list recent-imports">
                {imports.map((change) => (
                  <Row key={change.id} change={change} onUndo={() => (asked.value = change.id)} />
                ))}
              </ol>
            </div>
          )
        }
      </ListCard>
      {asked.value !== undefined && (
        <UndoChange changeId={asked.value} onUndone={recent.reload} onClose={() => (asked.value = undefined)} />
      )}
    </>
  );
}

function Row({ change, onUndo }: { change: Change; onUndo: () => void }) {
  const text = changeText(change);
  const isUndone = change.undone_by !== null;
  return (
    <li {...ROW}>
      <div>
        <p class="break">
          <a href={activityUrl(change.website_id, { change: change.id })}>{text}</a>{' '}
          {isUndone && <span class="badge">Undone</span>}
        </p>
        <p class="small muted break">
          <ActorName actor={change.actor} />, <Time at={change.created_at} />
        </p>
      </div>
      {!isUndone && mayEdit.value && (
        <Button size="small" icon="undo" data-key="u" aria-label={`Undo: ${text}`} onClick={onUndo}>
          Undo
        </Button>
      )}
    </li>
  );
}
