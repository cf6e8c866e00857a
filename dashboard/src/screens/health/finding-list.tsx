import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { HealthPage } from '../../api/client/wire.ts';
import { listRedirects } from '../../api/redirects.ts';
import { counted, number } from '../../format.ts';
import { query } from '../../router.ts';
import type { Pages } from '../../state/resource/use-pages.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { mayEdit, planHas } from '../../state/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { SelectBox } from '../../ui/list/selection-bar.tsx';
import { ROW, useRows } from '../../ui/list/use-rows.ts';
import type { RowSelection } from '../../ui/list/use-selection.ts';
import { Empty } from '../../ui/page/states.tsx';
import { PathText, WrappedPath } from '../../ui/text/path-text.tsx';
import { environmentIn, redirectUrl } from '../../urls.ts';
import { HIT_DAYS } from '../redirects/view.ts';
import { FINDING_LABEL, type Listed } from './view.ts';

interface RowProps<List extends Listed> {
  websiteId: number;
  found: HealthPage[List][number];
  /** opens a redirect over the list. `from`: the element that does */
  onEdit: (id: number, from: Element) => void;
  /** of chains */
  selection?: RowSelection<number> | undefined;
  /** of a chain, in 30 days */
  hits?: number | undefined;
}

const ROWS: { [List in Listed]: ComponentType<RowProps<List>> } = {
  loops: LoopRow,
  chains: ChainRow,
  shadowed: ShadowedRow,
  duplicates: DuplicatesRow,
};

const SELECT = { keys: 'x', label: 'Select the chain' };
const CHANGE = { keys: 'Enter', label: 'Change the first redirect of the loop' };

/** Rows added per click; a page of the service has 1,000. */
const STEP = 50;

/** All findings of one type of the report, in steps. */
export function FindingList<List extends Listed>(props: {
  websiteId: number;
  finding: List;
  pages: Pages<HealthPage>;
  onEdit: (id: number, from: Element) => void;
  /** of chains */
  selection: RowSelection<number> | undefined;
}) {
  const { websiteId, finding, pages, onEdit, selection } = props;
  const attributes = useRows(selection ? [SELECT] : mayEdit.value && finding === 'loops' ? [CHANGE] : [], selection);
  const limit = useSignal(STEP);
  const loaded = pages.data.value ?? [];
  const rows = loaded.flatMap((page): HealthPage[List][number][] => page[finding]);
  const steps = Array.from({ length: Math.ceil(Math.min(limit.value, rows.length) / STEP) }, (_, at) => at * STEP);
  const count = loaded[0]?.counts[finding] ?? 0;
  if (count === 0) return <Empty icon="check" title={`No ${FINDING_LABEL[finding].toLowerCase()}`} />;
  function more(): void {
    limit.value += STEP;
    if (limit.value > rows.length) pages.more();
  }
  return (
    <>
      <div class="card" {...attributes}>
        <ul class="row-list">
          {steps.map((at) => (
            <Step key={at} {...{ websiteId, finding, onEdit, selection }} found={rows.slice(at, at + STEP)} />
          ))}
        </ul>
        {count > limit.value && (
          <div class="more">
            <Button disabled={pages.isLoading.value} onClick={more}>
              Load more
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

interface StepProps<List extends Listed> extends Omit<RowProps<List>, 'found' | 'hits'> {
  finding: List;
  found: readonly HealthPage[List][number][];
}

/** Rows that are added at once. Those of chains get their hits by one request. */
function Step<List extends Listed>({ finding, found, ...props }: StepProps<List>) {
  const Row: ComponentType<RowProps<List>> = ROWS[finding];
  const environment = environmentIn(query.value);
  const ids = found.flatMap((each) => ('redirect_id' in each && 'hops' in each ? [each.redirect_id] : []));
  const hasHits = ids.length > 0 && planHas('analytics');
  const filter = { website_id: props.websiteId, environment };
  const { answer } = useAnswer(
    hasHits ? `${environment} ${ids.join()}` : undefined,
    (signal) => listRedirects(filter, { ids: ids.join(), limit: STEP, hits_since: `${HIT_DAYS}d` }, signal),
    0,
  );
  const hits = new Map(answer?.redirects.map((each) => [each.id, each.hits]));
  return found.map((each, at) => <Row key={at} {...props} found={each} hits={hits.get(ids[at] ?? 0)} />);
}

const MAX_HOPS = 100;

/** A loop, from path to path and back to the first. A growing one never reaches the first again. */
function LoopRow({ websiteId, found, onEdit }: RowProps<'loops'>) {
  const { redirect_ids: ids, old_paths: paths, hops, growing: isGrowing = false } = found;
  const hidden = hops - paths.length;
  return (
    <li {...ROW}>
      <ol class="row-facts loop mono">
        {ids.map((id, at) => (
          <li key={id} class="row shrink">
            <a class="break" href={redirectUrl(websiteId, id)}>
              <WrappedPath path={paths[at] ?? ''} />
            </a>
            {mayEdit.value && (
              <IconButton
                size="small"
                icon="edit"
                label={`Change the redirect of ${paths[at] ?? ''}`}
                data-key={at === 0 ? 'Enter' : undefined}
                onClick={({ currentTarget }) => onEdit(id, currentTarget)}
              />
            )}
            <Icon name="arrow" />
          </li>
        ))}
        {hidden > 0 && (
          <li class="row muted">
            {number(hidden)} more <Icon name="arrow" />
          </li>
        )}
        <li class="muted break">{isGrowing ? 'ever longer addresses' : <WrappedPath path={paths[0] ?? ''} />}</li>
      </ol>
      {isGrowing && (
        <p class="small muted">
          <span class="badge warn">Growing</span> Each step matches again and makes the address longer. Make the target
          one that the pattern does not match.
        </p>
      )}
    </li>
  );
}

function ChainRow({ websiteId, found, selection, hits }: RowProps<'chains'>) {
  const { redirect_id: id, old_path: from, hops } = found;
  return (
    <li class="chain-row" {...(selection && ROW)}>
      <span class="row shrink mono">
        {selection && <SelectBox selection={selection} rows={[id]} label={from} />}
        <a href={redirectUrl(websiteId, id)}>
          <PathText path={from} />
        </a>
      </span>
      <span class="small muted">{hits !== undefined && counted(hits, 'hit')}</span>
      <span class="badge warn">{hops >= MAX_HOPS ? `${MAX_HOPS} hops or more` : counted(hops, 'hop')}</span>
      <ChainEnd {...found} />
      <ChainWay {...found} />
    </li>
  );
}

/** The addresses between the ends of a chain. */
function ChainWay({ via, hops }: RowProps<'chains'>['found']) {
  const hidden = hops - 1 - via.length;
  return (
    <ol class="row-facts loop whole small muted mono" aria-label="Hops">
      {via.map((url, at) => (
        <li key={at} class="row shrink">
          <Icon name="arrow" />
          <span class="break">
            <WrappedPath path={url} />
          </span>
        </li>
      ))}
      {hidden > 0 && <li class="row">{number(hidden)} more</li>}
    </ol>
  );
}

function ChainEnd({ final_path: end, final_status: status, hops }: RowProps<'chains'>['found']) {
  if (end === null) {
    return <span class="bad">{hops >= MAX_HOPS ? 'does not end' : 'ends in a loop'}</span>;
  }
  return (
    <span class="row top shrink mono">
      <PathText path={end} />
      {(status === 410 || status === 451) && <span class="muted">gone ({status})</span>}
    </span>
  );
}

/** A pattern that never matches, and the redirect that takes precedence. */
function ShadowedRow({ websiteId, found }: RowProps<'shadowed'>) {
  const { redirect_id: id, old_path: from, new_path: to } = found;
  const { by_redirect_id: by, by_old_path: byFrom, by_new_path: byTo } = found;
  return (
    <li>
      <RedirectLine websiteId={websiteId} id={id} from={from} to={to} />
      <span class="small muted">never matches because of</span>
      <RedirectLine websiteId={websiteId} id={by} from={byFrom} to={byTo} />
    </li>
  );
}

function DuplicatesRow({ websiteId, found }: RowProps<'duplicates'>) {
  const { redirect_ids: ids, old_paths: paths, new_paths: targets, count } = found;
  const hidden = count - ids.length;
  return (
    <li>
      {ids.map((id, at) => (
        <RedirectLine key={id} websiteId={websiteId} id={id} from={paths[at] ?? ''} to={targets[at] ?? null} />
      ))}
      {hidden > 0 && <span class="small muted">and {number(hidden)} more</span>}
    </li>
  );
}

function RedirectLine(props: { websiteId: number; id: number; from: string; to: string | null }) {
  const { websiteId, id, from, to } = props;
  return (
    <div class="redirect-line mono">
      <a href={redirectUrl(websiteId, id)}>
        <PathText path={from} />
      </a>
      <Icon name="arrow" />
      {to === null ? <span class="muted">gone</span> : <PathText path={to} />}
    </div>
  );
}
