/**
 * The characters that one position of a pattern accepts: 128 bits for the exact case and 128 for any case. Canonical
 * paths are ASCII, and RE2 itself says which characters a class contains.
 */
import { RE2JS } from 're2js';

/** Four words for matching with case, then four for matching without. */
export interface CharacterSet {
  key: string;
  words: Uint32Array;
  /** the letter, in lower case, if the set has no other characters; else 0 */
  letter: number;
}

/** Whether an inline flag changes how case is treated: `(?i)`, `(?-i)`, or as the website says. */
export type CaseFlag = 'on' | 'off' | undefined;

/** The character after the end of every path. No path has it, because DEL is escaped. */
export const END = 127;
/** Printable ASCII: no canonical path has other characters. */
const FIRST_IN_PATHS = 0x21;

const ALL_CHARACTERS = Array.from({ length: END }, (_, code) => String.fromCharCode(code)).join('');

export const END_SET = characterSet([END], [END]);

const single = new Map<string, CharacterSet>();

/** The set of one literal character. `isOtherCase`: it is accepted only if case is ignored. */
export function literalSet(character: string, flag: CaseFlag, isOtherCase = false): CharacterSet {
  const cacheKey = `${character}${flag ?? ''}${isOtherCase ? '~' : ''}`;
  const cached = single.get(cacheKey);
  if (cached) return cached;
  const itself = [character.charCodeAt(0)];
  const cases = [character.toLowerCase(), character.toUpperCase()].map((each) => each.charCodeAt(0));
  const set = characterSet(isOtherCase ? [] : flag === 'on' ? cases : itself, flag === 'off' ? itself : cases);
  single.set(cacheKey, set);
  return set;
}

const MAX_CLASSES = 1_000;
const classes = new Map<string, CharacterSet>();

/** The set of a class such as `[^/]`, `\d` or `.`. Undefined if it is invalid. Takes 0.1 ms, cached. */
export function classSet(text: string, flag: CaseFlag): CharacterSet | undefined {
  const cacheKey = `${flag ?? ''} ${text}`;
  const cached = classes.get(cacheKey);
  if (cached) return cached;
  const exact = membersOf(text, flag === 'on');
  const folded = flag === undefined ? membersOf(text, true) : exact;
  if (!exact || !folded) return undefined;
  const set = characterSet(exact, folded);
  if (classes.size >= MAX_CLASSES) classes.clear();
  classes.set(cacheKey, set);
  return set;
}

function membersOf(text: string, ignoreCase: boolean): number[] | undefined {
  const members: number[] = [];
  try {
    const runs = RE2JS.compile(`(?:${text})+`, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0).matcher(ALL_CHARACTERS);
    while (runs.find()) for (let code = runs.start(); code < runs.end(); code++) members.push(code);
  } catch {
    return undefined;
  }
  return members;
}

function characterSet(exact: number[], folded: number[]): CharacterSet {
  const words = new Uint32Array(8);
  const add = (code: number, from: number): void => {
    words[from + (code >>> 5)] = ((words[from + (code >>> 5)] ?? 0) | (1 << (code & 31))) >>> 0;
  };
  for (const code of exact) add(code, 0);
  for (const code of folded) add(code, 4);
  return { key: words.join(' '), words, letter: onlyLetter(words) };
}

/** True if a character is in both sets under some case option. Case-insensitive sets contain the exact ones. */
export function overlap(one: CharacterSet, other: CharacterSet): boolean {
  const [a, b] = [one.words, other.words];
  for (let i = 4; i < 8; i++) if (((a[i] ?? 0) & (b[i] ?? 0)) !== 0) return true;
  return false;
}

/** True if the set contains every character of every path, with and without case. */
export function containsAll({ words }: CharacterSet): boolean {
  for (let code = FIRST_IN_PATHS; code < END; code++) {
    const bit = 1 << (code & 31);
    if (((words[code >>> 5] ?? 0) & (words[4 + (code >>> 5)] ?? 0) & bit) === 0) return false;
  }
  return true;
}

function onlyLetter(words: Uint32Array): number {
  let found = 0;
  for (let code = 0; code <= END; code++) {
    if (((words[4 + (code >>> 5)] ?? 0) & (1 << (code & 31))) === 0) continue;
    const lower = lowerCase(code);
    if (found !== 0 && found !== lower) return 0;
    found = lower;
  }
  return found;
}

export function lowerCase(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
