import { useSignal } from '@preact/signals';
import { fetchFailures } from '../../api/deployments.ts';
import type { Deployment } from '../../api/client/wire.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureList } from '../../ui/list/failure-list.tsx';
import { Loaded } from '../../ui/page/states.tsx';

const FAILED = /^(EXPECTATIONS_FAILED|URLS_LOST): /;

export const isGateFailure = ({ error }: Pick<Deployment, 'error'>): boolean => FAILED.test(error ?? '');

/** The number of failed expectations in the error of a deployment; 0 if it has none. */
const failedCount = ({ error }: Pick<Deployment, 'error'>): number =>
  Number((/^EXPECTATIONS_FAILED: ([\d,]+) of /.exec(error ?? '')?.[1] ?? '0').replaceAll(',', ''));

/** Opens the failures that prevented a deployment. `onForce`: asks to deploy anyway; undefined if the user may not. */
export function FailedGate({ deployment, onForce }: { deployment: Deployment; onForce: (() => void) | undefined }) {
  const isOpen = useSignal(false);
  const close = (): void => void (isOpen.value = false);
  return (
    <>
      <Button size="small" onClick={() => (isOpen.value = true)}>
        Show failures
      </Button>
      {isOpen.value && (
        <Dialog title="Failures of the gate" shape="wide" onClose={close}>
          <Failures deployment={deployment} />
          <footer>
            {onForce && (
              <Button kind="danger" style={{ marginRight: 'auto' }} onClick={onForce}>
                Deploy anyway
              </Button>
            )}
            <Button kind="quiet" onClick={close}>
              Close
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  );
}

function Failures({ deployment }: { deployment: Deployment }) {
  const found = useResource(
    `failures:${deployment.id}`,
    async (signal) => (await fetchFailures(deployment.id, signal)).failures,
  );
  return (
    <div class="dialog-body fields">
      <p>
        This version was not deployed to {deployment.environment}: visitors would get other responses than expected, or
        lose pages.
      </p>
      <Loaded of={found} lines={4} height={22}>
        {(failures) => <FailureList failures={failures} total={Math.max(failedCount(deployment), failures.length)} />}
      </Loaded>
    </div>
  );
}
