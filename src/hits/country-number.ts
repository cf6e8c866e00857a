/** The code of a country as a number, which is what is counted by: two letters, from 1 for AA; 0 where there is none. */

const A = 'A'.charCodeAt(0);
const LETTERS = 26;

/** Of a code of two capital letters, or of nothing. */
export function countryNumber(code: string): number {
  return code === '' ? 0 : (code.charCodeAt(0) - A) * LETTERS + code.charCodeAt(1) - A + 1;
}

export function countryOfNumber(number: number): string {
  if (number === 0) return '';
  return String.fromCharCode(A + Math.floor((number - 1) / LETTERS), A + ((number - 1) % LETTERS));
}
