import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { HealthPage } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import type { Pages } from '../../state/resource/use-pages.ts';
import { mayEdit } from '../../state/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ROW, useRows } from '../../ui/list/use-rows.ts';
import { Empty } from '../../ui/page/states.tsx';
import { PathText, WrappedPath } from '../../ui/text/path-text.tsx';
import { redirectUrl } from '../../urls.ts';
import { FINDING_LABEL, type Listed } from './view.ts';

interface RowProps<List extends Listed> {
  websiteId: number;
  found: HealthPage[List][number];
  /** opens a redirect over the list. `from`: the element that does */
  onEdit: (id: number, from: Element) => void;
}

const ROWS: { [List in Listed]: ComponentType<RowProps<List>> } = {
  loops: LoopRow,
  chains: ChainRow,
  shadowed: ShadowedRow,
  duplicates: DuplicatesRow,
};

const CHANGE = { keys: 'Enter', label: 'Change the first redirect of the loop' };

/** Rows added per click; a page of the service has 1,000. */
const STEP = 50;

/** All findings of one type of the report, in steps. */
export function FindingList<List extends Listed>(props: {
  websiteId: number;
  finding: List;
  pages: Pages<HealthPage>;
  onEdit: (id: number, from: Element) => void;
}) {
  const { websiteId, finding, pages, onEdit } = props;
  const attributes = useRows(mayEdit.value && finding === 'loops' ? [CHANGE] : []);
  const limit = useSignal(STEP);
  const loaded = pages.data.value ?? [];
  const rows = loaded.flatMap((page): HealthPage[List][number][] => page[finding]);
  const Row: ComponentType<RowProps<List>> = ROWS[finding];
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
          {rows.slice(0, limit.value).map((found, at) => (
            <Row key={at} websiteId={websiteId} found={found} onEdit={onEdit} />
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

function ChainRow({ websiteId, found }: RowProps<'chains'>) {
  const { redirect_id: id, old_path: from, hops } = found;
  return (
    <li class="chain-row">
      <span class="mono">
        <a href={redirectUrl(websiteId, id)}>
          <PathText path={from} />
        </a>
      </span>
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
