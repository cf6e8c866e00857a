import { dnsCode, isNoRecord, queryDns } from '../platform/network/dns.ts';

/** A DNS record that proves who owns a host. */
export interface TxtRecord {
  type: 'TXT';
  name: string;
  value: string;
}

/** The record of a host, or of the name above a wildcard. `value` is stable for the account and name. */
export function proofOf(name: string, value: string): TxtRecord {
  return { type: 'TXT', name: `_detour.${name}`, value };
}

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
  try {
    // A record longer than 255 bytes arrives in chunks.
    const found = (await queryDns(servers, (dns) => dns.resolveTxt(name))).map((chunks) => chunks.join(''));
    return found.includes(value) ? undefined : `the TXT record ${name} is ${shown(found)}`;
  } catch (error) {
    if (isNoRecord(error)) return `there is no TXT record ${name}`;
    return `the name servers did not answer for ${name} (${dnsCode(error)})`;
  }
}

function shown(values: string[]): string {
  const first = values.slice(0, MAX_SHOWN_RECORDS).map((text) => JSON.stringify(text.slice(0, MAX_SHOWN_CHARACTERS)));
  const rest = values.length - first.length;
  return first.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
