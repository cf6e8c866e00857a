import { useSignal } from '@preact/signals';
import { signIn, signUp } from '../../api/session.ts';
import { hasEnded, installation, user } from '../../state/session.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { CodeField, isWrongCode, useSecondFactor } from './code-field.tsx';
import { Credentials, SESSION_ENDED, SignInError } from './credentials.tsx';
import { EntryPage } from './entry-page.tsx';
import { ForgotLink, ForgotPassword } from './forgot-password.tsx';

/** Sign-in, its code for users with two-factor sign-in, and sign-up if it is open. */
export function SignInScreen() {
  const email = useSignal('');
  const password = useSignal('');
  const isNew = useSignal(false);
  const isForgotten = useSignal(false);
  const factor = useSecondFactor();
  const { error, isBusy, submit } = useSubmit(async () => {
    const credentials = { email: email.value.trim(), password: password.value };
    const request = (code: string | undefined) =>
      isNew.value ? signUp(credentials) : signIn({ ...credentials, code });
    const signedIn = await factor.send(request);
    if (signedIn) user.value = signedIn.user;
  });
  function back(): void {
    factor.isAsked.value = false;
    factor.code.value = '';
    error.value = undefined;
  }
  const isCode = factor.isAsked.value;
  if (isForgotten.value) return <ForgotPassword email={email} onBack={() => (isForgotten.value = false)} />;
  return (
    <EntryPage
      title={isCode ? 'Enter your code' : isNew.value ? 'Create your Detour account' : 'Sign in to Detour'}
      tab="Sign in"
      lead={hasEnded.value && !isCode && !isNew.value ? SESSION_ENDED : undefined}
    >
      <form class="fields" onSubmit={submit}>
        {isCode ? (
          <CodeField code={factor.code} isWrong={isWrongCode(error.value)} />
        ) : (
          <Credentials email={email} password={password} isNew={isNew.value} error={error.value} />
        )}
        <SignInError error={error.value} />
        <Button kind="primary" type="submit" isBusy={isBusy.value}>
          {isNew.value ? 'Create account' : 'Sign in'}
        </Button>
      </form>
      {isCode && (
        <p class="sign-in-other break">
          {email.value.trim()}{' '}
          <button type="button" class="link" onClick={back}>
            Not you?
          </button>
        </p>
      )}
      {!isCode && !isNew.value && <ForgotLink onOpen={() => (isForgotten.value = true)} />}
      {!isCode && installation.takesSignUps && (
        <p class="sign-in-other">
          {isNew.value ? 'Already have an account?' : 'New to Detour?'}{' '}
          <button type="button" class="link" onClick={() => (isNew.value = !isNew.value)}>
            {isNew.value ? 'Sign in' : 'Create an account'}
          </button>
        </p>
      )}
      {!isCode && installation.isEmbedded && <FirstTime />}
    </EntryPage>
  );
}

/** Location of the first credentials after `npm start`. Folded: the service does not know who is here for the first time. */
function FirstTime() {
  return (
    <details class="small muted first-time">
      <summary>First time here?</summary>
      <p>
        The first start printed an email and a password in its terminal. They are also in <code>credentials.json</code>{' '}
        in the data folder, <code>.data</code> unless <code>DATA_DIR</code> names another.
      </p>
    </details>
  );
}
