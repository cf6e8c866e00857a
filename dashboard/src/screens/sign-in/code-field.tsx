import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Field } from '../../ui/form/field.tsx';

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
