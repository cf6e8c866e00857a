import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { flattenChains } from '../../api/health.ts';
import type { Flattened, Website } from '../../api/wire.ts';
import { counted, number } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { useResource } from '../../state/use-resource.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';

/** Up to so many redirects have an entry each in the activity, by which each can be taken back. */
const EACH_LOGGED = 10_000;

/** Says what flattening would do and what it would leave, then does it. */
export function Flatten({
  website,
  environment,
  onDone,
  onClose,
}: {
  website: Website;
  environment: Environment;
  onDone: () => void;
  onClose: () => void;
}) {
  const preview = useResource(`flatten:${website.id}:${environment}`, (signal) =>
    flattenChains(website.id, { environment, dry_run: true }, signal),
  );
  const would = preview.data.value;
  const updates = would?.updated ?? 0;
  async function send(): Promise<void> {
    const { updated } = await flattenChains(website.id, { environment, dry_run: false });
    onClose();
    onDone();
    toast(`${counted(updated, 'redirect leads', 'redirects lead')} straight to the end now`);
  }
  return (
    <FormDialog
      title={`Flatten chains of ${ENVIRONMENT_LABEL[environment]}`}
      verb={updates > 0 ? `Flatten ${number(updates)}` : 'Flatten'}
      isReady={updates > 0}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          {preview.error.value && <Problem error={preview.error.value} onRetry={preview.reload} />}
          {!would && !preview.error.value && <Skeleton lines={4} height={16} />}
          {would && <Preview would={would} website={website} environment={environment} />}
          {error && <Problem error={error} />}
        </>
      )}
    </FormDialog>
  );
}

function Preview({
  would,
  website,
  environment,
}: {
  would: Flattened;
  website: Website;
  environment: Environment;
}) {
  const { updated, left_count: left } = would;
  const isLiveAtOnce = website.auto_deploy && !website.held_environments.includes(environment);
  return (
    <>
      {updated > 0 && (
        <p>
          {updated === 1
            ? '1 redirect leads straight to where its chain ends, and keeps its status.'
            : `${number(updated)} redirects lead straight to where their chains end, and keep their status.`}{' '}
          Every visitor ends where they ended before.{' '}
          {isLiveAtOnce ? 'It is live at once.' : 'It is live with the next deployment.'}{' '}
          {updated <= EACH_LOGGED && (
            <>
              Each can be undone for 24 hours in the <a href="/activity">activity</a>.
            </>
          )}
        </p>
      )}
      {updated === 0 && <p>No chain can be flattened safely.</p>}
      {left > 0 && (
        <div>
          <h3>{counted(left, 'chain stays', 'chains stay')}</h3>
          <ul class="left-reasons">
            {reasonsOf(would).map(({ message, count }) => (
              <li key={message}>
                <span class="badge">{number(count)}</span> {message}
              </li>
            ))}
          </ul>
          {left > would.left.length && (
            <p class="small muted">Counted among the first {number(would.left.length)}.</p>
          )}
        </div>
      )}
    </>
  );
}

/** Why chains stay, the most frequent reason first. */
function reasonsOf({ left }: Flattened): { message: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { message } of left) counts.set(message, (counts.get(message) ?? 0) + 1);
  return [...counts].map(([message, count]) => ({ message, count })).toSorted((a, b) => b.count - a.count);
}
