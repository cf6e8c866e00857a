import { TextField } from './field.tsx';
import type { ControlProps } from './form-fields.tsx';

/** A password that the user chooses. */
export const NewPasswordField = ({
  label = 'New password',
  hint = 'At least 10 characters. A sentence works well.',
  value,
  onChange,
  error,
  autofocus = false,
}: ControlProps<string> & { label?: string; hint?: string; autofocus?: boolean }) => (
  <TextField
    type="password"
    name="new-password"
    autocomplete="new-password"
    {...{ label, hint, error, value, autofocus }}
    onText={onChange}
  />
);

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
