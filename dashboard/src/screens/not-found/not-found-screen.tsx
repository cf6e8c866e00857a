import './not-found.css';
import { useSignal } from '@preact/signals';
import { listMissingPaths } from '../../api/not-found.ts';
import type { MissingPath, Website } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { type Params, query, setQuery } from '../../router.ts';
import { planHas } from '../../state/plan.ts';
import { mayEdit } from '../../state/session.ts';
import { usePages } from '../../state/use-pages.ts';
import { websites } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { EnvironmentSelect } from '../../ui/environment-select.tsx';
import { Select } from '../../ui/field.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Page } from '../../ui/page.tsx';
import { PlanNeeded } from '../../ui/plan-needed.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { useRows } from '../../ui/use-rows.ts';
import { PathRow } from './path-row.tsx';
import { SHOWN, type Shown, type View, viewOf } from './view.ts';

const LEAD = 'What visitors asked for and no redirect matched.';

/** The inbox of paths that nobody serves: what to make a redirect for. */
export function NotFoundScreen({ params }: { params: Params }) {
  const website = websites.value?.find(({ id }) => String(id) === params['websiteId']);
  if (!website) return null;
  if (planHas('analytics')) return <Inbox website={website} view={viewOf(query.value)} />;
  return (
    <Page title="Not found" lead={LEAD}>
      <PlanNeeded feature="analytics" />
    </Page>
  );
}

function Inbox({ website, view }: { website: Website; view: View }) {
  const { environment, shown } = view;
  const other = useSignal(0);
  const pages = usePages<MissingPath>(
    `not-found:${website.id}:${environment}:${shown}`,
    async (cursor, signal) => {
      const noise = shown === 'ignored' ? undefined : shown === 'noise';
      const filter = { environment, noise, ignored: shown === 'ignored', cursor };
      const page = await listMissingPaths(website.id, filter, signal);
      other.value = page.other.hits;
      return { rows: page.paths, next: page.next_cursor };
    },
  );
  const rows = pages.rows.value;
  const list = useRows(mayEdit.value ? keysOf(shown) : []);
  const error = pages.error.value;
  const isEmpty = rows?.length === 0 && !pages.hasMore.value;
  return (
    <Page
      title="Not found"
      lead={
        <>
          {LEAD} {!mayEdit.value && <span class="badge warn">Read only</span>}
        </>
      }
      actions={<Filters view={view} />}
    >
      {error && <Problem error={error} onRetry={pages.reload} />}
      {!rows && !error && <Skeleton lines={8} height={26} />}
      {isEmpty && <Nothing shown={shown} />}
      {rows && !isEmpty && (
        <div class="card" {...list}>
          <ul class="row-list missing-list">
            {rows.map((missing) => (
              <PathRow
                key={missing.path}
                inbox={{ websiteId: website.id, environment, pages }}
                missing={missing}
                isAside={shown === 'ignored'}
              />
            ))}
          </ul>
          <LoadMore pages={pages} />
        </div>
      )}
      {other.value > 0 && (
        <p class="muted small">
          {counted(other.value, 'further hit')} on paths that are not kept one by one: there were too many
          different ones.
        </p>
      )}
    </Page>
  );
}

function Filters({ view }: { view: View }) {
  return (
    <div class="filter-bar">
      <EnvironmentSelect value={view.environment} />
      <Select
        aria-label="Which paths"
        value={view.shown}
        options={SHOWN}
        onChoose={(name) => setQuery({ show: name === 'paths' ? undefined : name })}
      />
    </div>
  );
}

/** What can be done with a row that has the focus. */
function keysOf(shown: Shown) {
  if (shown === 'ignored') return [{ keys: 'Enter', label: 'Put the path back' }];
  const aside = { keys: 'Delete', label: 'Put the path aside' };
  if (shown === 'noise') return [aside];
  return [
    { keys: 'Enter', label: 'Redirect the path' },
    { keys: '1', label: 'Redirect it to the first suggestion; 2 and 3 to the others' },
    aside,
  ];
}

const NOTHING: Record<Shown, readonly [string, string]> = {
  paths: [
    'Nothing to deal with',
    'A path that visitors ask for and no redirect matches appears here at once.',
  ],
  noise: ['No noise', 'What scanners ask every website for, such as /.env, is kept apart here.'],
  ignored: ['Nothing was put aside', 'Paths that are put aside, or got a redirect here, are counted on.'],
};

function Nothing({ shown }: { shown: Shown }) {
  const [title, text] = NOTHING[shown];
  return (
    <Empty
      icon={shown === 'paths' ? 'check' : 'missing'}
      title={title}
      actions={
        shown !== 'paths' && <Button onClick={() => setQuery({ show: undefined })}>To the inbox</Button>
      }
    >
      {text}
    </Empty>
  );
}
