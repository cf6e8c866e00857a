import { Resolver } from 'node:dns/promises';
import { isErrorCode } from '../platform/error-summary.ts';

/** A DNS record that proves who owns a host. */
export interface TxtRecord {
  type: 'TXT';
  name: string;
  value: string;
}

/** The record of a host. `value` is stable for the account and host. */
export function proofOf(hostname: string, value: string): TxtRecord {
  return { type: 'TXT', name: `_detour.${hostname}`, value };
}

/** For the whole lookup, with its tries. */
const TIMEOUT_MS = 5_000;
const TRIES = 2;
const FIRST_TRY_MS = 1_500;
const MAX_SHOWN_RECORDS = 3;
const MAX_SHOWN_CHARACTERS = 100;

/**
 * Looks a record up. Returns undefined if it exists, else what was found instead, as a clause. `servers` replaces the
 * name servers of the system.
 */
export async function checkTxtRecord(
  { name, value }: TxtRecord,
  servers: string[] | null,
): Promise<string | undefined> {
  // A new resolver for each lookup, because it reads the system's name servers only when it is created.
  const dns = new Resolver({ timeout: FIRST_TRY_MS, tries: TRIES });
  if (servers) dns.setServers(servers);
  const timer = setTimeout(() => dns.cancel(), TIMEOUT_MS);
  try {
    // A record longer than 255 bytes arrives in chunks.
    const found = (await dns.resolveTxt(name)).map((chunks) => chunks.join(''));
    return found.includes(value) ? undefined : `the TXT record ${name} is ${shown(found)}`;
  } catch (error) {
    if (isErrorCode(error, 'ENOTFOUND') || isErrorCode(error, 'ENODATA')) return `there is no TXT record ${name}`;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return `the name servers did not answer for ${name} (${code})`;
  } finally {
    clearTimeout(timer);
  }
}

function shown(values: string[]): string {
  const first = values.slice(0, MAX_SHOWN_RECORDS).map((text) => JSON.stringify(text.slice(0, MAX_SHOWN_CHARACTERS)));
  const rest = values.length - first.length;
  return first.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
