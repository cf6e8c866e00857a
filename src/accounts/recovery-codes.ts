/** Recovery codes replace a lost authenticator app. Only their hashes are stored. */
import { randomInt } from 'node:crypto';
import { sha256 } from '../platform/ids.ts';

const COUNT = 10;
/** Without characters that are easily confused. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
/** 16 characters of 31 hold 79 random bits, so a plain hash protects them. */
const LENGTH = 16;
const GROUP = 4;

/** Returns ten codes such as `abcd-efgh-jkmn-pqrs`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, newRecoveryCode);
}

function newRecoveryCode(): string {
  let code = '';
  for (let at = 0; at < LENGTH; at++) {
    if (at > 0 && at % GROUP === 0) code += '-';
    code += ALPHABET.charAt(randomInt(ALPHABET.length));
  }
  return code;
}

/** The hash to store and to compare. Ignores case, hyphens and white space. */
export function hashRecoveryCode(code: string): Buffer {
  return sha256(code.toLowerCase().replaceAll(/[\s-]/g, ''));
}
