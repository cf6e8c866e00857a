import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { readInvitationLink } from '../../api/account.ts';
import { currentLocation } from '../../router.ts';
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
  return token === '' ? <Incomplete /> : <Link key={token} token={token} />;
}

function Link({ token }: { token: string }) {
  const { data, error, reload } = useResource(token, (signal) => readInvitationLink(token, signal));
  const link = data.value?.invitation;
  if (link) return <AcceptForm link={link} token={token} />;
  if (error.value?.code === 'INVITATION_NOT_FOUND') return <Ended />;
  return (
    <EntryPage title="Your link" tab={tabTitle()}>
      {error.value ? <Problem error={error.value} onRetry={reload} /> : <Skeleton lines={4} height={22} />}
    </EntryPage>
  );
}

const isReset = (): boolean => currentLocation.value.path === '/reset-password';
const tabTitle = (): string => (isReset() ? 'New password' : 'Invitation');

function Ended() {
  return (
    <EntryPage
      title="This link no longer works"
      tab={tabTitle()}
      lead="It was used, replaced or withdrawn, or has expired."
    >
      <p class="sign-in-other">
        {isReset()
          ? 'Ask the operator of the service for a new link.'
          : 'If you have set a password with it, sign in. Otherwise ask an owner of the account to invite you again.'}
      </p>
      <LinkButton href="/sign-in">Go to sign-in</LinkButton>
    </EntryPage>
  );
}

function Incomplete() {
  return (
    <EntryPage title="This link is incomplete" tab={tabTitle()} lead="The part after # is missing.">
      <p class="sign-in-other">Open the complete link again from the message in which you received it.</p>
      <LinkButton href="/sign-in">Go to sign-in</LinkButton>
    </EntryPage>
  );
}
