/** Without those that are mistaken for each other when read aloud. */
const ALPHABET = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20;
/** The largest multiple of the alphabet within a byte: what lies above would make its beginning likelier. */
const FAIR = 256 - (256 % ALPHABET.length);

/** A password that nobody has to think of: 20 characters, about 116 bits. */
export function generatedPassword(): string {
  let text = '';
  while (text.length < LENGTH) {
    const fair = crypto.getRandomValues(new Uint8Array(LENGTH)).filter((byte) => byte < FAIR);
    for (const byte of fair) text += ALPHABET[byte % ALPHABET.length] ?? '';
  }
  return text.slice(0, LENGTH);
}
