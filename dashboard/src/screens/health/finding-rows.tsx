import type { HealthPage } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { Icon } from '../../ui/icons.tsx';
import { PathText, WrappedPath } from '../../ui/text/path-text.tsx';
import { redirectUrl } from '../../urls.ts';
import type { Finding } from './view.ts';

export type Found<List extends Finding> = HealthPage[List][number];

const MAX_HOPS = 100;

/** A loop, from path to path and back to the first. A growing one never reaches the first again. */
export function LoopRow({ websiteId, loop }: { websiteId: number; loop: Found<'loops'> }) {
  const { redirect_ids: ids, old_paths: paths, hops, growing: isGrowing = false } = loop;
  const hidden = hops - paths.length;
  return (
    <li>
      <ol class="row-facts loop mono">
        {ids.map((id, at) => (
          <li key={id} class="row shrink">
            <a class="break" href={redirectUrl(websiteId, id)}>
              <WrappedPath path={paths[at] ?? ''} />
            </a>
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

/** The start of a chain, its length and its end. */
export function ChainRow({ websiteId, chain }: { websiteId: number; chain: Found<'chains'> }) {
  const { redirect_id: id, old_path: from, hops } = chain;
  return (
    <li class="chain-row">
      <span class="mono">
        <a href={redirectUrl(websiteId, id)}>
          <PathText path={from} />
        </a>
      </span>
      <span class="badge warn">{hops >= MAX_HOPS ? `${MAX_HOPS} hops or more` : counted(hops, 'hop')}</span>
      <ChainEnd chain={chain} />
    </li>
  );
}

function ChainEnd({ chain: { final_path: end, final_status: status, hops } }: { chain: Found<'chains'> }) {
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
export function ShadowedRow({ websiteId, shadowed }: { websiteId: number; shadowed: Found<'shadowed'> }) {
  const { redirect_id: id, old_path: from, new_path: to } = shadowed;
  const { by_redirect_id: by, by_old_path: byFrom, by_new_path: byTo } = shadowed;
  return (
    <li>
      <RedirectLine websiteId={websiteId} id={id} from={from} to={to} />
      <span class="small muted">never matches because of</span>
      <RedirectLine websiteId={websiteId} id={by} from={byFrom} to={byTo} />
    </li>
  );
}

/** Redirects with equivalent paths. */
export function DuplicatesRow({ websiteId, duplicates }: { websiteId: number; duplicates: Found<'duplicates'> }) {
  const { redirect_ids: ids, old_paths: paths, new_paths: targets, count } = duplicates;
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

/** A redirect in one line, with a link to its panel. */
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
