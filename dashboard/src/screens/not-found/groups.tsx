import { useSignal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listClusters } from '../../api/analytics.ts';
import type { MissingPathCluster } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { mayEdit } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { media } from '../../ui/list/viewport.ts';
import { Button, LinkButton } from '../../ui/button.tsx';

const isPhone = media('(width < 720px)');

/** Groups of paths with one form: each may need a single pattern. Shows nothing without any, or if they fail to load. */
export function Groups({ websiteId, environment }: { websiteId: number; environment: Environment }) {
  const isOpen = useSignal(false);
  const { data } = useResource(
    `clusters:${websiteId}:${environment}`,
    async (signal) => (await listClusters(websiteId, environment, signal)).clusters,
  );
  const groups = data.value ?? [];
  if (groups.length === 0) return null;
  // Groups until "All groups": on a phone, the paths below must begin on the first screen.
  const first = isPhone.value ? 1 : 3;
  return (
    <section class="card list-card" aria-label="Groups of paths">
      <header>
        <h2>Groups</h2>
        <span class="muted small">Paths of one form, which one pattern can redirect.</span>
      </header>
      <ul class="row-list missing-list">
        {groups.slice(0, isOpen.value ? undefined : first).map((group) => (
          <Group key={group.pattern} websiteId={websiteId} group={group} />
        ))}
      </ul>
      {groups.length > first && (
        <div class="more">
          <Button onClick={() => (isOpen.value = !isOpen.value)}>
            {isOpen.value ? 'Fewer groups' : `All ${groups.length} groups`}
          </Button>
        </div>
      )}
    </section>
  );
}

function Group({ websiteId, group }: { websiteId: number; group: MissingPathCluster }) {
  const { folder, paths, hits, examples, pattern } = group;
  const patternUrl = `/websites/${websiteId}/redirects?${new URLSearchParams({ new: pattern, pattern: 'true', test: examples[0] ?? '' }).toString()}`;
  return (
    <li>
      <div class="missing-head">
        <span class="mono break missing-path">{folder}</span>
        <span class="small muted">
          <strong>{counted(paths, 'path')}</strong>, {counted(hits, 'hit')}, such as{' '}
          <span class="mono break">{examples[0]}</span>
        </span>
        <div class="actions">
          <Button size="small" onClick={() => setQuery({ q: folder })}>
            Show <span class="unseen">the paths below {folder}</span>
          </Button>
          {mayEdit.value && (
            <LinkButton size="small" href={patternUrl}>
              One pattern <span class="unseen">for {folder}</span>
            </LinkButton>
          )}
        </div>
      </div>
    </li>
  );
}
