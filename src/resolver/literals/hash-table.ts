/**
 * Extendible hashing from tags (32-bit hashes) to references of entries (picture: README.md). A full segment splits in
 * two, so growth never moves more than one segment. Forks share segments, in any thread, and a draft copies those that
 * it changes.
 */
import { allocateShared, type RulesetMemory } from './shared-memory.ts';

/** `cells` alternates tags and references; reference 0 is a free slot. Only the draft with this `owner` may write. */
interface Segment {
  cells: Uint32Array<RulesetMemory>;
  count: number;
  depth: number;
  owner: number;
}

/** A segment with a smaller depth than the directory is in it several times. */
export interface HashTable {
  directory: Segment[];
  depth: number;
}

const MIN_CELLS = 32;
/** 32 kB, which an edit copies. Smaller segments slowed lookups down, because there are more of them. */
const MAX_CELLS = 8_192;
/** Above this depth a segment grows instead of splitting, which takes tags that are equal in as many bits. */
const MAX_DEPTH = 20;

export function emptyHashTable(): HashTable {
  return { directory: [newSegment(MIN_CELLS, 0, 0)], depth: 0 };
}

function newSegment(cells: number, depth: number, owner: number): Segment {
  return { cells: newCells(cells), count: 0, depth, owner };
}

const newCells = (count: number): Segment['cells'] => new Uint32Array(allocateShared(count * 4));

/** Index of a tag in the directory. Depth 0 is separate, because a shift by 32 is a shift by 0. */
const directoryIndex = (tag: number, depth: number): number => (depth === 0 ? 0 : tag >>> (32 - depth));

export function segmentOf(table: HashTable, tag: number): Segment {
  const segment = table.directory[directoryIndex(tag, table.depth)];
  if (!segment) throw new Error('the directory is incomplete');
  return segment;
}

export function* segmentsOf({ directory }: HashTable): Generator<Segment> {
  for (const [i, segment] of directory.entries()) if (segment !== directory[i - 1]) yield segment;
}

/** Index of the cell where the search for a tag begins. It continues by two, wraps around, and ends at a free slot. */
export const firstCell = (tag: number, cells: number): number => (tag >>> 1) & (cells - 2);

/** The reference of the only slot with this tag, or 0. Not for tags of keys, which may collide. */
export function onlyReference(table: HashTable, tag: number): number {
  const { cells } = segmentOf(table, tag);
  for (let i = firstCell(tag, cells.length); ; i = (i + 2) & (cells.length - 1)) {
    const reference = cells[i + 1] ?? 0;
    if (reference === 0 || cells[i] === tag) return reference;
  }
}

/** Adds a reference under a tag, which may have others already. */
export function putSlot(table: HashTable, owner: number, tag: number, reference: number): void {
  let segment = writableSegment(table, owner, tag);
  while ((segment.count + 1) * 8 > segment.cells.length * 3) {
    if (segment.cells.length < MAX_CELLS || segment.depth >= MAX_DEPTH) growSegment(segment);
    else splitSegment(table, owner, segment, tag);
    segment = segmentOf(table, tag);
  }
  insertSlot(segment, tag, reference);
}

/** Replaces the reference `from` of a tag with `to`, or removes the slot if `to` is 0. */
export function changeSlot(table: HashTable, owner: number, tag: number, from: number, to: number): void {
  const segment = writableSegment(table, owner, tag);
  const { cells } = segment;
  for (let i = firstCell(tag, cells.length); ; i = (i + 2) & (cells.length - 1)) {
    if (cells[i + 1] === 0) throw new Error('the slot to change does not exist');
    if (cells[i] !== tag || cells[i + 1] !== from) continue;
    if (to === 0) clearCell(segment, i);
    else cells[i + 1] = to;
    return;
  }
}

function insertSlot(segment: Segment, tag: number, reference: number): void {
  const { cells } = segment;
  let i = firstCell(tag, cells.length);
  while (cells[i + 1] !== 0) i = (i + 2) & (cells.length - 1);
  cells[i] = tag;
  cells[i + 1] = reference;
  segment.count++;
}

/** Frees a slot and moves back the slots that collided with it, so that no tombstones are needed. */
function clearCell(segment: Segment, hole: number): void {
  const { cells } = segment;
  const last = cells.length - 1;
  let gap = hole;
  for (let i = (hole + 2) & last; cells[i + 1] !== 0; i = (i + 2) & last) {
    const home = firstCell(cells[i] ?? 0, cells.length);
    if (((i - home) & last) < ((i - gap) & last)) continue;
    cells[gap] = cells[i] ?? 0;
    cells[gap + 1] = cells[i + 1] ?? 0;
    gap = i;
  }
  cells[gap] = 0;
  cells[gap + 1] = 0;
  segment.count--;
}

/** The segment of the tag; copies it first if the draft does not own it. */
function writableSegment(table: HashTable, owner: number, tag: number): Segment {
  const segment = segmentOf(table, tag);
  if (segment.owner === owner) return segment;
  const copy = { ...segment, cells: newCells(segment.cells.length), owner };
  copy.cells.set(segment.cells);
  // The indexes that begin with the first `depth` bits of the tag.
  const span = 2 ** (table.depth - segment.depth);
  const first = directoryIndex(tag, segment.depth) * span;
  table.directory.fill(copy, first, first + span);
  return copy;
}

function growSegment(segment: Segment): void {
  const { cells } = segment;
  segment.cells = newCells(cells.length * 2);
  segment.count = 0;
  for (let i = 0; i < cells.length; i += 2)
    if (cells[i + 1] !== 0) insertSlot(segment, cells[i] ?? 0, cells[i + 1] ?? 0);
}

function splitSegment(table: HashTable, owner: number, segment: Segment, tag: number): void {
  if (segment.depth === table.depth) {
    table.directory = table.directory.flatMap((each) => [each, each]);
    table.depth++;
  }
  const cells = segment.cells.slice();
  const { depth } = segment;
  const bit = 2 ** (31 - depth);
  const half = 2 ** (table.depth - depth - 1);
  const other = newSegment(cells.length, depth + 1, owner);
  const start = directoryIndex(tag, depth) * 2 * half + half;
  table.directory.fill(other, start, start + half);
  // The draft owns the segment, so its memory can hold the first half.
  segment.cells.fill(0);
  segment.count = 0;
  segment.depth = depth + 1;
  for (let i = 0; i < cells.length; i += 2) {
    const each = cells[i] ?? 0;
    if (cells[i + 1] !== 0) insertSlot((each & bit) === 0 ? segment : other, each, cells[i + 1] ?? 0);
  }
}

/** A segment as plain values and memory that another thread can open. */
export type SharedSegment = Pick<Segment, 'count' | 'depth'> & { memory: RulesetMemory };

export function shareSegments(table: HashTable): SharedSegment[] {
  return Array.from(segmentsOf(table), ({ cells, count, depth }) => ({ memory: cells.buffer, count, depth }));
}

/** Opens a table. Its segments belong to no draft of this thread. */
export function openSegments(segments: SharedSegment[]): HashTable {
  const depth = Math.max(...segments.map((segment) => segment.depth));
  const directory: Segment[] = [];
  for (const { memory, count, depth: own } of segments) {
    const segment = { cells: new Uint32Array(memory), count, depth: own, owner: 0 };
    for (let i = 0; i < 2 ** (depth - own); i++) directory.push(segment);
  }
  return { directory, depth };
}
