/** Canonical form of stored and requested paths: equivalent paths are equal ASCII strings (RFC 3986 section 6.2.2). */
import {
  escapeByte,
  escapeCodePoint,
  escapedByte,
  escapedCodePoint,
  escapedLength,
  hexValue,
  isPathCharacter,
  isUnreserved,
} from './percent.ts';

const SLASH = 47;
const DOT = 46;
const PERCENT = 37;

/**
 * Returns the canonical path of a target, without its query:
 * - unreserved characters are unescaped, other escapes are in upper case;
 * - characters that are not allowed in a path are escaped as UTF-8, non-ASCII text in Unicode normalization form C;
 * - a `%` without two hex digits becomes `%25`; escaped bytes that are not UTF-8 stay;
 * - dot segments are removed; `//` stays.
 *
 * The result begins with `/`, is ASCII, and is its own canonical path. Takes linear time.
 */
export function canonicalPath(target: string): string {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  if (isCanonical(path)) return path;
  const escaped = escapePath(path.startsWith('/') ? path : `/${path}`, '%25');
  return escaped.includes('/.') ? removeDotSegments(escaped) : escaped;
}

/** A character that may need rewriting, or a dot that begins a segment. */
const SUSPECT = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]|\/\./;

/** True for nearly all paths on the same host: canonical, without escapes, query and fragment. Takes one pass. */
export function isSimplePath(path: string): boolean {
  return path.charCodeAt(0) === SLASH && path.charCodeAt(1) !== SLASH && !SUSPECT.test(path);
}

/** Splits a target into its canonical path and its raw query, which is null without a `?`. */
export function splitTarget(target: string): { path: string; query: string | null } {
  const mark = target.indexOf('?');
  return { path: canonicalPath(target), query: mark < 0 ? null : target.slice(mark + 1) };
}

/** Returns the target of a request line as ASCII. Node passes each byte above 0x7F as one latin1 character. */
export function requestTarget(rawUrl: string): string {
  // Nearly every target is ASCII, and a test is faster than a replacement.
  if (!/[^\0-\x7f]/.test(rawUrl)) return rawUrl;
  return rawUrl.replace(/[^\0-\x7f]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? escapeByte(code) : escapeCodePoint(code);
  });
}

/** Splits an absolute-form request target (RFC 9112 section 3.2.2) into its host, as written, and its origin form. */
export function absoluteForm(url: string): { host: string; target: string } | undefined {
  const found = /^https?:\/\/([^/?#]*)/i.exec(url);
  if (!found) return undefined;
  const authority = found[1] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const rest = url.slice(found[0].length);
  return { host, target: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Returns the host of a Host header in lower case, without port and final dot. */
export function hostOfHeader(header: string): string {
  const end = header.startsWith('[') ? header.indexOf(']') + 1 : header.indexOf(':');
  const host = end > 0 ? header.slice(0, end) : header;
  return (host.endsWith('.') ? host.slice(0, -1) : host).toLowerCase();
}

/** A check in one pass without allocation. False for some canonical paths whose escapes need the full rewrite. */
function isCanonical(path: string): boolean {
  if (path.charCodeAt(0) !== SLASH) return false;
  if (!SUSPECT.test(path)) return true;
  for (let i = 1; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (code === DOT) {
      if (path.charCodeAt(i - 1) === SLASH && isDotSegment(path, i)) return false;
    } else if (code === PERCENT) {
      const length = canonicalEscape(path, i);
      if (length === 0) return false;
      i += length - 1;
    } else if (!isPathCharacter(code)) {
      return false;
    }
  }
  return true;
}

/** True if the segment that begins with a dot at `at` is `.` or `..`. */
function isDotSegment(path: string, at: number): boolean {
  const end = path.charCodeAt(at + 1) === DOT ? at + 2 : at + 1;
  return end === path.length || path.charCodeAt(end) === SLASH;
}

/** Length of the escape at `at` if it is certainly canonical, else 0. Characters below U+0300 do not combine. */
function canonicalEscape(path: string, at: number): number {
  if (isLower(path.charCodeAt(at + 1)) || isLower(path.charCodeAt(at + 2))) return 0;
  const byte = escapedByte(path, at);
  if (byte < 0) return 0;
  if (byte < 0x80) return isUnreserved(byte) ? 0 : 3;
  if (byte > 0xcb || isLower(path.charCodeAt(at + 4)) || isLower(path.charCodeAt(at + 5))) return 0;
  return escapedCodePoint(path, at) < 0 ? 0 : 6;
}

const isLower = (code: number): boolean => code > 96 && hexValue(code) >= 0;

/**
 * Returns the text with canonical escapes, and dot segments unchanged. Text between escapes is normalized separately,
 * so that an accent never combines across an escape. `lonePercent` replaces a `%` without two hex digits.
 */
export function escapePath(text: string, lonePercent: string): string {
  let out = '';
  let run = '';
  let at = 0;
  while (at < text.length) {
    const { character, escape, length } = readCharacter(text, at, lonePercent);
    at += length;
    if (character !== undefined) {
      run += character;
      continue;
    }
    out += escapeRun(run) + escape;
    run = '';
  }
  return out + escapeRun(run);
}

type Read = { character: string | undefined; escape: string; length: number };

/** Reads one character or escape at `at`: `character` if it is text, `escape` if it stays escaped. */
function readCharacter(text: string, at: number, lonePercent: string): Read {
  const code = text.codePointAt(at) ?? 0;
  if (code >= 0x80) return asText(String.fromCodePoint(code), code > 0xffff ? 2 : 1);
  if (code !== PERCENT) return isPathCharacter(code) ? asText(text.charAt(at), 1) : asEscape(escapeByte(code), 1);
  const byte = escapedByte(text, at);
  if (byte < 0) return asEscape(lonePercent, 1);
  if (isUnreserved(byte)) return asText(String.fromCharCode(byte), 3);
  const codePoint = byte < 0x80 ? -1 : escapedCodePoint(text, at);
  return codePoint < 0
    ? asEscape(escapeByte(byte), 3)
    : asText(String.fromCodePoint(codePoint), escapedLength(codePoint));
}

const asText = (character: string, length: number): Read => ({ character, escape: '', length });
const asEscape = (escape: string, length: number): Read => ({ character: undefined, escape, length });

function escapeRun(run: string): string {
  if (!/[^\0-\x7f]/.test(run)) return run;
  // Normalization comes first: it can produce ASCII characters that need escaping, such as a backtick.
  return run
    .normalize('NFC')
    .toWellFormed()
    .replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/]+/gu, encodeURIComponent);
}

/** RFC 3986 section 5.2.4, in one pass. An empty segment is a segment. */
function removeDotSegments(path: string): string {
  const result: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    if (segment === '..') result.pop();
    else if (segment !== '.') result.push(segment);
  }
  // A final dot segment leaves a final slash.
  if (/\/\.\.?$/.test(path)) result.push('');
  return `/${result.join('/')}`;
}
