import type { HealthPage } from '../../api/wire.ts';
import { counted, number } from '../../format.ts';
import { Icon } from '../../ui/icons.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { redirectAddress, RedirectLine } from './redirect-line.tsx';
import type { Finding } from './view.ts';

type Found<List extends Finding> = HealthPage[List][number];

const MOST_HOPS = 100;

/** A circle, from path to path and back. */
export function LoopRow({ websiteId, loop }: { websiteId: number; loop: Found<'loops'> }) {
  const { redirect_ids: ids, old_paths: paths, hops } = loop;
  const left = hops - paths.length;
  return (
    <li>
      <ol class="circle mono">
        {ids.map((id, at) => (
          <li key={id}>
            <a class="break" href={redirectAddress(websiteId, id)}>
              {paths[at]}
            </a>
            <Icon name="arrow" />
          </li>
        ))}
        {left > 0 && (
          <li class="muted">
            {number(left)} more <Icon name="arrow" />
          </li>
        )}
        <li class="muted break">{paths[0]}</li>
      </ol>
    </li>
  );
}

/** The beginning of a chain, how long it is, and its end. */
export function ChainRow({ websiteId, chain }: { websiteId: number; chain: Found<'chains'> }) {
  const { redirect_id: id, old_path: from, hops } = chain;
  return (
    <li class="chain-row">
      <span class="mono">
        <a href={redirectAddress(websiteId, id)}>
          <PathText path={from} />
        </a>
      </span>
      <span class="badge warn">{hops >= MOST_HOPS ? `${MOST_HOPS} hops or more` : counted(hops, 'hop')}</span>
      <ChainEnd chain={chain} />
    </li>
  );
}

function ChainEnd({ chain: { final_path: end, final_status: status, hops } }: { chain: Found<'chains'> }) {
  if (end === null) {
    return <span class="chain-end bad">{hops >= MOST_HOPS ? 'no end in sight' : 'ends in a circle'}</span>;
  }
  return (
    <span class="chain-end mono">
      <PathText path={end} />
      {(status === 410 || status === 451) && <span class="muted">gone ({status})</span>}
    </span>
  );
}

/** A pattern that never answers, and what does instead. */
export function ShadowedRow({ websiteId, shadowed }: { websiteId: number; shadowed: Found<'shadowed'> }) {
  const { redirect_id: id, old_path: from, new_path: to } = shadowed;
  const { by_redirect_id: by, by_old_path: byFrom, by_new_path: byTo } = shadowed;
  return (
    <li class="pair">
      <RedirectLine websiteId={websiteId} id={id} from={from} to={to} />
      <span class="small muted">never answers, because of</span>
      <RedirectLine websiteId={websiteId} id={by} from={byFrom} to={byTo} />
    </li>
  );
}

/** Redirects whose paths are one. */
export function DuplicatesRow({
  websiteId,
  duplicates,
}: {
  websiteId: number;
  duplicates: Found<'duplicates'>;
}) {
  const { redirect_ids: ids, old_paths: paths, new_paths: targets, count } = duplicates;
  const left = count - ids.length;
  return (
    <li class="pair">
      {ids.map((id, at) => (
        <RedirectLine
          key={id}
          websiteId={websiteId}
          id={id}
          from={paths[at] ?? ''}
          to={targets[at] ?? null}
        />
      ))}
      {left > 0 && <span class="small muted">and {number(left)} more</span>}
    </li>
  );
}
