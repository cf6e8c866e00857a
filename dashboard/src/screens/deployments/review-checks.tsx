import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { fetchHealth } from '../../api/checks.ts';
import type { ReviewedAction } from '../../api/deployments.ts';
import type { Diff, Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { KINDS } from './compare-view.ts';
import { totalOf } from './diff-lines.tsx';
import { GateCheck } from './gate-check.tsx';
import { UrlCheck } from './url-check.tsx';
import { followText, useAgents } from './use-agents.ts';

interface ReviewChecksProps {
  website: Website;
  environment: Environment;
  reviewed: ReviewedAction;
  counts: Diff['counts'];
}

/** The effects of a release, before the press: its size, expectations, URLs, loops, and the agents that follow. */
export function ReviewChecks({ counts, ...review }: ReviewChecksProps) {
  return (
    <section class="card" aria-label="Checks">
      <div class="body stack gap-3">
        <p>{sizeText(counts)}</p>
        <GateCheck key={JSON.stringify(counts)} {...review} />
        <UrlCheck key={`urls ${JSON.stringify(counts)}`} {...review} />
        {review.reviewed.action === 'deploy' && totalOf(counts) > 0 && (
          <LoopCheck key={`loops ${JSON.stringify(counts)}`} {...review} />
        )}
        <Followers {...review} />
      </div>
    </section>
  );
}

function sizeText(counts: Diff['counts']): string {
  const parts = KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${number(counts[kind])} ${kind}`);
  return parts.length === 0 ? 'Nothing changes for visitors.' : `Redirects for visitors: ${parts.join(', ')}.`;
}

/** Loops of the rules that a deployment would publish. */
function LoopCheck({ website, environment }: Pick<ReviewChecksProps, 'website' | 'environment'>) {
  const health = useResource('loops', (signal) => fetchHealth(website.id, { environment }, signal));
  const loops = health.data.value?.counts.loops;
  if (health.error.value) return <p class="warned">Loops could not be looked for: {health.error.value.message}</p>;
  if (loops === undefined) return <p role="status">Looking for loops…</p>;
  if (loops === 0) return <p role="status">No loops.</p>;
  return (
    <p class="warned" role="alert">
      {counted(loops, 'redirect')} in a loop: visitors would see an error.{' '}
      <a href={`/websites/${website.id}/health?environment=${environment}&show=loops`}>View</a>
    </p>
  );
}

function Followers({ website, environment }: Pick<ReviewChecksProps, 'website' | 'environment'>) {
  const agents = useAgents(website.id, environment);
  const behind = agents.filter(({ behind_since: since }) => since !== null).length;
  return agents.length === 0 ? null : (
    <p class={behind > 0 ? 'warned' : undefined}>{followText(agents.length, behind)}</p>
  );
}
