import { useEffect } from 'preact/hooks';
import { go } from '../../router.ts';
import { installation, user } from '../../state/session.ts';
import { LinkButton } from '../../ui/button.tsx';
import { EntryPage } from '../sign-in/entry-page.tsx';

/** Confirms that the account is deleted. Signed-in users, whose account exists, are sent to their start page. */
export function AccountDeletedScreen() {
  const isSignedIn = Boolean(user.value);
  useEffect(() => {
    if (isSignedIn) go('/', { replace: true });
  }, [isSignedIn]);
  if (isSignedIn) return null;
  return (
    <EntryPage
      title="Your account is deleted"
      tab="Account deleted"
      lead="Its websites no longer redirect, and its users and API keys no longer have access."
    >
      <p class="sign-in-other">The remaining data is being deleted in the background.</p>
      <LinkButton href="/sign-in">
        {installation.takesSignUps ? 'Sign in or create an account' : 'Go to sign-in'}
      </LinkButton>
    </EntryPage>
  );
}
