import './profile.css';
import { listSessions } from '../../api/session.ts';
import { highestRole, user, signOut } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page/page.tsx';
import { PasswordCard } from './password-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { TotpCard } from './totp-card.tsx';

/** The user's password, second factor and sessions. */
export function ProfileScreen() {
  const sessions = useResource('sessions', async (signal) => (await listSessions(signal)).sessions);
  const signedIn = user.value;
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
      <SessionsCard sessions={sessions} />
      <PasswordCard onChanged={sessions.reload} />
      <TotpCard />
    </Page>
  );
}
