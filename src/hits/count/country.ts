import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { type CountryResponse, Reader } from 'maxmind';
import { withoutPort } from '../../platform/network/forwarded-address.ts';

/** IPv4 and IPv6 in one file. The package's IPv4 file gives wrong countries for IPv6 addresses. */
const PACKAGED = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

const BYTE = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const PLAIN_IPV4 = new RegExp(`^(?:${BYTE}\\.){3}${BYTE}$`);

/** Returns the ISO 3166 code of a canonical address, such as DE; empty if unknown. */
export type CountryOf = (address: string) => string;

/**
 * Opens an MMDB country database; null: the packaged one. Throws a one-line Error that names GEOIP_DB if unreadable.
 */
export async function openCountries(path: string | null): Promise<CountryOf> {
  const file = path ?? fileURLToPath(import.meta.resolve(PACKAGED));
  try {
    const reader = new Reader<CountryResponse>(await readFile(file));
    return (address) => codeOf(reader.get(address));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`GEOIP_DB must be a country database in MMDB format, or unset; ${file}: ${reason}`, {
      cause,
    });
  }
}

/** The code is at the top level (ip-location-db) or inside `country` (GeoLite2 and others). */
function codeOf(record: object | null): string {
  if (record === null) return '';
  if ('country_code' in record) return countryCode(record.country_code);
  const country = 'country' in record ? record.country : null;
  return typeof country === 'object' && country !== null && 'iso_code' in country ? countryCode(country.iso_code) : '';
}

/** Normalizes a country code to two capital letters; empty for anything else and for "unknown" (XX, ZZ). */
export function countryCode(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Za-z]{2}$/.test(value)) return '';
  const code = value.toUpperCase();
  return code === 'XX' || code === 'ZZ' ? '' : code;
}

/** Canonical address for country lookup and visitor hashing: no port, IPv4-mapped IPv6 as IPv4. Null if invalid. */
export function canonicalAddress(address: string): string | null {
  // The regular expression is ten times as fast as the parser, and most addresses match it.
  if (PLAIN_IPV4.test(address)) return address;
  const bare = withoutPort(address);
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : null;
}
