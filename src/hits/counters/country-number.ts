const A = 'A'.charCodeAt(0);
const LETTERS = 26;

/** Encodes a code of two capital letters as 1 (AA) to 676 (ZZ), and an empty code (unknown country) as 0. */
export function countryNumber(code: string): number {
  return code === '' ? 0 : (code.charCodeAt(0) - A) * LETTERS + code.charCodeAt(1) - A + 1;
}

/** Decodes `countryNumber`. */
export function countryOfNumber(number: number): string {
  if (number === 0) return '';
  return String.fromCharCode(A + Math.floor((number - 1) / LETTERS), A + ((number - 1) % LETTERS));
}
