import './activity.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { activityExport, listActivity } from '../../api/changes.ts';
import type { ActivityPage, Website } from '../../api/client/wire.ts';
import { closeQuery, go, query } from '../../router.ts';
import { highestRole, mayAs } from '../../state/session.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { websites } from '../../state/websites.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { peopleIn } from '../../ui/form/text-filter.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import type { Action } from '../../ui/page/folded.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { UndoChange } from '../../ui/undo-dialog.tsx';
import { activityUrl } from '../../urls.ts';
import { ChangePanel } from './change-panel.tsx';
import { ActivityCells } from './entries.tsx';
import { clearFilters, Filters, filtersIn, isFiltered } from './filters.tsx';
import { type ActivityRow, groupedRows } from './groups.ts';

const REFRESH_MS = 15_000;
const PAGE_SIZE = 50;
const OPEN = { keys: 'Enter', label: 'Open the entry' };
const UNDO = { keys: 'u', label: 'Undo the change' };
const LEAD = 'Changes of redirects, deployments and changes of settings in the last 30 days.';

export const ActivityScreen = ({ website }: { website: Website }) => <Screen website={website} />;

/** The activity of all websites. The former address of that of one website opens that. */
export function AllActivityScreen() {
  const { website: id, ...rest } = Object.fromEntries(query.value);
  const former = id === undefined ? undefined : websites.value?.find((each) => String(each.id) === id);
  const url = former && activityUrl(former.id, rest);
  useEffect(() => {
    if (url) go(url, { replace: true });
  }, [url]);
  return former ? null : <Screen website={undefined} />;
}

/** `website` undefined: of all. */
function Screen({ website }: { website: Website | undefined }) {
  const filters = filtersIn(query.value);
  const exported: Action = {
    label: isFiltered(filters) ? 'Export these entries' : 'Export',
    href: activityExport({ website_id: website?.id, ...askedFor(filters) }),
    icon: 'file',
    download: true,
  };
  const audit: Action[] = mayAs('owner') ? [{ label: 'Audit log', icon: 'audit', href: '/account/audit' }] : [];
  return (
    <Page title="Activity" lead={LEAD} more={[exported, ...audit]}>
      <ActivityList website={website} />
    </Page>
  );
}

function ActivityList({ website }: { website: Website | undefined }) {
  const filters = filtersIn(query.value);
  const pages = usePages<ActivityRow, ActivityPage>(
    JSON.stringify(['activity', website?.id, filters]),
    (cursor, signal) =>
      listActivity({ website_id: website?.id, ...askedFor(filters), cursor, limit: PAGE_SIZE }, signal),
    ({ activity }) => activity,
    { everyMs: REFRESH_MS },
  );
  const undone = useSignal<string | undefined>(undefined);
  const open = useSignal<ReadonlySet<string>>(new Set());
  const openId = query.value.get('change');
  // With a path, each entry is a step of its history.
  const loaded = pages.data.value;
  const rows = loaded && filters.old_path === undefined ? groupedRows(loaded) : loaded;
  const last = pages.hasMore.value ? rows?.at(-1) : undefined;
  const askUndo = (id: string): void => void (undone.value = id);
  return (
    <>
      <Filters websiteId={website?.id} people={peopleIn(loaded)} />
      <ResourceList
        list={pages}
        keys={highestRole.value !== 'viewer' ? [OPEN, UNDO] : [OPEN]}
        class="activity-list"
        dayOfRow={({ created_at: at }) => at}
        {...(rows && { rows })}
        keyOf={keyOf}
        cells={(entry) => (
          <ActivityCells
            entry={entry}
            mayContinue={entry === last}
            isOfAll={!website}
            open={open}
            onUndo={askUndo}
            onReload={pages.reload}
          />
        )}
        empty={<Nothing website={website} isFiltered={isFiltered(filters)} />}
      />
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

/** A part of a name is enough. */
const askedFor = ({ actor, ...filters }: ReturnType<typeof filtersIn>) => ({
  ...filters,
  actor: actor && `*${actor}*`,
});

/** A group keeps the key of its oldest change while newer ones join it. */
const keyOf = ({ change, group, deployment, settings }: ActivityRow): string =>
  group?.at(-1)?.id ?? change?.id ?? deployment?.id ?? settings?.id ?? '';

function Nothing({ website, isFiltered }: { website: Website | undefined; isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty icon="search" title="No matching activity" actions={<Button onClick={clearFilters}>Clear filters</Button>}>
        Activity is kept for 30 days. Enter the whole path of a redirect, and a part of the name of a person or API key.
      </Empty>
    );
  }
  return (
    <Empty
      icon="activity"
      title="No activity in the last 30 days"
      actions={website && <LinkButton href={`/websites/${website.id}/redirects`}>View redirects</LinkButton>}
    >
      Each edit, deletion and import of redirects of {website?.name ?? 'a website'} appears here, and can be undone for
      30 days.
    </Empty>
  );
}
