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
        <h2>Imported</h2>
        <Outcome result={result} />
        <p class="muted">
          {hasDeployed
            ? 'They are being deployed; usually that takes less time than reading this.'
            : 'Nothing is deployed by it: deploy it when you are ready.'}
        </p>
        <div class="actions">
          <LinkButton kind="primary" href={`/websites/${website.id}/redirects`}>
            See the redirects
          </LinkButton>
          <LinkButton href={`/websites/${website.id}/deployments`}>Deployments</LinkButton>
          <Button kind="quiet" onClick={onAnother}>
            Another file
          </Button>
        </div>
      </section>
      <BadRows result={result} />
    </>
  );
}
