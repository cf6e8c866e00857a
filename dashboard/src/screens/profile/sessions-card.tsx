import { endSession } from '../../api/session.ts';
import type { SessionDetails } from '../../api/client/wire.ts';
import { toast } from '../../state/toasts.ts';
import type { Resource } from '../../state/resource/use-resource.ts';
import { ActionButton } from '../../ui/button.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Time } from '../../ui/text/time.tsx';
import { deviceOf } from '../../ui/text/user-text.ts';

export function SessionsCard({ sessions }: { sessions: Resource<SessionDetails[]> }) {
  return (
    <ResourceList
      list={sessions}
      title="Active sessions"
      aside={<span class="small muted">Sessions expire 30 days after their last use.</span>}
      class="session-list"
      keyOf={({ id }) => id}
      cells={(session) => <Cells session={session} onEnded={sessions.reload} />}
      empty={null}
    />
  );
}

function Cells({ session, onEnded }: { session: SessionDetails; onEnded: () => void }) {
  const { id, user_agent: userAgent, current, created_at: since, last_seen_at: seen } = session;
  const device = deviceOf(userAgent);
  async function end(): Promise<void> {
    await endSession(id);
    toast(`${device} signed out`);
    onEnded();
  }
  return (
    <>
      <span class="break" title={userAgent ?? undefined}>
        {device} {current && <span class="badge ok">This session</span>}
      </span>
      <span class="small muted row-facts">
        <span>
          Signed in <Time at={since} />
        </span>
        {!current && <span>Last used {<Time at={seen} />}</span>}
      </span>
      {!current && (
        <ActionButton
          size="small"
          aria-label={`End session on ${device}`}
          failure="Could not end the session"
          onAct={end}
        >
          End session
        </ActionButton>
      )}
    </>
  );
}
