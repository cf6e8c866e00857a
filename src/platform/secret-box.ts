import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';

/**
 * A sealed secret: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). Version and key id are authenticated
 * too.
 */
const VERSION = 1;
const KEY_ID_END = 5;
const NONCE_END = 17;
const TAG_LENGTH = 16;

/** SECRET_KEY, and SECRET_KEY_PREVIOUS unless it is null; 32 bytes each. */
export interface SecretKeys {
  secretKey: Buffer;
  previousSecretKey: Buffer | null;
}

export type SecretBox = ReturnType<typeof createSecretBox>;

/** Seals secrets that the service must be able to read again, with SECRET_KEY. Opens them with either key. */
export function createSecretBox({ secretKey, previousSecretKey }: SecretKeys) {
  const current = createCipher(secretKey);
  const ciphers = [current, ...(previousSecretKey ? [createCipher(previousSecretKey)] : [])];
  return {
    /**
     * Encrypts the text with AES-256-GCM. `context` names its owner (such as `webhook 7`) and is needed to open it, so
     * a sealed secret does not open in another row.
     */
    seal: current.seal,
    /** Returns the text. Throws if it was changed, truncated, or sealed with another key or context. */
    open(sealed: Buffer, context: string) {
      if (sealed.length < NONCE_END + TAG_LENGTH || sealed[0] !== VERSION)
        throw new Error('this is not a sealed secret of a known version');
      const cipher = ciphers.find(({ header }) => hasHeader(sealed, header));
      if (!cipher) throw new UnknownKeyError();
      return cipher.open(sealed, context);
    },
    /** False if it was sealed with a previous key, or one that this box does not have. */
    isCurrent: (sealed: Buffer) => hasHeader(sealed, current.header),
  };
}

/** A secret was sealed with a key that this process does not have. */
export class UnknownKeyError extends Error {
  constructor() {
    super('the secret was sealed under another SECRET_KEY: set that key as SECRET_KEY or SECRET_KEY_PREVIOUS');
  }
}

function createCipher(key: Buffer) {
  const keyId = createHash('sha256').update('detour secret box key id').update(key).digest().subarray(0, 4);
  const header = Buffer.concat([Buffer.of(VERSION), keyId]);
  // Created once: from a Buffer, Node.js creates a key at each call, which costs more than the decryption.
  const secretKey = createSecretKey(key);
  return {
    header,
    seal(text: string, context: string): Buffer {
      const nonce = randomBytes(NONCE_END - KEY_ID_END);
      const cipher = createCipheriv('aes-256-gcm', secretKey, nonce).setAAD(authenticated(header, context));
      return Buffer.concat([header, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed: Buffer, context: string): string {
      const end = sealed.length - TAG_LENGTH;
      const decipher = createDecipheriv('aes-256-gcm', secretKey, sealed.subarray(KEY_ID_END, NONCE_END), {
        authTagLength: TAG_LENGTH,
      });
      decipher.setAAD(authenticated(header, context)).setAuthTag(sealed.subarray(end));
      return decipher.update(sealed.subarray(NONCE_END, end), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

function hasHeader(sealed: Buffer, header: Buffer): boolean {
  return sealed.subarray(0, KEY_ID_END).equals(header);
}

function authenticated(header: Buffer, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context, 'utf8')]);
}
