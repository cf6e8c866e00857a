/**
 * Devices from which a user has signed in. Each has a token in a cookie, sealed for the user's email. Guesses from
 * other devices and networks do not block sign-ins from it (throttle.ts).
 */
import { newId } from '../platform/ids.ts';
import type { SecretBox } from '../platform/secret-box.ts';

/** The client of a sign-in. */
export interface SignInClient {
  /** the network of its address: /24 of IPv4, /64 of IPv6 */
  network: string;
  /** the device token of its cookie, which may be anything */
  device: string | undefined;
  userAgent: string | undefined;
}

const contextOf = (email: string): string => `device of ${email}`;

/** Returns the token of a new device of the user. */
export function newDeviceToken(secretBox: SecretBox, email: string): string {
  return secretBox.seal(newId('dev_'), contextOf(email)).toString('base64url');
}

/** Returns the id of the device, or undefined if the token is not one of this user. */
export function deviceId(secretBox: SecretBox, email: string, token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  try {
    return secretBox.open(Buffer.from(token, 'base64url'), contextOf(email));
  } catch {
    return undefined;
  }
}
