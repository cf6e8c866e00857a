import { useSignal } from '@preact/signals';
import { endSession } from '../../api/profile.ts';
import type { SessionDetails } from '../../api/wire.ts';
import { toast, toastError } from '../../state/toasts.ts';
import type { Resource } from '../../state/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { ListCard } from '../../ui/list-card.tsx';
import { Time } from '../../ui/time.tsx';
import { deviceOf } from './device.ts';

export function SessionsCard({ sessions }: { sessions: Resource<{ sessions: SessionDetails[] }> }) {
  return (
    <ListCard
      title="Active sessions"
      aside={<span class="small muted">Sessions expire 30 days after their last use.</span>}
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

function SessionRow({ session, onEnded }: { session: SessionDetails; onEnded: () => void }) {
  const { id, user_agent: userAgent, current, created_at: since, last_seen_at: seen } = session;
  const device = deviceOf(userAgent);
  const isBusy = useSignal(false);
  async function end(): Promise<void> {
    isBusy.value = true;
    try {
      await endSession(id);
      toast(`${device} signed out`);
      onEnded();
    } catch (thrown) {
      toastError(thrown, 'Could not end the session');
    }
    isBusy.value = false;
  }
  return (
    <li>
      <span class="break" title={userAgent ?? undefined}>
        {device} {current && <span class="badge ok">This session</span>}
      </span>
      <span class="small muted session-times">
        <span>
          Signed in <Time at={since} />
        </span>
        {!current && (
          <span>
            Last used <Time at={seen} />
          </span>
        )}
      </span>
      {!current && (
        <Button size="small" disabled={isBusy.value} aria-label={`End session on ${device}`} onClick={() => void end()}>
          End session
        </Button>
      )}
    </li>
  );
}
