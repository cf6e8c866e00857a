import { useSignal } from '@preact/signals';
import { badRowsUrl, listImports } from '../../api/imports.ts';
import type { ImportState, Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { ActorName } from '../../ui/list/field-changes.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Time } from '../../ui/text/time.tsx';
import { UndoChange } from '../../ui/undo-dialog.tsx';
import { activityUrl } from '../../urls.ts';
import { importFailureText } from './import-words.ts';

const SHOWN = 20;
const REFRESH_MS = 10_000;
const UNDO_DAYS = 30;

/** The latest imports and syncs of a website. Each can be undone for 30 days. */
export function RecentImports({ website }: { website: Website }) {
  const recent = useResource(
    `imports:${website.id}`,
    async (signal) => (await listImports({ website_id: website.id, limit: SHOWN }, signal)).imports,
    { everyMs: REFRESH_MS },
  );
  const asked = useSignal<string | undefined>(undefined);
  return (
    <>
      <ResourceList
        list={recent}
        title="Recent imports"
        keys={mayEdit.value ? [{ keys: 'u', label: 'Undo the import' }] : []}
        class="recent-imports"
        keyOf={({ id }) => id}
        cells={(each) => <Cells websiteId={website.id} shown={each} onUndo={(id) => (asked.value = id)} />}
        empty={<p class="body muted">No imports yet.</p>}
      />
      {asked.value !== undefined && (
        <UndoChange changeId={asked.value} onUndone={recent.reload} onClose={() => (asked.value = undefined)} />
      )}
    </>
  );
}

interface CellsProps {
  websiteId: number;
  shown: ImportState;
  onUndo: (changeId: string) => void;
}

function Cells({ websiteId, shown, onUndo }: CellsProps) {
  const { change_id: change, status, summary, actor, error } = shown;
  const name = nameOf(shown);
  return (
    <>
      <div>
        <p class="break">
          {change === null ? <span>{name}</span> : <a href={activityUrl(websiteId, { change })}>{name}</a>}{' '}
          <StateBadge shown={shown} />
        </p>
        <p class="small break">
          {status === 'failed' ? importFailureText(error ?? '') : summary && countsText(summary)}
          {summary && summary.errors > 0 && (
            <>
              {summary && countsText(summary) !== '' && ', '}
              <a href={badRowsUrl(shown.id)} download>
                {counted(summary.errors, 'invalid row')}
              </a>
            </>
          )}
        </p>
        <p class="small muted break">
          {actor && (
            <>
              <ActorName actor={actor} />,{' '}
            </>
          )}
          <Time at={shown.created_at} />
        </p>
      </div>
      {change !== null && isUndoable(shown) && mayEdit.value && (
        <Button size="small" icon="undo" data-key="u" aria-label={`Undo: ${name}`} onClick={() => onUndo(change)}>
          Undo
        </Button>
      )}
    </>
  );
}

function StateBadge({ shown: { status, undone_by } }: { shown: ImportState }) {
  if (undone_by !== null) return <span class="badge">Undone</span>;
  if (status === 'failed') return <span class="badge danger">Failed</span>;
  return status === 'running' ? <span class="badge warn">Running</span> : null;
}

function nameOf({ file_name, source }: ImportState): string {
  if (file_name !== null && file_name !== '') return file_name;
  return { csv: 'File', api: 'Import with the API', sync: 'Sync', move: 'Move' }[source];
}

/** Only counts above 0, without the invalid rows, which are a link. */
function countsText({ created, updated, deleted = 0, skipped, unchanged = 0, errors }: Summary): string {
  const parts = [
    [created, 'created'],
    [updated, 'updated'],
    [deleted, 'deleted'],
    [skipped, 'skipped'],
    [unchanged, 'unchanged'],
  ] as const;
  const text = parts.flatMap(([count, label]) => (count > 0 ? `${number(count)} ${label}` : [])).join(', ');
  return text === '' && errors === 0 ? 'Nothing changed' : text;
}

type Summary = NonNullable<ImportState['summary']>;

function isUndoable({ undone_by, created_at }: ImportState): boolean {
  return undone_by === null && Date.parse(created_at) > Date.now() - UNDO_DAYS * 86_400_000;
}
