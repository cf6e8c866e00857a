import { createSemaphore } from '../platform/semaphore.ts';
import { argon2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Issue } from '../vocabulary/error.ts';

const derive = promisify(argon2);

/** OWASP's first recommendation for argon2id; 36 ms on the machine where it was measured, off the event loop. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const SALT_BYTES = 16;
/** Hashing, DNS and file access share libuv's four threads; sign-ins leave half of them free. */
const MAX_CONCURRENT_HASHES = 2;

export const PASSWORD_LENGTH = { least: 10, most: 1_024 };

/** What is wrong with a new password, if anything; length is all that is asked for. */
export function passwordIssue(path: string, password: string): Issue | undefined {
  const length = [...password].length;
  const { least, most } = PASSWORD_LENGTH;
  if (length >= least && length <= most) return undefined;
  return { path, code: 'VALIDATION_ERROR', message: `must have ${least} to 1,024 characters` };
}

/** The PHC string to store: algorithm, cost, salt and hash in one, so that the cost can rise later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await argon2id(password, salt, COST);
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

/**
 * True where the password is the one that was hashed. `stored` undefined (no such user) costs the same work and is false, so
 * that the time of a refused sign-in does not tell whether the user exists. Throws on a stored string that is no argon2id PHC.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const { salt, hash, cost } = parse(stored ?? NOBODY);
  const derived = await argon2id(password, salt, { ...cost, tagLength: hash.length });
  return timingSafeEqual(derived, hash) && stored !== undefined;
}

/** 20 characters that are not mistaken for each other when read aloud: 115 bits. */
export function generatePassword(): string {
  const alphabet = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  return Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('');
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const NOBODY = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(randomBytes(SALT_BYTES))}$${unpadded(randomBytes(COST.tagLength))}`;

function parse(phc: string): { salt: Buffer; hash: Buffer; cost: Omit<typeof COST, 'tagLength'> } {
  const [, memory, passes, parallelism, salt, hash] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(phc) ?? [];
  if (!salt || !hash) throw new Error('a stored password hash is not an argon2id PHC string');
  return {
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
  };
}

const withHashingPermit = createSemaphore(MAX_CONCURRENT_HASHES);

async function argon2id(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  // NFKC, because keyboards and systems may compose the same characters differently.
  const message = password.normalize('NFKC');
  return withHashingPermit(() => derive('argon2id', { message, nonce: salt, ...cost }));
}
