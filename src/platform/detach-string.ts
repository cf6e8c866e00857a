/**
 * The text in memory of its own. A part of a longer string keeps all of that alive: 10,000 short paths could hold on to 10,000 request
 * lines of 64 KiB. For text of one byte a character, as Node gives headers and addresses.
 */
export function detachString(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
