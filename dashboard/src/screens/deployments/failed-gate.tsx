import { useSignal } from '@preact/signals';
import { fetchFailures } from '../../api/deployments.ts';
import type { Deployment } from '../../api/client/wire.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { FailureList } from '../../ui/list/failure-list.tsx';
import { Loaded } from '../../ui/page/states.tsx';
import { failedCount, gateText } from './gate-text.ts';
import { reviewedOf, testedRules } from './review-text.ts';

interface FailedGateProps {
  deployment: Deployment;
  error: string;
  /** shows the failures at once; else they load when they are opened */
  isOpen: boolean;
  /** asks to deploy anyway; undefined if the user may not */
  onForce: (() => void) | undefined;
}

/** The failures that prevented a deployment, and the way past them. */
export function FailedGate({ deployment, error, isOpen: isOpenAtFirst, onForce }: FailedGateProps) {
  const isOpen = useSignal(isOpenAtFirst);
  return (
    <details
      class="failed-gate"
      open={isOpenAtFirst}
      onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}
    >
      <summary class="failed">{gateText(error)}</summary>
      {isOpen.value && <Failures deployment={deployment} error={error} />}
      {onForce && (
        <Button kind="danger" size="small" onClick={onForce}>
          Deploy anyway
        </Button>
      )}
    </details>
  );
}

function Failures({ deployment, error }: Pick<FailedGateProps, 'deployment' | 'error'>) {
  const { id, website_id: websiteId, environment } = deployment;
  const found = useResource(`failures:${id}`, async (signal) => (await fetchFailures(id, signal)).failures);
  const tested = testedRules(websiteId, environment, reviewedOf(deployment));
  return (
    <Loaded of={found} lines={3} height={44}>
      {(failures) => (
        <FailureList failures={failures} total={Math.max(failedCount(error), failures.length)} tested={tested} />
      )}
    </Loaded>
  );
}
