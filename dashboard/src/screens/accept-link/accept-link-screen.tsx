import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { readInvitationLink } from '../../api/account.ts';
import { currentLocation } from '../../router.ts';
import { installation } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Problem, Skeleton } from '../../ui/page/states.tsx';
import { EntryPage } from '../sign-in/entry-page.tsx';
import { AcceptForm } from './accept-form.tsx';

/** The token of the link that opened the page; '' if it has none. */
const linkToken = signal('');

/** Moves the token out of the address bar and the browser's history, where others could read it. */
function takeToken(): void {
  const token = location.hash.slice(1);
  if (token === '') return;
  history.replaceState(history.state, '', location.pathname + location.search);
  linkToken.value = token;
}

/** The page of an invitation or a password reset: sets the password and signs in. */
export function AcceptLinkScreen() {
  useEffect(() => {
    // A second link in the same tab changes only the part after `#`.
    takeToken();
    addEventListener('hashchange', takeToken);
    return () => {
      removeEventListener('hashchange', takeToken);
      linkToken.value = '';
    };
  }, []);
  const token = linkToken.value || location.hash.slice(1);
  if (token !== '') return <Link key={token} token={token} />;
  return (
    <Unusable title="This link is incomplete" lead="The part after # is missing.">
      Open the complete link again from the message in which you received it.
    </Unusable>
  );
}

function Link({ token }: { token: string }) {
  const { data, error, reload } = useResource(token, (signal) => readInvitationLink(token, signal));
  const link = data.value?.invitation;
  if (link) return <AcceptForm link={link} token={token} />;
  if (error.value?.code === 'INVITATION_NOT_FOUND') {
    return (
      <Unusable title="This link no longer works" lead="It was used, replaced or withdrawn, or has expired.">
        {isReset()
          ? installation.sendsMail
            ? 'Request a new link on the sign-in page, under “Forgot password?”.'
            : 'Ask the operator of the service for a new link.'
          : 'If you have set a password with it, sign in. Otherwise ask an owner of the account to invite you again.'}
      </Unusable>
    );
  }
  return (
    <EntryPage title="Your link" tab={tabTitle()}>
      {error.value ? <Problem error={error.value} onRetry={reload} /> : <Skeleton lines={4} height={22} />}
    </EntryPage>
  );
}

const isReset = (): boolean => currentLocation.value.path === '/reset-password';
const tabTitle = (): string => (isReset() ? 'New password' : 'Invitation');

function Unusable({ title, lead, children }: { title: string; lead: string; children: string }) {
  return (
    <EntryPage title={title} tab={tabTitle()} lead={lead}>
      <p class="sign-in-other">{children}</p>
      <LinkButton href="/sign-in">Go to sign-in</LinkButton>
    </EntryPage>
  );
}
