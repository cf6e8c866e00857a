import type { Issue } from '../vocabulary/error.ts';

/** An e-mail address as it is stored and compared: without surrounding white space, in lower case. */
export function normaliseEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/**
 * What is wrong with a normalised address, if anything. No mail is ever sent to it, so this asks only for what makes it an
 * address: one @ with something before it and a domain after it, at most 254 characters (RFC 5321 section 4.5.3.1.3).
 */
export function emailIssue(path: string, email: string): Issue | undefined {
  const issue = (message: string): Issue => ({ path, code: 'VALIDATION_ERROR', message });
  if (email.length > 254) return issue('must have at most 254 characters');
  if (!/^[^\s\p{C}@]{1,64}@[^\s\p{C}@.]+(\.[^\s\p{C}@.]+)*$/u.test(email)) {
    return issue('must be an e-mail address, such as jo@example.com');
  }
  return undefined;
}
