/**
 * The literal rules of a ruleset. Each is found by its key. A rule with upper-case letters is also on a chain by its
 * folded path, and a rule with a required query on a chain by its path and one of its pairs, so that 100,000 rules for
 * `/index.php?id=…` do not slow each other down. A chain links entries, newest first. An entry that is removed from the
 * middle stays on it, because forks share entries: readers check by key whether an entry is current.
 */
import {
  hasKey,
  hasPlainTarget,
  hasWindow,
  nextInChain,
  readEntry,
  readKey,
  readTarget,
  sizeOf,
  writeEntry,
} from './entries.ts';
import { foldPath } from '../spelling/case-fold.ts';
import { addToSum, EMPTY_SUM, removeFromSum } from '../checksum.ts';
import { BY_FOLD, BY_KEY, BY_PAIR, type HashKey, randomHashKey, tagOf } from './hash.ts';
import { type Page, referencesIn, usedBytes } from './arena.ts';
import { type ListedTarget, parseKey, type Rule } from '../rule.ts';
import { changeSlot, emptyHashTable, firstCell, onlyReference, putSlot, segmentOf, segmentsOf } from './hash-table.ts';

export type Literals = ReturnType<typeof emptyLiterals>;

export function emptyLiterals() {
  return {
    ...emptyHashTable(),
    hashKey: randomHashKey(),
    pages: [] as Page[],
    size: 0,
    /** rules with a required query */
    withQuery: 0,
    /** rules without a required query whose path has upper-case letters */
    withCase: 0,
    /** rules whose key ends with a slash; NaN if the file that the rules were read from does not say it */
    withSlash: 0,
    scheduled: 0,
    /** of the rules, see resolver/checksum.ts */
    sum: EMPTY_SUM,
    /** bytes of the current entries */
    liveBytes: 0,
    /** shared memory that the draft of this table allocated */
    newBytes: 0,
    /** see shared-memory.ts */
    ballast: undefined as object | undefined,
  };
}

/** Returns a table that can change without changing `literals`. */
export function forkLiterals(literals: Literals): Literals {
  return { ...literals, directory: literals.directory.slice(), pages: literals.pages.slice(), ballast: undefined };
}

/** Returns the reference of the rule with this key, or 0. */
export function findKey(literals: Literals, key: string): number {
  return findTagged(literals, tagOf(literals.hashKey, key, BY_KEY, 0), key);
}

function findTagged(literals: Literals, tag: number, key: string): number {
  const { cells } = segmentOf(literals, tag);
  for (let i = firstCell(tag, cells.length); ; i = (i + 2) & (cells.length - 1)) {
    const reference = cells[i + 1] ?? 0;
    if (reference === 0 || (cells[i] === tag && hasKey(literals.pages, reference, key))) return reference;
  }
}

export interface Chained {
  reference: number;
  key: string;
}

/** Work that a request may still spend on chains; below zero it stopped. */
export interface ChainBudget {
  characters: number;
}

/** About 4 ms. Thousands of rules for one path that all have a parameter of the request. */
export const MAX_CHAIN_CHARACTERS = 200_000;
const CHARACTERS_PER_RULE = 32;

/** Yields the rules without a required query whose path has upper-case letters and this fold. */
export function* rulesWithFold(literals: Literals, folded: string, budget: ChainBudget): Generator<Chained> {
  for (const chained of chain(literals, tagOf(literals.hashKey, folded, BY_FOLD, 0), budget)) {
    if (foldPath(chained.key) === folded) yield chained;
  }
}

/** Yields rules on the chain of this pair and folded path. Other rules may be among them. */
export function rulesWithPair(literals: Literals, folded: string, pair: string, budget: ChainBudget) {
  return chain(literals, pairTag(literals.hashKey, folded, pair), budget);
}

/** Yields the current rules of a chain, until the budget is negative. */
function* chain(literals: Literals, tag: number, budget: ChainBudget): Generator<Chained> {
  for (let at = onlyReference(literals, tag); at !== 0; at = nextInChain(literals.pages, at)) {
    const key = readKey(literals.pages, at);
    // Not counted: how many removed rules a chain has depends on when this process has compacted the ruleset.
    if (findKey(literals, key) !== at) continue;
    if ((budget.characters -= CHARACTERS_PER_RULE + key.length) < 0) return;
    yield { reference: at, key };
  }
}

const isCurrent = (literals: Literals, reference: number): boolean =>
  findKey(literals, readKey(literals.pages, reference)) === reference;

const pairTag = (hashKey: HashKey, folded: string, pair: string): number =>
  tagOf(hashKey, pair, BY_PAIR, tagOf(hashKey, folded, BY_FOLD, 0));

/** Adds a rule. False, without a change, if its key exists. */
export function addLiteral(literals: Literals, owner: number, rule: Rule): boolean {
  const keyTag = tagOf(literals.hashKey, rule.key, BY_KEY, 0);
  if (findTagged(literals, keyTag, rule.key) !== 0) return false;
  const chains = chainsOf(literals.hashKey, rule.key);
  const tag = chooseChain(literals, chains);
  const head = tag === undefined ? 0 : onlyReference(literals, tag);
  const next = tag === undefined ? undefined : currentFrom(literals, head);
  const reference = writeEntry(literals.pages, owner, rule, next);
  putSlot(literals, owner, keyTag, reference);
  if (head !== 0) changeSlot(literals, owner, tag ?? 0, head, reference);
  else if (tag !== undefined) putSlot(literals, owner, tag, reference);
  count(literals, rule.key, chains, 1);
  if (rule.window) literals.scheduled++;
  literals.sum = addToSum(literals.sum, rule);
  literals.liveBytes += sizeOf(literals.pages, reference);
  return true;
}

/** Removes the rule with this key. False if it does not exist. */
export function removeLiteral(literals: Literals, owner: number, key: string): boolean {
  const reference = findKey(literals, key);
  if (reference === 0) return false;
  changeSlot(literals, owner, tagOf(literals.hashKey, key, BY_KEY, 0), reference, 0);
  const chains = chainsOf(literals.hashKey, key);
  for (const tag of chains) {
    if (onlyReference(literals, tag) !== reference) continue;
    const next = currentFrom(literals, nextInChain(literals.pages, reference));
    changeSlot(literals, owner, tag, reference, next);
    break;
  }
  count(literals, key, chains, -1);
  if (hasWindow(literals.pages, reference)) literals.scheduled--;
  literals.sum = removeFromSum(literals.sum, readEntry(literals.pages, reference));
  literals.liveBytes -= sizeOf(literals.pages, reference);
  return true;
}

function count(literals: Literals, key: string, chains: number[], by: 1 | -1): void {
  literals.size += by;
  if (key.endsWith('/')) literals.withSlash += by;
  if (chains.length === 0) return;
  if (key.includes('?')) literals.withQuery += by;
  else literals.withCase += by;
}

/** The first current entry of the chain from `reference` on, or 0. */
function currentFrom(literals: Literals, reference: number): number {
  let at = reference;
  while (at !== 0 && !isCurrent(literals, at)) at = nextInChain(literals.pages, at);
  return at;
}

const NO_CHAINS: number[] = [];
/** True for nearly all keys: no pair, and nothing that folding could change. */
const isOnNoChain = (key: string): boolean => !/[A-Z?]|%[89A-F]/.test(key);

function chainsOf(hashKey: HashKey, key: string): number[] {
  if (isOnNoChain(key)) return NO_CHAINS;
  const { path, pairs } = parseKey(key);
  const folded = foldPath(path);
  if (pairs.length > 0) return pairs.map((pair) => pairTag(hashKey, folded, pair));
  return folded === path ? [] : [tagOf(hashKey, folded, BY_FOLD, 0)];
}

/** The length of a chain is counted up to this number. */
const MAX_COUNTED_LENGTH = 64;

/** The tag of the chain for a new rule: the shortest of its pairs, so that a pair that all rules have is not used. */
function chooseChain(literals: Literals, chains: number[]): number | undefined {
  let best: number | undefined;
  let minLength = Infinity;
  for (const tag of chains) {
    let length = 0;
    for (
      let at = onlyReference(literals, tag);
      at !== 0 && length < MAX_COUNTED_LENGTH;
      at = nextInChain(literals.pages, at)
    )
      length++;
    if (length < minLength) best = tag;
    minLength = Math.min(minLength, length);
    if (minLength === 0) break;
  }
  return best;
}

export function* literalRules(literals: Literals): Generator<Rule> {
  for (const segment of segmentsOf(literals)) {
    for (let i = 0; i < segment.cells.length; i += 2) {
      const reference = segment.cells[i + 1] ?? 0;
      if (reference === 0 || ((segment.cells[i] ?? 0) & 3) !== BY_KEY) continue;
      yield readEntry(literals.pages, reference);
    }
  }
}

/** Yields the target of every entry in memory order, including entries that are no longer current. */
export function* literalTargets(literals: Literals): Generator<ListedTarget> {
  const { pages } = literals;
  const areAllCurrent = wastedBytesOf(literals) === 0;
  for (const index of pages.keys()) {
    for (const reference of referencesIn(pages, index, (at) => sizeOf(pages, at))) {
      const newPath = readTarget(pages, reference);
      if (newPath !== null) yield new EntryTarget(literals, reference, newPath, areAllCurrent);
    }
  }
}

/** Methods: two closures for each of a million targets cost more than to read them. */
class EntryTarget implements ListedTarget {
  readonly newPath: string;
  readonly reference: number;
  readonly #literals: Literals;
  readonly #isKnownCurrent: boolean;

  constructor(literals: Literals, reference: number, newPath: string, isKnownCurrent: boolean) {
    this.newPath = newPath;
    this.reference = reference;
    this.#literals = literals;
    this.#isKnownCurrent = isKnownCurrent;
  }
  get isPlain(): boolean {
    return hasPlainTarget(this.#literals.pages, this.reference);
  }
  isCurrent(): boolean {
    return this.#isKnownCurrent || isCurrent(this.#literals, this.reference);
  }
  key(): string {
    return readKey(this.#literals.pages, this.reference);
  }
}

/** Bytes of pages and segments, used or not. */
export function bytesOf(literals: Literals): number {
  let bytes = literals.directory.length * 8 + literals.pages.length * 8;
  for (const page of literals.pages) bytes += page.bytes.length;
  for (const segment of segmentsOf(literals)) bytes += segment.cells.byteLength;
  return bytes;
}

/** Bytes of entries that are not current: removed, replaced, or written by an abandoned draft. */
export function wastedBytesOf(literals: Literals): number {
  return usedBytes(literals.pages) - literals.liveBytes;
}
