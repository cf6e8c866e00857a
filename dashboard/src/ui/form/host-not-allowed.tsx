import { toast } from '../../state/toasts.ts';
import { allowTargetHosts } from '../../state/websites.ts';
import { ActionButton } from '../button.tsx';

/** The error of a target on a host that the website does not allow, with the button that allows it. */
export function HostNotAllowed({
  host,
  websiteId,
  text,
}: {
  host: string;
  websiteId: number;
  text: string | undefined;
}) {
  return (
    <span>
      {text}.{' '}
      <ActionButton
        size="small"
        failure="Could not allow the host"
        onAct={async () => {
          await allowTargetHosts(websiteId, [host]);
          toast(`${host} is an allowed target host of the website now`);
        }}
      >
        Allow it
      </ActionButton>
    </span>
  );
}
