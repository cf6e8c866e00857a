import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';

/**
 * A sealed secret: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). Version and key id are authenticated
 * too.
 */
const VERSION = 1;
const KEY_ID_END = 5;
const NONCE_END = 17;
const TAG_LENGTH = 16;

export interface SecretBox {
  /**
   * Encrypts the text with AES-256-GCM. `context` names its owner (such as `webhook 7`) and is needed to open it, so a
   * sealed secret does not open in another row.
   */
  seal(text: string, context: string): Buffer;
  /** Returns the text. Throws if it was changed, truncated, or sealed with another key or context. */
  open(sealed: Buffer, context: string): string;
}

/** Seals secrets that the service must be able to read again. `key` is SECRET_KEY, 32 bytes. */
export function createSecretBox(key: Buffer): SecretBox {
  const keyId = createHash('sha256').update('detour secret box key id').update(key).digest().subarray(0, 4);
  const header = Buffer.concat([Buffer.of(VERSION), keyId]);
  // Created once: from a Buffer, Node.js creates a key at each call, which costs more than the decryption.
  const secretKey = createSecretKey(key);
  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_END - KEY_ID_END);
      const cipher = createCipheriv('aes-256-gcm', secretKey, nonce).setAAD(authenticated(header, context));
      return Buffer.concat([header, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, context) {
      checkHeader(sealed, keyId);
      const end = sealed.length - TAG_LENGTH;
      const decipher = createDecipheriv('aes-256-gcm', secretKey, sealed.subarray(KEY_ID_END, NONCE_END), {
        authTagLength: TAG_LENGTH,
      });
      decipher.setAAD(authenticated(header, context)).setAuthTag(sealed.subarray(end));
      return decipher.update(sealed.subarray(NONCE_END, end), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

function authenticated(header: Buffer, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context, 'utf8')]);
}

function checkHeader(sealed: Buffer, keyId: Buffer): void {
  if (sealed.length < NONCE_END + TAG_LENGTH || sealed[0] !== VERSION)
    throw new Error('this is not a sealed secret of a known version');
  if (!sealed.subarray(1, KEY_ID_END).equals(keyId))
    throw new Error('the secret was sealed under another SECRET_KEY: set the one that was in use then');
}
