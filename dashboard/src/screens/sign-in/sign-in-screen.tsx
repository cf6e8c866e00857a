import './sign-in.css';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { signIn, signUp } from '../../api/session.ts';
import { installation } from '../../state/installation.ts';
import { user } from '../../state/session.ts';
import { useSubmit } from '../../state/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Mark } from '../../ui/icons.tsx';
import { Problem } from '../../ui/states.tsx';

/** Sign-in, and sign-up if it is open. */
export function SignInScreen() {
  const email = useSignal('');
  const password = useSignal('');
  const isNew = useSignal(false);
  const { error, isBusy, submit } = useSubmit(async () => {
    const credentials = { email: email.value.trim(), password: password.value };
    user.value = (await (isNew.value ? signUp(credentials) : signIn(credentials))).user;
  });
  useEffect(() => {
    document.title = 'Sign in · Detour';
  }, []);
  return (
    <main class="sign-in">
      <div class="sign-in-box">
        <div class="sign-in-head">
          <Mark size={44} />
          <h1>{isNew.value ? 'Create your Detour account' : 'Sign in to Detour'}</h1>
        </div>
        <form class="fields" onSubmit={submit}>
          <Credentials email={email} password={password} isNew={isNew.value} error={error.value} />
          {error.value && error.value.issues.length === 0 && <Problem error={error.value} />}
          <Button kind="primary" type="submit" disabled={isBusy.value}>
            {isNew.value ? 'Create account' : 'Sign in'}
          </Button>
        </form>
        {installation.takesSignUps && <SwitchMode isNew={isNew} />}
        {installation.isEmbedded && <FirstTime />}
      </div>
    </main>
  );
}

function Credentials({
  email,
  password,
  isNew,
  error,
}: {
  email: Signal<string>;
  password: Signal<string>;
  isNew: boolean;
  error: ApiError | undefined;
}) {
  return (
    <>
      <TextField
        label="Email"
        type="email"
        name="email"
        autocomplete="username"
        required
        autofocus
        value={email.value}
        onText={(text) => (email.value = text)}
        error={error?.issueOf('email')}
      />
      <TextField
        label="Password"
        type="password"
        name="password"
        autocomplete={isNew ? 'new-password' : 'current-password'}
        required
        minLength={isNew ? 10 : undefined}
        hint={isNew ? 'At least 10 characters.' : undefined}
        value={password.value}
        onText={(text) => (password.value = text)}
        error={error?.issueOf('password')}
      />
    </>
  );
}

function SwitchMode({ isNew }: { isNew: Signal<boolean> }) {
  return (
    <p class="sign-in-other">
      {isNew.value ? 'Already have an account?' : 'New to Detour?'}{' '}
      <button type="button" class="link" onClick={() => (isNew.value = !isNew.value)}>
        {isNew.value ? 'Sign in' : 'Create an account'}
      </button>
    </p>
  );
}

/** Location of the first credentials after `npm start`. */
function FirstTime() {
  return (
    <aside class="first-time">
      <h2>First time here?</h2>
      <p>
        The first start printed an email and a password in its terminal. They are also in <code>credentials.json</code>{' '}
        in the data folder, <code>.data</code> unless <code>DATA_DIR</code> names another.
      </p>
    </aside>
  );
}
