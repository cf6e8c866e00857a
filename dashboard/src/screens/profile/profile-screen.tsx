import './profile.css';
import { listSessions } from '../../api/profile.ts';
import { user } from '../../state/session.ts';
import { useResource } from '../../state/use-resource.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { leave } from '../../state/leave.ts';
import { PasswordCard } from './password-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

/** Oneself: password, and where one is signed in. */
export function ProfileScreen() {
  const sessions = useResource('sessions', (signal) => listSessions(signal));
  const who = user.value;
  return (
    <Page
      title="Profile"
      lead={
        who && (
          <span class="break">
            {who.email}, {who.role} of this account
          </span>
        )
      }
      actions={
        <Button icon="arrow" onClick={leave}>
          Sign out
        </Button>
      }
    >
      <SessionsCard sessions={sessions} />
      <PasswordCard onChanged={sessions.reload} />
    </Page>
  );
}
