import { useSignal } from '@preact/signals';
import { listChanges } from '../../api/changes.ts';
import type { Website } from '../../api/wire.ts';
import { query, closeQuery, setQuery } from '../../router.ts';
import { mayEdit } from '../../state/session.ts';
import { usePages } from '../../state/use-pages.ts';
import { currentWebsite, websites } from '../../state/websites.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { UndoChange } from '../../ui/undo-change.tsx';
import { useRows } from '../../ui/use-rows.ts';
import { ChangePanel } from './change-panel.tsx';
import { ChangeRow } from './change-row.tsx';
import { Days } from './days.tsx';

const REFRESH_MS = 15_000;
const PAGE_SIZE = 50;
const OPEN = { keys: 'Enter', label: 'Open the change' };
const UNDO = { keys: 'u', label: 'Undo the change' };

/** The changes of the website in the URL, by default of the last one that was open. */
export function ChangeList() {
  const named = websites.value?.find(({ id }) => String(id) === query.value.get('website'));
  const website = named ?? currentWebsite.value;
  if (!website) {
    return (
      <Empty icon="activity" title="No changes yet" actions={<LinkButton href="/websites">Go to websites</LinkButton>}>
        Changes of redirects appear here.
      </Empty>
    );
  }
  return (
    <>
      <div class="filter-bar">
        <Select
          aria-label="Website"
          value={String(website.id)}
          options={(websites.value ?? []).map(({ id, name }) => [String(id), name] as const)}
          onChoose={(id) => setQuery({ website: id })}
        />
      </div>
      <WebsiteChanges key={website.id} website={website} />
    </>
  );
}

function WebsiteChanges({ website }: { website: Website }) {
  const pages = usePages(
    `changes:${website.id}`,
    async (cursor, signal) => {
      const page = await listChanges({ website_id: website.id, cursor, limit: PAGE_SIZE }, signal);
      return { rows: page.changes, next: page.next_cursor };
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
      {error && <Problem error={error} onRetry={pages.reload} />}
      {!rows && !error && <Skeleton lines={10} height={22} />}
      {rows?.length === 0 && <NoChanges website={website} />}
      {rows && rows.length > 0 && (
        <div class="activity" {...list}>
          <Days rows={rows} timeOf={({ created_at }) => created_at}>
            {(change) => <ChangeRow key={change.id} change={change} onUndo={askUndo} />}
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

function NoChanges({ website }: { website: Website }) {
  return (
    <Empty
      icon="activity"
      title="No changes in the last 30 days"
      actions={<LinkButton href={`/websites/${website.id}/redirects`}>View redirects</LinkButton>}
    >
      Each edit, deletion and import of redirects of {website.name} appears here, and can be undone for 30 days.
    </Empty>
  );
}
