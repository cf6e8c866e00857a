/**
 * The one form in which paths are compared, the same for stored paths and for requests: escapes that say nothing are taken away
 * and what must be escaped is, so that equal addresses are equal strings of ASCII (RFC 3986 section 6.2.2).
 */
import { escapeByte, escapeCodePoint, escapedByte, escapedCodePoint, escapedLength } from './percent.ts';
import { hexValue, isPathCharacter, isUnreserved } from './percent.ts';

const SLASH = 47;
const DOT = 46;
const PERCENT = 37;

/**
 * The canonical path of a target, which is cut at its first `?`: unreserved characters unescaped, other escapes in upper case,
 * everything that may not stand in a path escaped as UTF-8 (non-ASCII in Unicode's form C, escaped or not), dot segments removed, `//`
 * kept. A `%` that begins no escape becomes `%25`; bytes that are not UTF-8 stay as their escapes. Always begins with `/`, is
 * ASCII, and is its own canonical path. Linear; a path that is canonical already is returned as it is.
 */
export function canonicalPath(target: string): string {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  return isCanonical(path) ? path : rewrite(path);
}

/** What makes a path worth a second look: anything but plain characters, and dots that begin a segment. */
const SUSPECT = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]|\/\./;

/** A target cut into its canonical path and its raw query, which is null where there is no `?`. */
export function splitTarget(target: string): { path: string; query: string | null } {
  const mark = target.indexOf('?');
  return { path: canonicalPath(target), query: mark < 0 ? null : target.slice(mark + 1) };
}

/**
 * The target of a request line as ASCII. Node hands over each byte above 0x7F as one latin1 character; these become the escapes of the
 * bytes, which is what the client would have sent had it escaped its UTF-8. Characters above U+00FF, which no request line
 * can hold, are escaped as UTF-8.
 */
export function requestTarget(rawUrl: string): string {
  // A test first: nearly every target is ASCII, and the replacement would walk it in the slow way.
  if (!/[^\0-\x7f]/.test(rawUrl)) return rawUrl;
  return rawUrl.replace(/[^\0-\x7f]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? escapeByte(code) : escapeCodePoint(code);
  });
}

/**
 * The host (as written, port included) and the origin-form target of an absolute-form request target (RFC 9112 section 3.2.2), or
 * undefined where the target is in another form. User information is not part of the host.
 */
export function absoluteForm(url: string): { host: string; target: string } | undefined {
  const found = /^https?:\/\/([^/?#]*)/i.exec(url);
  if (!found) return undefined;
  const authority = found[1] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const rest = url.slice(found[0].length);
  return { host, target: rest.startsWith('/') ? rest : `/${rest}` };
}

/** One pass without allocation. May say no to a canonical path whose escapes only the long way can judge. */
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

/** Does a segment that begins with a dot at `at` consist of one or two dots? */
function isDotSegment(path: string, at: number): boolean {
  const end = path.charCodeAt(at + 1) === DOT ? at + 2 : at + 1;
  return end === path.length || path.charCodeAt(end) === SLASH;
}

/** Length of the escape at `at` where it is surely canonical, else 0. Below U+0300 nothing combines, so form C holds. */
function canonicalEscape(path: string, at: number): number {
  if (isLower(path.charCodeAt(at + 1)) || isLower(path.charCodeAt(at + 2))) return 0;
  const byte = escapedByte(path, at);
  if (byte < 0) return 0;
  if (byte < 0x80) return isUnreserved(byte) ? 0 : 3;
  if (byte > 0xcb || isLower(path.charCodeAt(at + 4)) || isLower(path.charCodeAt(at + 5))) return 0;
  return escapedCodePoint(path, at) < 0 ? 0 : 6;
}

const isLower = (code: number): boolean => code > 96 && hexValue(code) >= 0;

function rewrite(path: string): string {
  const escaped = escapePath(path.startsWith('/') ? path : `/${path}`, '%25');
  return escaped.includes('/.') ? removeDotSegments(escaped) : escaped;
}

/**
 * The text with its escapes in canonical form, dot segments untouched. What stays escaped parts the text for normalisation: an
 * accent never reaches over an escape. `lonePercent` stands for a `%` that begins no escape.
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

/** What stands at `at`: a character that text may be made of, or an escape that stays one. */
function readCharacter(text: string, at: number, lonePercent: string): Read {
  const code = text.codePointAt(at) ?? 0;
  if (code >= 0x80) return plain(String.fromCodePoint(code), code > 0xffff ? 2 : 1);
  if (code !== PERCENT)
    return isPathCharacter(code) ? plain(text.charAt(at), 1) : opaque(escapeByte(code), 1);
  const byte = escapedByte(text, at);
  if (byte < 0) return opaque(lonePercent, 1);
  if (isUnreserved(byte)) return plain(String.fromCharCode(byte), 3);
  const codePoint = byte < 0x80 ? -1 : escapedCodePoint(text, at);
  return codePoint < 0
    ? opaque(escapeByte(byte), 3)
    : plain(String.fromCodePoint(codePoint), escapedLength(codePoint));
}

const plain = (character: string, length: number): Read => ({ character, escape: '', length });
const opaque = (escape: string, length: number): Read => ({ character: undefined, escape, length });

function escapeRun(run: string): string {
  if (!/[^\0-\x7f]/.test(run)) return run;
  // Form C can make ASCII of a few characters, a backtick among them, so it comes before the escaping.
  return run
    .normalize('NFC')
    .toWellFormed()
    .replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/]+/gu, encodeURIComponent);
}

/** RFC 3986 section 5.2.4, in one pass over the segments; an empty segment is a segment. */
function removeDotSegments(path: string): string {
  const segments = path.split('/');
  const kept: string[] = [];
  for (let i = 1; i < segments.length; i++) {
    const segment = segments[i] ?? '';
    const dots = segment === '.' || segment === '..';
    if (segment === '..') kept.pop();
    if (!dots) kept.push(segment);
    else if (i === segments.length - 1) kept.push('');
  }
  return `/${kept.join('/')}`;
}
