import { useSignal } from '@preact/signals';
import { endSession } from '../../api/profile.ts';
import type { SessionAnswer } from '../../api/wire.ts';
import { toast, toastError } from '../../state/toasts.ts';
import type { Resource } from '../../state/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { ListCard } from '../../ui/list-card.tsx';
import { Time } from '../../ui/time.tsx';
import { deviceOf } from './device.ts';

/** Where one is signed in, each with its end. */
export function SessionsCard({ sessions }: { sessions: Resource<{ sessions: SessionAnswer[] }> }) {
  return (
    <ListCard
      title="Where you are signed in"
      aside={<span class="small muted">Each ends 30 days after its last use.</span>}
      resource={sessions}
    >
      {({ sessions: list }) => (
        <ul class="row-list session-list">
          {list.map((session) => (
            <SessionRow key={session.id} session={session} onEnded={sessions.reload} />
          ))}
        </ul>
      )}
    </ListCard>
  );
}

function SessionRow({ session, onEnded }: { session: SessionAnswer; onEnded: () => void }) {
  const { id, user_agent: userAgent, current, created_at: since, last_seen_at: seen } = session;
  const device = deviceOf(userAgent);
  const isBusy = useSignal(false);
  async function endIt(): Promise<void> {
    isBusy.value = true;
    try {
      await endSession(id);
      toast(`${device} is signed out`);
      onEnded();
    } catch (thrown) {
      toastError(thrown, 'Ending the session');
    }
    isBusy.value = false;
  }
  return (
    <li>
      <span class="break" title={userAgent ?? undefined}>
        {device} {current && <span class="badge ok">This one</span>}
      </span>
      <span class="small muted session-times">
        <span>
          signed in <Time at={since} />
        </span>
        {!current && (
          <span>
            used <Time at={seen} />
          </span>
        )}
      </span>
      {!current && (
        <Button
          size="small"
          disabled={isBusy.value}
          aria-label={`End the session of ${device}`}
          onClick={() => void endIt()}
        >
          End
        </Button>
      )}
    </li>
  );
}
