import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { randomText } from '../../platform/ids.ts';
import { createSemaphore } from '../../platform/scheduling/semaphore.ts';
import { busy, type Issue } from '../../vocabulary/error.ts';

const derive = promisify(argon2);

/** OWASP's first recommendation for argon2id; takes about 36 ms, off the event loop. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const SALT_BYTES = 16;
/** Hashing, DNS and file access share libuv's four threads; sign-ins leave half of them free. */
const MAX_CONCURRENT_HASHES = 2;

const MIN_LENGTH = 10;
const MAX_LENGTH = 1_024;

/** Validates a new password: its length, and that it is neither a common one nor a sequence. Returns undefined if it is valid. */
export function passwordIssue(path: string, password: string): Issue | undefined {
  // More than any valid password has, so that a long text is not taken apart.
  const characters = isTooLong(password) ? [] : [...password.normalize('NFKC').toLowerCase()];
  const { length } = isTooLong(password) ? password : [...password];
  const issue = (message: string): Issue => ({ path, code: 'VALIDATION_ERROR', message });
  if (length < MIN_LENGTH || length > MAX_LENGTH) return issue(`must have ${MIN_LENGTH} to 1,024 characters`);
  if (isCommonPassword(password)) return issue('is one of the most common passwords; choose another');
  if (isSequence(characters)) return issue('is one repeated character or a sequence; choose another');
  return undefined;
}

/** True for `aaaaaaaaaa`, `abcdefghij`, `9876543210` and `7890123456`: each character is one step from the previous. */
function isSequence(characters: string[]): boolean {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  const isNumber = characters.every((character) => /^\d$/.test(character));
  const steps = codes.slice(1).map((code, at) => {
    const step = code - (codes[at] ?? 0);
    return isNumber ? ((step + 15) % 10) - 5 : step;
  });
  const [first = 2] = steps;
  return Math.abs(first) <= 1 && steps.every((step) => step === first);
}

/** A character has at most two units of UTF-16. */
const isTooLong = (password: string): boolean => password.length > 2 * MAX_LENGTH;

const COMMON_PASSWORDS = join(import.meta.dirname, 'common-passwords.txt');

let common: ReadonlySet<string> | undefined;

/**
 * True if the password is among the most common ones, whatever its case. The list has those that are long enough;
 * test/accounts/password.test.ts compares it with its source.
 */
function isCommonPassword(password: string): boolean {
  common ??= new Set(readFileSync(COMMON_PASSWORDS, 'utf8').split('\n'));
  return common.has(password.normalize('NFKC').toLowerCase());
}

/** Returns the PHC string to store: algorithm, cost, salt and hash, so that the cost can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return phc(salt, await argon2id(password, salt, COST));
}

/**
 * Verifies a password. `stored` undefined (no such user) does the same work and returns false, so that the response
 * time does not reveal whether the user exists. Throws if `stored` is not an argon2id PHC string.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  if (isTooLong(password)) return false;
  const { salt, hash, cost } = parse(stored ?? UNKNOWN_USER);
  const derived = await argon2id(password, salt, { ...cost, tagLength: hash.length });
  return timingSafeEqual(derived, hash) && stored !== undefined;
}

/** Returns 20 characters (115 bits) without ambiguous ones such as l and 1. */
export function generatePassword(): string {
  return randomText(20, 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789');
}

function phc(salt: Buffer, hash: Buffer): string {
  const [salt64, hash64] = [salt, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${salt64}$${hash64}`;
}

/** A hash with the current cost that no password matches. */
const UNKNOWN_USER = phc(randomBytes(SALT_BYTES), randomBytes(COST.tagLength));

function parse(stored: string): { salt: Buffer; hash: Buffer; cost: Omit<typeof COST, 'tagLength'> } {
  const [, memory, passes, parallelism, salt, hash] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored) ?? [];
  if (!salt || !hash) throw new Error('a stored password hash is not an argon2id PHC string');
  return {
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
  };
}

const withHashingPermit = createSemaphore(MAX_CONCURRENT_HASHES);
const HASHING_TIMEOUT = {
  timeoutMs: 10_000,
  maxWaiting: 1_000,
  error: () => busy('Many passwords are being checked at this moment; retry in a few seconds'),
};

async function argon2id(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  // NFKC, because systems compose the same characters differently.
  const message = password.normalize('NFKC');
  return withHashingPermit(() => derive('argon2id', { message, nonce: salt, ...cost }), HASHING_TIMEOUT);
}
