import { useSignal } from '@preact/signals';
import { BROKEN_TARGETS, type CheckState } from '../../../../src/vocabulary/checks.ts';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listLiveResults } from '../../api/live-checks.ts';
import type { LiveCheck, LiveCheckResult, Website } from '../../api/client/wire.ts';
import { type Grouped, groupResults, hostOf, resultText } from '../../checks/results.ts';
import { badgeOf, isUnfinished, STATE_ORDER, STATES } from '../../checks/states.ts';
import { counted, number } from '../../format.ts';
import { closeQuery, query, setQuery, urlWith } from '../../router.ts';
import { useOnChange } from '../../state/resource/use-resource.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { mayEdit } from '../../state/session.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { Tabs } from '../../ui/page/tabs.tsx';
import { PathText } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { pathOf, redirectUrl } from '../../urls.ts';
import { newlyLabel } from './check-parts.tsx';
import { REFRESH_MS } from './checks-screen.tsx';
import { HistoryPanel } from './history-panel.tsx';

/** Many, so that a group is whole. */
const PAGE_SIZE = 500;
/** Redirects of a result that are shown at once. */
const FEW = 3;

type Shown = CheckState | 'new' | 'all';

/** The chosen tab; by default what is newly broken, if there is any. */
function shownIn(search: URLSearchParams, { newly_broken: newly }: LiveCheck): Shown {
  const chosen = search.get('show');
  const known: readonly Shown[] = ['new', 'all', ...STATE_ORDER];
  return known.find((each) => each === chosen) ?? (newly > 0 ? 'new' : 'all');
}

/** The results of a check: a tab for each state that occurs. */
export function Results({ website, check }: { website: Website; check: LiveCheck }) {
  const shown = shownIn(query.value, check);
  const only = shown === 'new' ? { is_newly_broken: true } : shown === 'all' ? {} : { state: shown };
  const pages = usePages(
    `live-results:${check.id}:${shown}`,
    (cursor, signal) => listLiveResults(website.id, check.id, { ...only, cursor, limit: PAGE_SIZE }, signal),
    ({ results }): Grouped<LiveCheckResult>[] => results,
    { everyMs: isUnfinished(check) ? REFRESH_MS : undefined },
  );
  useOnChange(check.status, pages.reload);
  const url = query.value.get('url');
  return (
    <>
      <StateTabs check={check} shown={shown} />
      <ResourceList
        list={pages}
        rows={groupResults(pages.data.value ?? [])}
        class="check-results"
        label="Results"
        keys={[{ keys: 'Enter', label: 'Open the history, or the targets of a host' }]}
        keyOf={({ url: key, all }) => `${key} ${all ? 'group' : ''}`}
        cells={(result) =>
          result.all ? (
            <GroupCells {...{ website, check, shown, result }} all={result.all} hasMore={pages.hasMore.value} />
          ) : (
            <Cells {...{ website, check, shown, result }} why={resultText(result)} />
          )
        }
        empty={<NoResults check={check} shown={shown} />}
      />
      {url !== null && <HistoryPanel key={url} website={website} url={url} onClose={() => closeQuery('url')} />}
    </>
  );
}

function StateTabs({ check, shown }: { check: LiveCheck; shown: Shown }) {
  const { states, newly_broken: newly, progress } = check;
  const tab = (name: Shown, label: string, count: number, tone: string) => ({
    href: urlWith({ show: name }),
    isCurrent: name === shown,
    label: (
      <>
        {label} <span class={`badge ${count > 0 ? tone : ''}`}>{number(count)}</span>
      </>
    ),
  });
  const tabs = STATE_ORDER.filter((state) => states[state] !== undefined || state === shown).map((state) =>
    tab(state, STATES[state].label, states[state] ?? 0, STATES[state].tone),
  );
  return (
    <Tabs
      label="States"
      tabs={[tab('new', newlyLabel(check), newly, 'danger'), ...tabs, tab('all', 'All', progress.total, '')]}
    />
  );
}

function NoResults({ check, shown }: { check: LiveCheck; shown: Shown }) {
  if (shown === 'new') {
    return (
      <Empty icon="check" title={check.is_first ? 'Nothing is broken' : 'Nothing is newly broken'}>
        {isUnfinished(check)
          ? 'So far. Errors count once they are confirmed, after an hour.'
          : check.is_first
            ? 'See the other tabs for what else was found.'
            : 'See the other tabs for what was broken before.'}
      </Empty>
    );
  }
  const showAll = <Button onClick={() => setQuery({ show: 'all' })}>Show all results</Button>;
  return <Empty icon="check" title="No results with this state" actions={shown === 'all' ? undefined : showAll} />;
}

interface CellsProps {
  website: Website;
  check: LiveCheck;
  /** the tab: one of a state names it already */
  shown: Shown;
  result: LiveCheckResult;
}

function StateBadge({ shown, result }: Pick<CellsProps, 'shown' | 'result'>) {
  const { label, tone } = badgeOf(result);
  return shown === result.state && label === STATES[shown].label ? null : <span class={`badge ${tone}`}>{label}</span>;
}

type GroupProps = CellsProps & {
  all: LiveCheckResult[];
  /** the list has further pages, so that the group may have more targets */
  hasMore: boolean;
};

/** Targets of a host with one cause, which open below it. */
function GroupCells({ all, hasMore, ...props }: GroupProps) {
  const isOpen = useSignal(false);
  const host = hostOf(props.result.url);
  const why = resultText(props.result);
  const count = `${hasMore ? 'At least ' : ''}${counted(all.length, 'target')}`;
  return (
    <>
      <span class="strong break">
        {count} of {host}
      </span>
      <span>
        <StateBadge {...props} />
      </span>
      <span class="actions">
        <Button
          size="small"
          data-key="Enter"
          aria-expanded={isOpen.value}
          aria-label={`${isOpen.value ? 'Hide' : 'Show'} the targets of ${host}: ${why}`}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          {isOpen.value ? 'Hide' : 'Show'}
        </Button>
      </span>
      <span class="small muted whole">{why}</span>
      {isOpen.value && (
        <ul class="row-list check-results whole" aria-label={`Targets of ${host}`}>
          {all.map((result) => (
            <li key={result.url}>
              <Cells {...props} result={result} why="" />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The redirects with a broken target. A target on an own host is a path. */
function healthUrl({ id, hosts }: Website, environment: Environment, url: string): string {
  const isOwn = hosts.some(({ hostname }) => hostname === URL.parse(url)?.hostname);
  const query = { show: 'broken_targets', environment, target: isOwn ? pathOf(url) : url };
  return `/websites/${id}/health?${String(new URLSearchParams(query))}`;
}

/** A URL with its state and status; below, why, where it leads, and the redirects concerned. */
function Cells({ website, check, shown, result, why }: CellsProps & { why: string }) {
  const { url, status, checked_at: at, is_newly_broken: isNew } = result;
  return (
    <>
      <span class="mono strong shrink">
        <PathText path={url} />
      </span>
      <span>
        <StateBadge {...{ shown, result }} />
      </span>
      <span class="actions">
        {isMendable(check, result) && mayEdit.value && (
          <LinkButton
            size="small"
            href={healthUrl(website, check.environment, url)}
            aria-label={`Change target ${url}`}
          >
            Change target
          </LinkButton>
        )}
        <Button size="small" data-key="Enter" aria-label={`History of ${url}`} onClick={() => setQuery({ url })}>
          History
        </Button>
      </span>
      <span class="row-facts small muted whole break">
        {isNew && shown !== 'new' && !check.is_first && <span class="bad">Newly broken</span>}
        {why !== '' && <span>{why}</span>}
        {status !== null && !why.includes(String(status)) && <span>Status {status}</span>}
        {at !== null && (
          <span>
            Checked <Time at={at} />
          </span>
        )}
        <Redirects website={website} result={result} />
        <Ends kind={check.kind} result={result} />
      </span>
    </>
  );
}

/** Health lists it as a broken target, with other pages for its redirects. */
const isMendable = ({ kind }: LiveCheck, { state, confirmed, redirect_count: redirects }: LiveCheckResult): boolean =>
  kind === 'targets' && redirects > 0 && confirmed && BROKEN_TARGETS.some((each) => each === state);

/** The end of the URL's redirects; of the kind sources, its Location and the expected one. */
function Ends({ kind, result }: { kind: LiveCheck['kind']; result: LiveCheckResult }) {
  const { state, url, location, end_url: end, expected_status: code, expected_location: expected } = result;
  const to = kind === 'sources' ? location : (end ?? location);
  const isExpectation = kind === 'sources' && code !== null && state !== 'ok' && state !== 'skipped';
  return (
    <>
      {to !== null && to !== url && <span class="whole mono">→&nbsp;{to}</span>}
      {isExpectation && (
        <span class="whole">
          Expected {code} {expected !== null && <span class="mono">→&nbsp;{expected}</span>}
        </span>
      )}
    </>
  );
}

/** Links to the redirects concerned; many are folded. */
function Redirects({ website, result }: Pick<CellsProps, 'website' | 'result'>) {
  const { redirects, redirect_count: count } = result;
  if (count === 0) return null;
  const links = redirects.map(({ id, old_path: path }) => (
    <a key={id} class="mono break" href={redirectUrl(website.id, id)}>
      {path}
    </a>
  ));
  const rest = count - redirects.length;
  const more = rest > 0 && <span>and {counted(rest, 'redirect')} more or deleted</span>;
  if (count <= FEW) {
    return (
      <span class="row-facts">
        {count === 1 ? 'Redirect' : 'Redirects'} {links} {more}
      </span>
    );
  }
  return (
    <details class="whole">
      <summary>{counted(count, 'redirect')}</summary>
      <span class="row-facts">
        {links} {more}
      </span>
    </details>
  );
}
