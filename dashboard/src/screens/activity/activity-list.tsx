import { useSignal } from '@preact/signals';
import { listActivity } from '../../api/changes.ts';
import type { ActivityEntry, Website } from '../../api/wire.ts';
import { closeQuery, query } from '../../router.ts';
import { mayEdit, user } from '../../state/session.ts';
import { usePages } from '../../state/use-pages.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { UndoChange } from '../../ui/undo-change.tsx';
import { useRows } from '../../ui/use-rows.ts';
import { ChangePanel } from './change-panel.tsx';
import { ChangeRow } from './change-row.tsx';
import { Days } from './days.tsx';
import { clearFilters, FilterBar, filtersIn, isFiltered } from './filters.tsx';
import { DeploymentRow, SettingsRow } from './other-rows.tsx';

const REFRESH_MS = 15_000;
const PAGE_SIZE = 50;
const OPEN = { keys: 'Enter', label: 'Open the entry' };
const UNDO = { keys: 'u', label: 'Undo the change' };

/** The activity of a website, with its filters in the URL. */
export function ActivityList({ website }: { website: Website }) {
  const filters = filtersIn(query.value);
  const pages = usePages(
    JSON.stringify(['activity', website.id, filters]),
    async (cursor, signal) => {
      const page = await listActivity({ website_id: website.id, ...filters, cursor, limit: PAGE_SIZE }, signal);
      return { rows: page.activity, next: page.next_cursor };
    },
    { everyMs: REFRESH_MS },
  );
  const undone = useSignal<string | undefined>(undefined);
  const list = useRows(mayEdit.value ? [OPEN, UNDO] : [OPEN]);
  const openId = query.value.get('change');
  const rows = pages.rows.value;
  const error = pages.error.value;
  const askUndo = mayEdit.value ? (id: string) => (undone.value = id) : undefined;
  return (
    <>
      <FilterBar website={website} people={peopleIn(rows)} />
      {error && <Problem error={error} onRetry={pages.reload} />}
      {!rows && !error && <Skeleton lines={10} height={22} />}
      {rows?.length === 0 && <Nothing website={website} isFiltered={isFiltered(filters)} />}
      {rows && rows.length > 0 && (
        <div class="activity" {...list}>
          <Days rows={rows} timeOf={({ created_at }) => created_at}>
            {(entry) => <Row key={keyOf(entry)} entry={entry} website={website} onUndo={askUndo} />}
          </Days>
          <LoadMore pages={pages} />
        </div>
      )}
      {openId !== null && (
        <ChangePanel key={openId} id={openId} onUndo={askUndo} onClose={() => closeQuery('change')} />
      )}
      {undone.value !== undefined && (
        <UndoChange
          changeId={undone.value}
          onUndone={() => {
            closeQuery('change');
            pages.reload();
          }}
          onClose={() => (undone.value = undefined)}
        />
      )}
    </>
  );
}

const keyOf = ({ change, deployment, settings }: ActivityEntry): string =>
  change?.id ?? deployment?.id ?? settings?.id ?? '';

/** Names to filter by: those in the list, and the user's own. */
function peopleIn(rows: readonly ActivityEntry[] | undefined): string[] {
  const names = (rows ?? []).filter(({ actor }) => actor.type !== 'system').map(({ actor }) => actor.name);
  return [...new Set([user.value?.email ?? '', ...names])].filter((name) => name !== '').toSorted();
}

function Row({
  entry: { created_at: at, actor, change, deployment, settings },
  website,
  onUndo,
}: {
  entry: ActivityEntry;
  website: Website;
  onUndo: ((id: string) => void) | undefined;
}) {
  if (change) return <ChangeRow change={change} onUndo={onUndo} />;
  if (deployment) return <DeploymentRow at={at} deployment={deployment} websiteId={website.id} />;
  return settings && <SettingsRow at={at} entry={{ ...settings, actor }} websiteId={website.id} />;
}

function Nothing({ website, isFiltered }: { website: Website; isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty icon="search" title="No matching activity" actions={<Button onClick={clearFilters}>Clear filters</Button>}>
        Activity is kept for 30 days. Enter the whole path of a redirect, and the whole name of a person or API key.
      </Empty>
    );
  }
  return (
    <Empty
      icon="activity"
      title="No activity in the last 30 days"
      actions={<LinkButton href={`/websites/${website.id}/redirects`}>View redirects</LinkButton>}
    >
      Each edit, deletion and import of redirects of {website.name} appears here, and can be undone for 30 days.
    </Empty>
  );
}
