import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../../api/client/api-error.ts';
import { Field } from '../../ui/form/field.tsx';

/** The code of users with two-factor sign-in. `isAsked`: the service has asked for it, after the password. */
export function useSecondFactor() {
  const isAsked = useSignal(false);
  const code = useSignal('');
  return {
    isAsked,
    code,
    /** Sends the request, with the code if it was asked for. Resolves with undefined if the service asks for it. */
    async send<Body>(request: (code: string | undefined) => Promise<Body>): Promise<Body | undefined> {
      try {
        return await request(isAsked.value ? code.value.trim() : undefined);
      } catch (thrown) {
        if (isAsked.value || !(thrown instanceof ApiError) || thrown.code !== 'TOTP_REQUIRED') throw thrown;
        isAsked.value = true;
        return undefined;
      }
    },
  };
}

/** True if the service rejected the code, not the password. */
export const isWrongCode = (error: ApiError | undefined): boolean =>
  error?.code === 'INVALID_CREDENTIALS' && error.details.startsWith('code:');

/** A code of the authenticator app, or a recovery code. Takes the focus, also after a wrong code. */
export function CodeField({ code, isWrong }: { code: Signal<string>; isWrong: boolean }) {
  const isRecovery = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, [isRecovery.value, isWrong]);
  const kind = isRecovery.value ? RECOVERY : APP;
  return (
    <>
      <Field
        label={kind.label}
        hint={kind.hint}
        error={isWrong ? kind.error : undefined}
        control={(wired) => (
          <input
            {...wired}
            {...kind.attributes}
            ref={input}
            class="input mono code-input"
            name="code"
            spellcheck={false}
            autocapitalize="off"
            value={code.value}
            onInput={(event) => (code.value = event.currentTarget.value)}
          />
        )}
      />
      <button
        type="button"
        class="link sign-in-other"
        onClick={() => {
          code.value = '';
          isRecovery.value = !isRecovery.value;
        }}
      >
        {isRecovery.value ? 'Use a code of the app' : 'Use a recovery code'}
      </button>
    </>
  );
}

const APP = {
  label: 'Six-digit code',
  hint: 'Open your authenticator app and enter its code for Detour.',
  error: 'Wrong or already used. Enter the code that the app shows now.',
  attributes: { inputMode: 'numeric', autocomplete: 'one-time-code', maxLength: 7 },
} as const;

const RECOVERY = {
  label: 'Recovery code',
  hint: 'One of the ten codes that you saved. Each works once.',
  error: 'Wrong or already used. Enter another recovery code.',
  attributes: { inputMode: 'text', autocomplete: 'off', maxLength: 40 },
} as const;
