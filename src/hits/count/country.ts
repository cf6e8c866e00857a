import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { type CountryResponse, Reader } from 'maxmind';
import { withoutPort } from '../../platform/forwarded-address.ts';

/** Both families in one file; the package's file for IPv4 alone answers wrongly for IPv6. */
const SHIPPED = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

const BYTE = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const PLAIN_IPV4 = new RegExp(`^(?:${BYTE}\\.){3}${BYTE}$`);

/** The ISO 3166 code of the country of an address in canonical form, such as DE; empty where it is not known. */
export type CountryOf = (address: string) => string;

/**
 * Opens a country database in MMDB format, the one that is shipped where `path` is null. Throws an Error of one line that names
 * GEOIP_DB where that cannot be read.
 */
export async function openCountries(path: string | null): Promise<CountryOf> {
  const file = path ?? fileURLToPath(import.meta.resolve(SHIPPED));
  try {
    const reader = new Reader<CountryResponse>(await readFile(file));
    return (address) => codeOf(reader.get(address));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`GEOIP_DB must be a country database in MMDB format, or unset; ${file}: ${why}`, {
      cause,
    });
  }
}

/** Databases in use have the code at the top (ip-location-db), or within the country (GeoLite2 and others). */
function codeOf(record: object | null): string {
  if (record === null) return '';
  if ('country_code' in record) return countryCode(record.country_code);
  const country = 'country' in record ? record.country : null;
  return typeof country === 'object' && country !== null && 'iso_code' in country
    ? countryCode(country.iso_code)
    : '';
}

/** A code as it is counted: two capital letters; empty for anything else, and for what stands for "unknown" (XX, ZZ). */
export function countryCode(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Za-z]{2}$/.test(value)) return '';
  const code = value.toUpperCase();
  return code === 'XX' || code === 'ZZ' ? '' : code;
}

/** An address as its country and its visitor are told by: a mapped IPv4 address as IPv4, without port; null where it is none. */
export function canonicalAddress(address: string): string | null {
  // Most are of this form already, and a regular expression is ten times as fast as the parser.
  if (PLAIN_IPV4.test(address)) return address;
  const alone = withoutPort(address);
  return ipaddr.isValid(alone) ? ipaddr.process(alone).toString() : null;
}

/** The code of a country as a number, which is what is counted by: two letters, from 1 for AA; 0 where there is none. */

const A = 'A'.charCodeAt(0);
const LETTERS = 26;

/** Of a code of two capital letters, or of nothing. */
export function countryNumber(code: string): number {
  return code === '' ? 0 : (code.charCodeAt(0) - A) * LETTERS + code.charCodeAt(1) - A + 1;
}

export function countryOfNumber(number: number): string {
  if (number === 0) return '';
  return String.fromCharCode(A + Math.floor((number - 1) / LETTERS), A + ((number - 1) % LETTERS));
}
