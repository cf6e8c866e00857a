import { useSignal } from '@preact/signals';
import { Button } from '../button.tsx';
import { Field } from './field.tsx';
import type { ControlProps } from './form-fields.tsx';

/** A password that the user chooses. It can be shown, so that it is entered only once. */
export function NewPasswordField({
  label = 'New password',
  hint = 'At least 10 characters. A sentence works well.',
  value,
  onChange,
  error,
  autofocus = false,
}: ControlProps<string> & { label?: string; hint?: string; autofocus?: boolean }) {
  const isShown = useSignal(false);
  // Preact's types depend on the literal `type`; `object` accepts any of them.
  const typed: object = { type: isShown.value ? 'text' : 'password', autofocus };
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      control={(wired) => (
        <div class="row">
          <input
            {...typed}
            {...wired}
            class="input"
            name="new-password"
            autocomplete="new-password"
            spellcheck={false}
            autocapitalize="off"
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          <Button
            aria-label={isShown.value ? 'Hide password' : 'Show password'}
            onClick={() => (isShown.value = !isShown.value)}
          >
            {isShown.value ? 'Hide' : 'Show'}
          </Button>
        </div>
      )}
    />
  );
}

/** Without characters that are easily confused. */
const ALPHABET = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20;
/** Largest multiple of the alphabet in a byte. Higher bytes would make the first characters likelier. */
const UNBIASED_BYTES = 256 - (256 % ALPHABET.length);

/** A random password of 20 characters, about 116 bits. */
export function generatedPassword(): string {
  let text = '';
  while (text.length < LENGTH) {
    const unbiased = crypto.getRandomValues(new Uint8Array(LENGTH)).filter((byte) => byte < UNBIASED_BYTES);
    for (const byte of unbiased) text += ALPHABET[byte % ALPHABET.length] ?? '';
  }
  return text.slice(0, LENGTH);
}
