import { EVENT_KINDS } from '../../../../src/vocabulary/event.ts';
import { listEvents } from '../../api/events.ts';
import { query, setQuery } from '../../router.ts';
import { mayEdit } from '../../state/session.ts';
import { usePages } from '../../state/use-pages.ts';
import { websites } from '../../state/websites.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { useRows } from '../../ui/use-rows.ts';
import { Days } from './days.tsx';
import { EventRow } from './event-row.tsx';
import { EVENT_TYPE_LABELS } from './event-text.ts';

const REFRESH_MS = 15_000;
const PAGE_SIZE = 50;
const OPEN = { keys: 'Enter', label: 'Open the event' };
const UNDO = { keys: 'u', label: 'Undo the change' };
const NO_FILTER = { website: undefined, event: undefined, redirect: undefined };

/** The events of the account, with Undo for changes of single redirects. */
export function EventList() {
  const website = websites.value?.find(({ id }) => String(id) === query.value.get('website'))?.id;
  const event = EVENT_KINDS.find((kind) => kind === query.value.get('event'));
  const redirectId = /^\d{1,15}$/.exec(query.value.get('redirect') ?? '')?.[0];
  const pages = usePages(
    `events:${website ?? ''}:${event ?? ''}:${redirectId ?? ''}`,
    async (cursor, signal) => {
      const filter = { website_id: website, event, redirect_id: redirectId };
      const { events, next_cursor: next } = await listEvents({ ...filter, cursor, limit: PAGE_SIZE }, signal);
      return { rows: events, next };
    },
    { everyMs: REFRESH_MS },
  );
  const rows = pages.rows.value;
  const list = useRows(mayEdit.value ? [OPEN, UNDO] : [OPEN]);
  const error = pages.error.value;
  const isWebsiteShown = (websites.value?.length ?? 0) > 1 && website === undefined;
  const isFiltered = website !== undefined || event !== undefined || redirectId !== undefined;
  return (
    <>
      <Filters website={website} event={event} redirectId={redirectId} />
      {error && <Problem error={error} onRetry={pages.reload} />}
      {!rows && !error && <Skeleton lines={10} height={22} />}
      {rows?.length === 0 && <NoEvents isFiltered={isFiltered} />}
      {rows && rows.length > 0 && (
        <div class="activity" {...list}>
          <Days rows={rows} timeOf={({ timestamp }) => timestamp}>
            {(each) => <EventRow key={each.id} event={each} isWebsiteShown={isWebsiteShown} onUndone={pages.reload} />}
          </Days>
          <LoadMore pages={pages} />
        </div>
      )}
    </>
  );
}

function Filters({
  website,
  event,
  redirectId,
}: {
  website: number | undefined;
  event: string | undefined;
  redirectId: string | undefined;
}) {
  return (
    <div class="filter-bar">
      {redirectId !== undefined && (
        <Button icon="close" onClick={() => setQuery({ redirect: undefined })}>
          Redirect {redirectId}
        </Button>
      )}
      <Select
        aria-label="Website"
        value={website === undefined ? '' : String(website)}
        options={[['', 'Any website'], ...(websites.value ?? []).map(({ id, name }) => [String(id), name] as const)]}
        onChoose={(id) => setQuery({ website: id })}
      />
      <Select
        aria-label="Event"
        value={event ?? ''}
        options={[['', 'Any event'], ...EVENT_KINDS.map((kind) => [kind, EVENT_TYPE_LABELS[kind]] as const)]}
        onChoose={(kind) => setQuery({ event: kind })}
      />
    </div>
  );
}

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty
        icon="search"
        title="No matching events"
        actions={<Button onClick={() => setQuery(NO_FILTER)}>Clear filters</Button>}
      />
    );
  }
  return (
    <Empty icon="activity" title="No activity yet" actions={<LinkButton href="/websites">Go to websites</LinkButton>}>
      Changes of redirects, deployments, imports and exports appear here.
    </Empty>
  );
}
