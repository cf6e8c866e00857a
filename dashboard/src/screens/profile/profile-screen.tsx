import './profile.css';
import { endSession, listSessions } from '../../api/session.ts';
import type { SessionDetails } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { highestRole, signOut, user } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Time } from '../../ui/text/time.tsx';
import { deviceOf } from '../../ui/text/user-text.ts';
import { PasswordCard } from './password-card.tsx';
import { TotpCard } from './totp-card.tsx';

/** The user's password, second factor and sessions. */
export function ProfileScreen() {
  const sessions = useResource('sessions', async (signal) => (await listSessions(signal)).sessions);
  const signedIn = user.value;
  const others = sessions.data.value?.filter(({ current }) => !current) ?? [];
  async function endOthers(): Promise<void> {
    try {
      // One by one: a user may have hundreds.
      for (const { id } of others) await endSession(id);
      toast(`${counted(others.length, 'session')} ended`);
    } finally {
      sessions.reload();
    }
  }
  return (
    <Page
      title="Profile"
      lead={
        signedIn && (
          <span class="break">
            {signedIn.email}, {highestRole.value} of this account
          </span>
        )
      }
      actions={
        <Button icon="arrow" onClick={() => void signOut()}>
          Sign out
        </Button>
      }
    >
      <ResourceList
        list={sessions}
        title="Active sessions"
        aside={
          <span class="row wrap">
            <span class="small muted">Sessions expire 30 days after their last use.</span>
            {others.length > 0 && (
              <ActionButton size="small" failure="Could not end all sessions" onAct={endOthers}>
                End all other sessions
              </ActionButton>
            )}
          </span>
        }
        class="session-list"
        keyOf={({ id }) => id}
        cells={(session) => <SessionCells session={session} onEnded={sessions.reload} />}
        empty={null}
      />
      <PasswordCard onChanged={sessions.reload} />
      <TotpCard />
    </Page>
  );
}

function SessionCells({ session, onEnded }: { session: SessionDetails; onEnded: () => void }) {
  const { id, user_agent: userAgent, address, current, created_at: since, last_seen_at: seen } = session;
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
          {address !== null && ` from ${address}`}
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
