/** Spellings of one URL: case, final slash, extension, index page, language prefix, escapes, transliteration. */
import anyAscii from 'any-ascii';

/** Longer URLs are compared by their start. */
const MAX_LENGTH = 2_000;

/** Path and query of a URL, without origin and fragment. */
export function pathOf(url: string): string {
  let path = url.slice(0, MAX_LENGTH);
  if (!path.startsWith('/')) path = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  if (path.includes('#')) path = path.slice(0, path.indexOf('#'));
  return path.startsWith('/') ? path : `/${path}`;
}

/** ASCII with its case: `%C3%A9` is `e`, `Größe` is `Groesse`; Cyrillic and Japanese are transliterated. */
export function toAscii(text: string): string {
  const decoded = decode(text);
  if (/^[\x00-\x7f]*$/.test(decoded)) return decoded;
  return anyAscii(decoded.normalize('NFC').replace(/[äöü]/gi, (letter) => UMLAUTS[letter] ?? letter));
}

const UMLAUTS: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue' };

/** Invalid escapes become spaces. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return ' ';
    }
  });
}

/** Letters and digits, joined. */
export const squash = (text: string): string => text.replace(/[^a-z0-9]+/g, '');

interface Step {
  name: string;
  normalise: (path: string) => string;
  /** a page is certainly the same after this step */
  isSafe: boolean;
}

const STEPS: Step[] = [
  { name: 'the final slash', normalise: (path) => path.replace(/(.)\/+(?=\?|$)/, '$1'), isSafe: true },
  { name: 'percent encoding', normalise: decode, isSafe: true },
  { name: 'case', normalise: (path) => path.toLowerCase(), isSafe: true },
  {
    name: 'the extension',
    normalise: (path) => path.replace(/(\.(html?|xhtml|shtml|php\d?|aspx?|jspx?|cfm|cgi|do|md))+(?=\?|$)/, ''),
    isSafe: true,
  },
  { name: 'the index page', normalise: (path) => path.replace(/\/(index|default)(?=\?|$)/, '') || '/', isSafe: true },
  {
    name: 'the language prefix',
    normalise: (path) => path.replace(/^\/[a-z]{2}([-_][a-z]{2})?(?=\/|\?|$)/, '') || '/',
    isSafe: false,
  },
  // Slugs write ü as ue or u. The last two steps touch every word, and spellingHash has them in its loop.
  {
    name: 'transliteration',
    normalise: (path) =>
      toAscii(path)
        .toLowerCase()
        .replace(/([aou])e/g, '$1'),
    isSafe: false,
  },
  { name: 'hyphens and other separators', normalise: (path) => path.replace(/[^a-z0-9/]+/g, ''), isSafe: false },
];

/** Separates these hashes from those of URLs, which share a dictionary. */
const SPELLING_SEED = 2;
const EMPTY = 0x811c9dc5 ^ SPELLING_SEED;
const CHEAP_STEPS = STEPS.slice(0, -2);

/** FNV-1a of what all spellings of one page have in common: their key after all steps. */
export const spellingHash = (url: string): number => hashSpelling(cheapSpelling(url));

/** The path after all steps but the last two. */
export const cheapSpelling = (url: string): string =>
  toAscii(CHEAP_STEPS.reduce((path, { normalise }) => normalise(path), pathOf(url))).toLowerCase();

/** FNV-1a of such a path after the last two steps. The others continue a hash after `before`, with the text at `from`. */
export function hashSpelling(text: string, start = EMPTY, before = 0, from = 0): number {
  let hash = start;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isUmlaut = code === LETTER.e && (before === LETTER.a || before === LETTER.o || before === LETTER.u);
    const isKept = (code >= LETTER.a && code <= LETTER.z) || (code >= 47 && code <= 57);
    if (isKept && !isUmlaut) hash = Math.imul(hash ^ code, 0x01000193);
    before = code;
  }
  return hash >>> 0;
}

const LETTER = { a: 97, e: 101, o: 111, u: 117, z: 122 };

/** The steps by which two spellings of one page differ; none for equal URLs. Null for two pages. */
export function differencesOf(a: string, b: string): { names: string[]; isSafe: boolean } | null {
  let [left, right] = [pathOf(a), pathOf(b)];
  const steps: Step[] = [];
  for (const step of STEPS) {
    if (left === right) break;
    const [nextLeft, nextRight] = [step.normalise(left), step.normalise(right)];
    if (nextLeft !== left || nextRight !== right) steps.push(step);
    [left, right] = [nextLeft, nextRight];
  }
  if (left !== right) return null;
  return { names: steps.map(({ name }) => name), isSafe: steps.every(({ isSafe }) => isSafe) };
}
