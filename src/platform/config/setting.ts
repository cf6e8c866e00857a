/** The forms of environment variables: schemas whose message completes "NAME must ...". */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { parseDatabaseUrl } from '../../vocabulary/database-url.ts';

const MAX_PROCESSES = 64;
const MAX_IDS = 10_000;
export const MAKE_KEY = 'make one with: openssl rand -base64 32';

/**
 * A text that `read` converts; it returns undefined if the text is invalid. The error continues `rule` with the text
 * unless it may be secret.
 */
function form<Value>(rule: string, read: (text: string) => Value | undefined, { isSecret = false } = {}) {
  return z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue(isSecret ? `must ${rule}` : `must ${rule} it is ${JSON.stringify(text)}`);
    return z.NEVER;
  });
}

const SECRET = { isSecret: true };

export function setting(pattern: RegExp, rule: string, maxLength = 1_000) {
  return form(`${rule},`, (text) => (text.length <= maxLength && pattern.test(text) ? text : undefined));
}

/** A bearer token (RFC 6750), which is never shown. */
export function token() {
  const error = 'must be 16 to 256 letters, digits or ._~+/=-, make one with: openssl rand -hex 24';
  return z.string().regex(/^[A-Za-z0-9._~+/=-]{16,256}$/, { error });
}

export function wholeNumber(min: number, max: number, orElse: string) {
  return form(`be a whole number from ${min} to ${max}, ${orElse};`, (text) => numberOf(text, min, max));
}

const numberOf = (text: string, min: number, max: number): number | undefined =>
  /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;

export function processes() {
  return form(`be "auto" or a whole number from 1 to ${MAX_PROCESSES}, or unset it for 1;`, (text) =>
    text === 'auto' ? Math.min(availableParallelism(), MAX_PROCESSES) : numberOf(text, 1, MAX_PROCESSES),
  );
}

/** A URL that may contain a password and is never shown. `use`: what it must be fit for. */
export function databaseUrl(use: 'writes' | 'reads' = 'writes') {
  const [unfit, rule] =
    use === 'reads'
      ? ['primary', 'must lead to a standby: name one host, or set target_session_attrs=standby']
      : ['standby', 'must lead to the primary: set target_session_attrs=read-write'];
  return z.string().superRefine((value, context) => {
    const target = parseDatabaseUrl(value);
    if (typeof target === 'string') context.addIssue(target);
    else if (target.role === unfit) context.addIssue(rule);
  });
}

export function address(protocols: string[], example: string) {
  const read = (text: string): string | undefined => {
    const url = URL.parse(text);
    return url && protocols.includes(url.protocol) && (url.hostname !== '' || url.searchParams.has('host'))
      ? text
      : undefined;
  };
  return form(`be an address such as ${example}`, read, SECRET);
}

/** A sender: `noreply@example.com`, or with a name `Detour <noreply@example.com>`. */
export function sender() {
  const read = (text: string): { name: string; address: string } | undefined => {
    const [, name = '', inBrackets, bare] =
      /^(?:([^<>"(),:;@[\\\]\p{C}]{1,100}?) *<([^<>]+)>|([^<>]+))$/u.exec(text) ?? [];
    const address = inBrackets ?? bare ?? '';
    const isMailbox = address.length <= 254 && /^[^\s@"(),:;<>[\\\]\p{C}]+@[^\s@"(),:;<>[\\\]\p{C}]+$/u.test(address);
    return isMailbox ? { name: name.trim(), address } : undefined;
  };
  return form('be a mailbox such as noreply@example.com or Detour <noreply@example.com>,', read);
}

export function origin() {
  const read = (text: string): string | undefined => {
    const url = URL.parse(text);
    return url && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
  };
  return form('be the address of this service without path, such as https://detour.example.com', read, SECRET);
}

export function hosts() {
  return form('be hosts without scheme and port, such as detour,old.example.com;', (text) => {
    const urls = text.split(',').map((host) => URL.parse(`http://${host.trim()}`));
    const areHosts = urls.every((url) => url !== null && url.port === '' && url.href === `${url.origin}/`);
    return areHosts ? urls.flatMap((url) => url?.hostname.replace(/\.$/, '') ?? []) : undefined;
  });
}

export function nameServers() {
  const isServer = (text: string): boolean =>
    isIP(text.replace(/^\[(.*)\](:\d{1,5})?$|^([\d.]+):\d{1,5}$/, '$1$3')) !== 0;
  return form('be IP addresses of name servers, such as 10.0.0.2,[fd00::2]:53;', (text) => listOf(text, isServer));
}

/** Ids of the database, each once. */
export function ids(of: string) {
  return form(`be ids of ${of} with commas, such as 7,12;`, (text) => {
    const items = listOf(text, (item) => /^[1-9]\d{0,8}$/.test(item));
    return items && items.length <= MAX_IDS ? [...new Set(items.map(Number))] : undefined;
  });
}

/** 32 bytes in base64, with or without the padding. */
export function key() {
  const read = (text: string): Buffer | undefined => {
    const bytes = Buffer.from(text, 'base64');
    const isWhole = bytes.length === 32 && bytes.toString('base64').replace('=', '') === text.replace(/=$/, '');
    return isWhole ? bytes : undefined;
  };
  return form(`be 32 bytes in base64: ${MAKE_KEY}`, read, SECRET);
}

export function trustProxy() {
  const rule = 'be 1 for one proxy in front, or trusted networks such as 10.0.0.0/8,192.168.1.4, or unset for none;';
  return form<number | string[]>(rule, (text) => (/^[1-9]\d?$/.test(text) ? Number(text) : listOf(text, isNetwork)));
}

export function networks(rule: string) {
  return form(`${rule};`, (text) => listOf(text, isNetwork));
}

/** The items of a list with commas; undefined if one is invalid. */
function listOf(text: string, isValid: (item: string) => boolean): string[] | undefined {
  const items = text.split(',').map((item) => item.trim());
  return items.every(isValid) ? items : undefined;
}

function isNetwork(text: string): boolean {
  const [ip = '', prefix, ...rest] = text.split('/');
  const family = isIP(ip);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
