/**
 * Devices from which a user has signed in. Each has a token in a cookie, sealed for the user's email and password: a new
 * password makes all of them unknown. Guesses from other devices and networks do not block sign-ins from a known one
 * (throttle.ts).
 */
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secret-box.ts';

export interface SignInClient {
  /** its IP address */
  address: string;
  /** the network of its address: /24 of IPv4, /64 of IPv6 */
  network: string;
  /** the device token of its cookie, which may be anything */
  device: string | undefined;
  userAgent: string | undefined;
}

interface Owner {
  email: string;
  passwordHash: string;
}

const contextOf = ({ email, passwordHash }: Owner): string => `device of ${email} with ${passwordHash}`;

export function newDeviceToken(secretBox: SecretBox, owner: Owner): string {
  return secretBox.seal(newId('dev_'), contextOf(owner)).toString('base64url');
}

/** Returns the id of the device, or undefined if the token is not one of this user. */
export function deviceId(secretBox: SecretBox, owner: Owner, token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  try {
    return secretBox.open(Buffer.from(token, 'base64url'), contextOf(owner));
  } catch {
    return undefined;
  }
}
