/**
 * Where the entries of the literal table are found: pairs of a tag and a reference in small segments with open addressing, chosen by
 * the first bits of the tag (extendible hashing). A full segment is parted in two, so growing never moves more than one segment at
 * a time; forks of a table share segments, and a draft copies only those that it changes.
 */

/** `cells` holds tag and reference by turns; a reference of 0 is an empty slot. Only the draft named `owner` may write. */
export interface Segment {
  cells: Uint32Array<ArrayBuffer>;
  count: number;
  depth: number;
  owner: number;
}

/** The segment of a tag is at its first `depth` bits; a segment of less depth stands in the directory several times. */
export interface HashTable {
  directory: Segment[];
  depth: number;
}

const MIN_CELLS = 32;
/** 32 kB: what an edit copies. Smaller segments were slower to look up, there being more of them to reach. */
const MAX_CELLS = 8_192;
/** Beyond this depth a segment grows instead: only tags that are equal in so many bits could bring one there. */
const MAX_DEPTH = 20;

export function emptyHashTable(): HashTable {
  return { directory: [newSegment(MIN_CELLS, 0, 0)], depth: 0 };
}

const newSegment = (cells: number, depth: number, owner: number): Segment => ({
  cells: new Uint32Array(cells),
  count: 0,
  depth,
  owner,
});

/** The place of a tag in the directory; shifts count modulo 32, so depth 0 needs its own answer. */
const directoryIndex = (tag: number, depth: number): number => (depth === 0 ? 0 : tag >>> (32 - depth));

/** The segment in which a tag is, if it is anywhere. */
export function segmentOf(slots: HashTable, tag: number): Segment {
  const segment = slots.directory[directoryIndex(tag, slots.depth)];
  if (!segment) throw new Error('the directory has a hole');
  return segment;
}

/** Index of the cell where the search for a tag begins; it goes on by two, round the end, up to an empty slot. */
export const firstCell = (tag: number, cells: number): number => (tag >>> 1) & (cells - 2);

/** The reference of the only slot with this tag, or 0. Not for keys, whose tags may collide. */
export function onlyReference(slots: HashTable, tag: number): number {
  const { cells } = segmentOf(slots, tag);
  for (let i = firstCell(tag, cells.length); ; i = (i + 2) & (cells.length - 1)) {
    const reference = cells[i + 1] ?? 0;
    if (reference === 0 || cells[i] === tag) return reference;
  }
}

/** Puts a reference under a tag, beside others with the same tag. */
export function putSlot(slots: HashTable, owner: number, tag: number, reference: number): void {
  let segment = writableSegment(slots, owner, tag);
  while ((segment.count + 1) * 8 > segment.cells.length * 3) {
    if (segment.cells.length < MAX_CELLS || segment.depth >= MAX_DEPTH) growSegment(segment);
    else splitSegment(slots, owner, segment, tag);
    segment = segmentOf(slots, tag);
  }
  insertSlot(segment, tag, reference);
}

/** Gives the slot with this tag and this reference another reference, or takes it away where `to` is 0. */
export function changeSlot(slots: HashTable, owner: number, tag: number, from: number, to: number): void {
  const segment = writableSegment(slots, owner, tag);
  const { cells } = segment;
  for (let i = firstCell(tag, cells.length); ; i = (i + 2) & (cells.length - 1)) {
    if (cells[i + 1] === 0) throw new Error('the slot to change is not there');
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

/** Closes the gap by moving back what had been pushed past it, so that no tombstones are needed. */
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

function writableSegment(slots: HashTable, owner: number, tag: number): Segment {
  const segment = segmentOf(slots, tag);
  if (segment.owner === owner) return segment;
  const copy = { ...segment, cells: segment.cells.slice(), owner };
  replaceIn(slots, tag, segment.depth, copy);
  return copy;
}

/** Puts a segment at every place of the directory whose first `depth` bits are those of the tag. */
function replaceIn(slots: HashTable, tag: number, depth: number, segment: Segment): void {
  const span = 2 ** (slots.depth - depth);
  slots.directory.fill(segment, directoryIndex(tag, depth) * span, (directoryIndex(tag, depth) + 1) * span);
}

function growSegment(segment: Segment): void {
  const { cells } = segment;
  segment.cells = new Uint32Array(cells.length * 2);
  segment.count = 0;
  for (let i = 0; i < cells.length; i += 2)
    if (cells[i + 1] !== 0) insertSlot(segment, cells[i] ?? 0, cells[i + 1] ?? 0);
}

function splitSegment(slots: HashTable, owner: number, segment: Segment, tag: number): void {
  if (segment.depth === slots.depth) {
    slots.directory = slots.directory.flatMap((each) => [each, each]);
    slots.depth++;
  }
  const { cells, depth } = segment;
  const zero = newSegment(cells.length, depth + 1, owner);
  const one = newSegment(cells.length, depth + 1, owner);
  const bit = 2 ** (31 - depth);
  for (let i = 0; i < cells.length; i += 2) {
    const each = cells[i] ?? 0;
    if (cells[i + 1] !== 0) insertSlot((each & bit) === 0 ? zero : one, each, cells[i + 1] ?? 0);
  }
  const lower = directoryIndex(tag, depth) * 2 ** (slots.depth - depth);
  const half = 2 ** (slots.depth - depth - 1);
  slots.directory.fill(zero, lower, lower + half).fill(one, lower + half, lower + 2 * half);
}
