/** Rules whose ids have the same remainder. */
interface Bucket {
  count: number;
  ids: Float64Array;
  /** where the key of each rule ends in `bytes` */
  ends: Uint32Array;
  bytes: Uint8Array;
}

const BUCKETS = 4_096;
const MIN_RULES = 4;
const MIN_BYTES = 64;
const GROWTH = 1.25;

/**
 * The keys of rules by id, because a difference names removed rules by id and a ruleset finds rules by key. Bytes in a
 * few thousand buckets: a Map would be rehashed in one step, and a million strings make garbage collections expensive.
 */
export type KeysById = ReturnType<typeof createKeysById>;

export function createKeysById() {
  const buckets: (Bucket | undefined)[] = new Array<undefined>(BUCKETS).fill(undefined);
  /** keys that are not ASCII, which only patterns can have */
  const others = new Map<number, string>();

  return {
    /** Adds a rule whose id does not exist. */
    add(id: number, key: string) {
      if (!isAscii(key)) return void others.set(id, key);
      append((buckets[id % BUCKETS] ??= emptyBucket()), id, key);
    },
    get(id: number) {
      const bucket = buckets[id % BUCKETS];
      const at = bucket ? findId(bucket, id) : -1;
      return bucket && at >= 0 ? keyAt(bucket, at) : others.get(id);
    },
    /** Removes a rule. Returns its key; undefined if it does not exist. */
    remove(id: number) {
      const bucket = buckets[id % BUCKETS];
      const at = bucket ? findId(bucket, id) : -1;
      if (bucket && at >= 0) return removeAt(bucket, at);
      const key = others.get(id);
      others.delete(id);
      return key;
    },
  };
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

const emptyBucket = (): Bucket => ({
  count: 0,
  ids: new Float64Array(MIN_RULES),
  ends: new Uint32Array(MIN_RULES),
  bytes: new Uint8Array(MIN_BYTES),
});

const startAt = ({ ends }: Bucket, at: number): number => (at === 0 ? 0 : (ends[at - 1] ?? 0));

function findId({ ids, count }: Bucket, id: number): number {
  for (let at = 0; at < count; at++) if (ids[at] === id) return at;
  return -1;
}

function keyAt(bucket: Bucket, at: number): string {
  return String.fromCharCode(...bucket.bytes.subarray(startAt(bucket, at), bucket.ends[at]));
}

function append(bucket: Bucket, id: number, key: string): void {
  const at = bucket.count++;
  const start = startAt(bucket, at);
  const end = start + key.length;
  if (at === bucket.ids.length) {
    const ids = new Float64Array(Math.ceil(at * GROWTH));
    ids.set(bucket.ids);
    const ends = new Uint32Array(ids.length);
    ends.set(bucket.ends);
    Object.assign(bucket, { ids, ends });
  }
  if (end > bucket.bytes.length) {
    const bytes = new Uint8Array(Math.ceil(end * GROWTH));
    bytes.set(bucket.bytes);
    bucket.bytes = bytes;
  }
  bucket.ids[at] = id;
  bucket.ends[at] = end;
  for (let i = 0; i < key.length; i++) bucket.bytes[start + i] = key.charCodeAt(i);
}

function removeAt(bucket: Bucket, at: number): string {
  const key = keyAt(bucket, at);
  const { ids, ends, bytes } = bucket;
  const start = startAt(bucket, at);
  bytes.copyWithin(start, start + key.length, startAt(bucket, bucket.count));
  for (let next = at + 1; next < bucket.count; next++) {
    ids[next - 1] = ids[next] ?? 0;
    ends[next - 1] = (ends[next] ?? 0) - key.length;
  }
  bucket.count--;
  return key;
}
