import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ApiError } from '../../api/client/api-error.ts';
import { TextField } from '../../ui/form/field.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { isWrongCode } from './code-field.tsx';

export const SESSION_ENDED = 'Your session has ended. Sign in to go on.';

/** Fields for email and password. The first empty one has the focus. */
export function Credentials({
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
  const startsWithEmail = useRef(email.peek() === '').current;
  return (
    <>
      <EmailField
        required
        autofocus={startsWithEmail}
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
        autofocus={!startsWithEmail}
        minLength={isNew ? 10 : undefined}
        selectedAt={error?.code === 'INVALID_CREDENTIALS' ? error : undefined}
        hint={isNew ? 'At least 10 characters.' : undefined}
        value={password.value}
        onText={(text) => (password.value = text)}
        error={error?.issueOf('password')}
      />
    </>
  );
}

/** Read only without `onText`. */
export function EmailField({ onText, ...field }: Partial<Parameters<typeof TextField>[0]> & { value: string }) {
  return (
    <TextField
      label="Email"
      type="email"
      name="email"
      autocomplete="username"
      readOnly={!onText}
      onText={onText ?? (() => {})}
      {...field}
    />
  );
}

/** The error of a sign-in, unless its fields show it. */
export function SignInError({ error }: { error: ApiError | undefined }) {
  if (!error || error.issues.length > 0 || isWrongCode(error)) return null;
  return <Problem error={inWords(error)} />;
}

/** Without the names of fields, which the service's message has for programs. */
function inWords(error: ApiError): ApiError {
  if (error.code !== 'INVALID_CREDENTIALS') return error;
  const details = 'Check both. After 10 failures you have to wait up to 15 minutes.';
  return new ApiError(error.status, error.code, error.message, { details });
}
