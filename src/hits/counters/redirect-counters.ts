/**
 * Counters of many redirects, most with one hit in a second: 64 bytes each in one block (picture: README.md). An
 * object, a sketch and a `Map` entry for each would take four times the memory and time.
 */
import { addName, MAX_NAMES_OF_REDIRECT } from './source-names.ts';
import { addVisitor, createSketch, MAX_EXACT_OF_REDIRECT, sketchBytes, type VisitorSketch } from './visitor-sketch.ts';

/** Counts of a redirect or a website on one day. */
export interface HitCounters {
  /** known bots excluded */
  hits: number;
  botHits: number;
  /** response time of the service, in microseconds, summed over `hits` */
  micros: number;
  /** hits by country number */
  countries: Map<number, number>;
  visitors: VisitorSketch;
  /** hits by name (source-names.ts) */
  referrers: Map<string, number>;
  utmSources: Map<string, number>;
}

/** Counters of a redirect with at most one country, visitor, referrer and `utm_source`. */
export interface SingleVisitorCounters {
  hits: number;
  botHits: number;
  micros: number;
  /** 0: unknown */
  country: number;
  countryHits: number;
  /** the hash of the visitor; both 0: unknown */
  high: number;
  low: number;
  /** without hits: none */
  referrer: string;
  referrerHits: number;
  utmSource: string;
  utmHits: number;
}

/** Memory of one redirect, index included, with up to half of block and index empty. */
export const COUNTER_BYTES = 160;

/** Measured memory of a sketch, of a `Map` and of one entry in it. */
const SKETCH_BYTES = 170;
const MAP_BYTES = 200;
const ENTRY_BYTES = 40;

/** Numbers of 8 bytes in a slot, and the offset of each. */
const FIELDS = 8;
const ID = 0;
const HITS = 1;
const BOT_HITS = 2;
const MICROS = 3;
const LAST_HIT_AT = 4;
const COUNTRY_HITS = 5;
/** Words of 4 bytes in a slot, and the offset of the last four. */
const WORDS = 2 * FIELDS;
const COUNTRY = 12;
const VISITORS = 13;
const HIGH = 14;
const LOW = 15;

/** Values of the field `VISITORS`. */
const NO_VISITOR = 0;
const ONE_VISITOR = 1;
const MORE_VISITORS = 2;

const MIN_SLOTS = 8;
const NO_HITS: SingleVisitorCounters = {
  hits: 0,
  botHits: 0,
  micros: 0,
  country: 0,
  countryHits: 0,
  high: 0,
  low: 0,
  referrer: '',
  referrerHits: 0,
  utmSource: '',
  utmHits: 0,
};

export class RedirectCounters {
  #numbers = new Float64Array(MIN_SLOTS * FIELDS);
  #words = new Int32Array(this.#numbers.buffer);
  /** slot + 1, found by redirect id; 0: free */
  #index = new Int32Array(2 * MIN_SLOTS);
  #size = 0;
  /** of slots with more than one visitor */
  readonly #sketches = new Map<number, VisitorSketch>();
  /** hits by country, without the first country of the slot */
  readonly #countries = new Map<number, Map<number, number>>();
  /** hits by name of slots with a source */
  readonly #referrers = new Map<number, Map<string, number>>();
  readonly #utmSources = new Map<number, Map<string, number>>();
  readonly #single = { ...NO_HITS };

  get size(): number {
    return this.#size;
  }

  /** Returns the slot of a redirect: 0, 1, 2, ... in order of arrival. Creates an empty one if it does not exist. */
  slotOf(redirectId: number): number {
    let at = this.#find(redirectId);
    const slot = (this.#index[at] ?? 0) - 1;
    if (slot >= 0) return slot;
    if (this.#size * FIELDS === this.#numbers.length) {
      this.#grow();
      at = this.#find(redirectId);
    }
    this.#numbers[this.#size * FIELDS + ID] = redirectId;
    this.#index[at] = this.#size + 1;
    return this.#size++;
  }

  addBot(slot: number): void {
    this.#add(slot, BOT_HITS, 1);
  }

  /** Counts a human hit at `at` (milliseconds) from a country number. Returns by how many bytes the counters grew. */
  addHit(slot: number, micros: number, at: number, country: number): number {
    this.#add(slot, HITS, 1);
    this.#add(slot, MICROS, micros);
    if (at > this.lastHitAt(slot)) this.#numbers[slot * FIELDS + LAST_HIT_AT] = at;
    if (country === 0) return 0;
    const first = this.#word(slot, COUNTRY);
    if (first === 0) this.#words[slot * WORDS + COUNTRY] = country;
    if (first === 0 || first === country) {
      this.#add(slot, COUNTRY_HITS, 1);
      return 0;
    }
    let others = this.#countries.get(slot);
    const before = others?.size ?? 0;
    if (!others) this.#countries.set(slot, (others = new Map()));
    others.set(country, (others.get(country) ?? 0) + 1);
    return (before === 0 ? MAP_BYTES : 0) + (others.size - before) * ENTRY_BYTES;
  }

  /** Adds a visitor by a 64-bit hash in two words. Returns by how many bytes the counters grew. */
  addVisitor(slot: number, high: number, low: number): number {
    const visitors = this.#word(slot, VISITORS);
    if (visitors === NO_VISITOR) {
      const offset = slot * WORDS;
      this.#words[offset + VISITORS] = ONE_VISITOR;
      this.#words[offset + HIGH] = high;
      this.#words[offset + LOW] = low;
      return 0;
    }
    const isSame = this.#word(slot, HIGH) === (high | 0) && this.#word(slot, LOW) === (low | 0);
    if (visitors === ONE_VISITOR && isSame) return 0;
    const sketch = this.#sketchOf(slot);
    const before = visitors === ONE_VISITOR ? -SKETCH_BYTES : sketchBytes(sketch);
    if (visitors === ONE_VISITOR) {
      this.#words[slot * WORDS + VISITORS] = MORE_VISITORS;
      this.#sketches.set(slot, sketch);
    }
    addVisitor(sketch, high, low);
    return sketchBytes(sketch) - before;
  }

  /** Counts the source of a hit. Returns by how many bytes the counters grew. */
  addSources(slot: number, referrer: string | undefined, utmSource: string | undefined): number {
    let bytes = 0;
    if (referrer !== undefined) bytes += addNameOf(this.#referrers, slot, referrer);
    if (utmSource !== undefined) bytes += addNameOf(this.#utmSources, slot, utmSource);
    return bytes;
  }

  redirectIdAt(slot: number): number {
    return this.#number(slot, ID);
  }

  /** The time of the last human hit, in milliseconds since the epoch; 0 without any. */
  lastHitAt(slot: number): number {
    return this.#number(slot, LAST_HIT_AT);
  }

  /** Returns the counters if there is at most one of everything. The object is valid until the next call. */
  singleVisitorAt(slot: number): Readonly<SingleVisitorCounters> | undefined {
    if (this.#word(slot, VISITORS) === MORE_VISITORS || this.#countries.has(slot)) return undefined;
    const referrers = this.#referrers.get(slot);
    const utmSources = this.#utmSources.get(slot);
    if ((referrers?.size ?? 0) > 1 || (utmSources?.size ?? 0) > 1) return undefined;
    const single = this.#single;
    single.hits = this.#number(slot, HITS);
    single.botHits = this.#number(slot, BOT_HITS);
    single.micros = this.#number(slot, MICROS);
    single.country = this.#word(slot, COUNTRY);
    single.countryHits = this.#number(slot, COUNTRY_HITS);
    single.high = this.#word(slot, HIGH);
    single.low = this.#word(slot, LOW);
    single.referrerHits = single.utmHits = 0;
    for (const [name, hits] of referrers ?? []) [single.referrer, single.referrerHits] = [name, hits];
    for (const [name, hits] of utmSources ?? []) [single.utmSource, single.utmHits] = [name, hits];
    return single;
  }

  /** Returns a copy of the counters. */
  countersAt(slot: number): HitCounters {
    const countries = new Map(this.#countries.get(slot));
    const first = this.#word(slot, COUNTRY);
    if (first !== 0) countries.set(first, this.#number(slot, COUNTRY_HITS));
    return {
      hits: this.#number(slot, HITS),
      botHits: this.#number(slot, BOT_HITS),
      micros: this.#number(slot, MICROS),
      countries,
      visitors: this.#sketchOf(slot),
      referrers: this.#referrers.get(slot) ?? new Map<string, number>(),
      utmSources: this.#utmSources.get(slot) ?? new Map<string, number>(),
    };
  }

  #number(slot: number, field: number): number {
    return this.#numbers[slot * FIELDS + field] ?? 0;
  }

  #word(slot: number, field: number): number {
    return this.#words[slot * WORDS + field] ?? 0;
  }

  #add(slot: number, field: number, value: number): void {
    this.#numbers[slot * FIELDS + field] = this.#number(slot, field) + value;
  }

  /** The index position of the redirect, or the free one that it would take. */
  #find(redirectId: number): number {
    const last = this.#index.length - 1;
    let at = spread(redirectId) & last;
    for (;;) {
      const slot = (this.#index[at] ?? 0) - 1;
      if (slot < 0 || this.#number(slot, ID) === redirectId) return at;
      at = (at + 1) & last;
    }
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#numbers.length);
    larger.set(this.#numbers);
    this.#numbers = larger;
    this.#words = new Int32Array(larger.buffer);
    this.#index = new Int32Array(2 * this.#index.length);
    for (let slot = 0; slot < this.#size; slot++) this.#index[this.#find(this.#number(slot, ID))] = slot + 1;
  }

  #sketchOf(slot: number): VisitorSketch {
    const existing = this.#sketches.get(slot);
    if (existing) return existing;
    const sketch = createSketch(MAX_EXACT_OF_REDIRECT);
    if (this.#word(slot, VISITORS) === ONE_VISITOR) addVisitor(sketch, this.#word(slot, HIGH), this.#word(slot, LOW));
    return sketch;
  }
}

function addNameOf(slots: Map<number, Map<string, number>>, slot: number, name: string): number {
  const existing = slots.get(slot);
  if (existing) return addName(existing, name, MAX_NAMES_OF_REDIRECT);
  const names = new Map<string, number>();
  slots.set(slot, names);
  return MAP_BYTES + addName(names, name, MAX_NAMES_OF_REDIRECT);
}

/** Hashes an id so that neighbouring ids, and multiples of a power of two, land far apart. */
function spread(id: number): number {
  const product = Math.imul(id ^ (id / 0x1_0000_0000), 0x9e3779b1);
  return product ^ (product >>> 15);
}
