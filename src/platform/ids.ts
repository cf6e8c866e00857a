import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Clock, systemClock } from './clock.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 22 characters of 62 hold 131 bits, 43 hold 256. */
const ID_LENGTH = 22;
const KEY_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const KEY_PREFIX = 'dtr_';
const KEY = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${KEY_LENGTH + CHECKSUM_LENGTH}}$`);

/** `prefix` with its underscore, such as `key_`, and 22 random characters of base62. */
export function newId(prefix: string): string {
  return prefix + randomText(ID_LENGTH, BASE62);
}

/** The last two digits of a counter in base 36, because converting a number for each id is expensive. */
const LAST_DIGITS = Array.from({ length: 36 * 36 }, (_, i) => i.toString(36).padStart(2, '0'));

/** Creates request ids: a random prefix per process, then a counter. Cheap enough for every request. */
export function createRequestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url');
  let block = -1;
  let start = '';
  let next = LAST_DIGITS.length;
  return () => {
    if (next === LAST_DIGITS.length) {
      next = 0;
      start = `${prefix}-${(++block).toString(36)}`;
    }
    return start + (LAST_DIGITS[next++] ?? '');
  };
}

/** 256 random bits in base64url: 43 characters. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** A new API key: `dtr_`, 43 random characters (256 bits) and their checksum of 6 characters. */
export function newApiKey(): string {
  const random = randomText(KEY_LENGTH, BASE62);
  return KEY_PREFIX + random + checksum(random);
}

/** True if the text has the form and the checksum of an API key. Saves the query for a mistyped key. */
export function looksLikeApiKey(text: string): boolean {
  if (!KEY.test(text)) return false;
  const random = text.slice(KEY_PREFIX.length, KEY_PREFIX.length + KEY_LENGTH);
  return text.endsWith(checksum(random));
}

let lastMs = 0;
let counter = 0;

/**
 * A UUID of version 7 (RFC 9562): milliseconds, a 12-bit counter (method 1 of section 6.2), 62 random bits. Strictly
 * ascending within one process, also within a millisecond and when the clock goes back.
 */
export function uuidv7(clock: Clock = systemClock): string {
  const ms = clock.now().getTime();
  if (ms > lastMs) {
    lastMs = ms;
    counter = randomInt(0x400);
  } else if (++counter > 0xfff) {
    lastMs += 1;
    counter = randomInt(0x400);
  }
  const hex = lastMs.toString(16).padStart(12, '0');
  // The variant and the random bits of a UUID of version 4 are in the same place. Node keeps random bytes for many.
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${counter.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
}

/** The smallest UUID of version 7 of a millisecond. */
export function firstIdOf(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Random characters of the alphabet, each equally likely. */
export function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** CRC-32 in base62. 62^6 is more than 2^32, so 6 characters suffice. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
