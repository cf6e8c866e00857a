import type { Signal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { fetchHealth } from '../../api/checks.ts';
import { listDeployments, type ReviewedAction } from '../../api/deployments.ts';
import type { Diff, Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { urlWith } from '../../router.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { KINDS, MAX_VERSIONS } from './compare-view.ts';
import { Warnings } from './deployment-problems.tsx';
import { totalOf } from './diff-lines.tsx';
import { GateCheck } from './gate-check.tsx';
import { chainsThrough, loopsOf, notMeantOf, notMeantText } from './review-text.ts';
import { UrlCheck } from './url-check.tsx';
import { followText, useAgents } from './use-agents.ts';

/** The failures that a gate would find. */
export interface Failed {
  expectations: Signal<number>;
  /** expectations that hold in the live version */
  fresh: Signal<number>;
  urls: Signal<number>;
}

interface ReviewChecksProps {
  website: Website;
  environment: Environment;
  reviewed: ReviewedAction;
  isForced: boolean;
  failed: Failed;
  diff: Pick<Diff, 'counts' | 'not_targeted' | 'added' | 'changed'>;
}

/** The effects of a release, before the press: its size, expectations, URLs, loops, and the agents that follow. */
export function ReviewChecks({ diff, failed, ...review }: ReviewChecksProps) {
  const { counts, not_targeted: notTargeted } = diff;
  const { environment, reviewed } = review;
  const notMeant = notMeantOf(environment, reviewed, notTargeted);
  return (
    <section class="card" aria-label="Checks">
      <div class="body stack gap-3">
        <p>{sizeText(counts)}</p>
        {notMeant && (
          <p class="warned">
            {notMeantText(notMeant, environment)} <a href={urlWith({ show: 'not_targeted' })}>Show</a>
          </p>
        )}
        <GateCheck key={JSON.stringify(counts)} {...review} failed={failed.expectations} fresh={failed.fresh} />
        <UrlCheck key={`urls ${JSON.stringify(counts)}`} {...review} failed={failed.urls} />
        {totalOf(counts) > 0 && <Loops key={`loops ${JSON.stringify(counts)}`} diff={diff} {...review} />}
        <Followers {...review} />
      </div>
    </section>
  );
}

function sizeText(counts: Diff['counts']): string {
  const parts = KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${number(counts[kind])} ${kind}`);
  return parts.length === 0 ? 'Nothing changes for visitors.' : `Redirects for visitors: ${parts.join(', ')}.`;
}

type LoopsProps = Pick<ReviewChecksProps, 'website' | 'environment' | 'reviewed' | 'diff'>;

const Loops = (props: LoopsProps) =>
  props.reviewed.action === 'deploy' ? <LoopCheck {...props} /> : <VersionLoops {...props} />;

/** The loops of a version, which the service found when it was published. */
function VersionLoops({ website, environment, reviewed }: Omit<LoopsProps, 'diff'>) {
  const of = reviewed.action === 'promote' ? reviewed.source : environment;
  const list = useResource('loops', (signal) =>
    listDeployments({ website_id: website.id, environment: of, limit: MAX_VERSIONS }, signal),
  );
  if (list.error.value) return <p class="warned">Loops could not be looked for: {list.error.value.message}</p>;
  if (!list.data.value) return <p role="status">Looking for loops…</p>;
  const loops = loopsOf(list.data.value.deployments, reviewed);
  if (!loops) return <p class="muted">The loops of this version are not known.</p>;
  return loops.length === 0 ? <p role="status">No loops.</p> : <Warnings warnings={loops} />;
}

const MAX_CHAINS = 3;

/** Loops of the rules that a deployment would publish, and chains through what it changes. */
function LoopCheck({ website, environment, diff }: LoopsProps) {
  const health = useResource('loops', (signal) => fetchHealth(website.id, { environment }, signal));
  const found = health.data.value;
  if (health.error.value) return <p class="warned">Loops could not be looked for: {health.error.value.message}</p>;
  if (found === undefined) return <p role="status">Looking for loops…</p>;
  const { loops } = found.counts;
  const chains = chainsThrough(diff, found.chains);
  const url = `/websites/${website.id}/health?environment=${environment}`;
  return (
    <>
      {loops === 0 ? (
        <p role="status">No loops.</p>
      ) : (
        <p class="warned" role="alert">
          {counted(loops, 'loop')}: visitors would see an error. <a href={`${url}&show=loops`}>View</a>
        </p>
      )}
      {chains.length > 0 && (
        <p class="warned break">
          {counted(chains.length, 'chain')} through these changes:{' '}
          <code>
            {chains
              .slice(0, MAX_CHAINS)
              .map(({ old_path: path, via, final_path: end }) => [path, ...via, end ?? '…'].join(' → '))
              .join(', ')}
          </code>{' '}
          <a href={`${url}&show=chains`}>View</a>
        </p>
      )}
    </>
  );
}

function Followers({ website, environment }: Pick<ReviewChecksProps, 'website' | 'environment'>) {
  const agents = useAgents(website.id, environment);
  const behind = agents.filter(({ behind_since: since }) => since !== null).length;
  return agents.length === 0 ? null : (
    <p class={behind > 0 ? 'warned' : undefined}>{followText(agents.length, behind)}</p>
  );
}
