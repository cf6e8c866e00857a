import type { FileImported, Website } from '../../api/wire.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { BadRows } from './bad-rows.tsx';
import { Outcome } from './outcome.tsx';

export function Done({
  website,
  result,
  onAnother,
}: {
  website: Website;
  result: FileImported;
  onAnother: () => void;
}) {
  const hasDeployed = result.deployments.length > 0;
  return (
    <>
      <section class="import-check">
        <h2>Import complete</h2>
        <Outcome result={result} />
        <p class="muted">
          {hasDeployed
            ? 'The redirects are being deployed.'
            : 'Nothing was deployed. Deploy the redirects when you are ready.'}
        </p>
        <div class="actions">
          <LinkButton kind="primary" href={`/websites/${website.id}/redirects`}>
            View redirects
          </LinkButton>
          <LinkButton href={`/websites/${website.id}/deployments`}>View deployments</LinkButton>
          <Button kind="quiet" onClick={onAnother}>
            Import another file
          </Button>
        </div>
      </section>
      <BadRows result={result} />
    </>
  );
}
