import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { findSession, signIn } from '../api/session.ts';
import type { User } from '../api/client/wire.ts';
import type { Settle } from '../state/prompts.ts';
import { discardAll } from '../state/unsaved.ts';
import { CodeField, isWrongCode, useSecondFactor } from '../screens/sign-in/code-field.tsx';
import { Credentials, SESSION_ENDED, SignInError } from '../screens/sign-in/credentials.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';

/**
 * Asks to sign in over the screen, so that nothing typed is lost. Closes itself if the user has signed in in another
 * tab.
 */
export function SignInAgain({ user, onSettled }: { user: User; onSettled: Settle }) {
  const email = useSignal(user.email);
  const password = useSignal('');
  const factor = useSecondFactor();
  const enter = (next: User): void => (next.id === user.id ? onSettled(true) : startAgain());
  useEffect(() => {
    const check = (): void => void findSession().then(({ user: found }) => enter(found), ignore);
    addEventListener('focus', check);
    return () => removeEventListener('focus', check);
  }, []);
  async function send(): Promise<void> {
    const credentials = { email: email.value.trim(), password: password.value };
    const signedIn = await factor.send((code) => signIn({ ...credentials, code }));
    if (signedIn) enter(signedIn.user);
  }
  const isCode = factor.isAsked.value;
  return (
    <FormDialog
      title={isCode ? 'Enter your code' : 'Sign in'}
      verb="Sign in"
      cancelLabel="Not now"
      isDisposable
      isReady={isCode ? factor.code.value.trim() !== '' : email.value.trim() !== '' && password.value !== ''}
      onSend={send}
      onClose={() => onSettled(false)}
    >
      {(error) => (
        <>
          <p>{SESSION_ENDED}</p>
          {isCode ? (
            <CodeField code={factor.code} isWrong={isWrongCode(error)} />
          ) : (
            <Credentials email={email} password={password} isNew={false} error={error} />
          )}
          {email.value.trim() !== user.email && <p class="muted">{OTHER_USER}</p>}
          <SignInError error={error} />
        </>
      )}
    </FormDialog>
  );
}

const OTHER_USER = 'Signing in as another user reloads the page. Changes that are not saved are lost.';

/** Another user may have another account: nothing on this page may stay. */
function startAgain(): void {
  discardAll();
  location.assign('/');
}

/** Still signed out, or offline: the dialog stays. */
const ignore = (): void => {};
