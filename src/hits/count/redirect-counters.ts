/**
 * Tallies of very many redirects, most of which were followed once: 64 bytes each in one block of memory. An object, a sketch and an
 * entry of a `Map` for each took four times the room and time, and the garbage collector's as well.
 */
import {
  addVisitor,
  createSketch,
  EXACT_OF_REDIRECT,
  sketchBytes,
  type VisitorSketch,
} from './visitor-sketch.ts';

/** What is counted of a redirect or a website on one day. */
export interface HitCounters {
  /** human hits: known bots excluded */
  hits: number;
  botHits: number;
  /** response time of the service, in microseconds, summed over `hits` */
  micros: number;
  /** hits by country number (country.ts) */
  countries: Map<number, number>;
  visitors: VisitorSketch;
}

/** A tally of one country and one visitor at most. */
export interface PlainTally {
  hits: number;
  botHits: number;
  micros: number;
  /** 0: not known */
  country: number;
  countryHits: number;
  /** the hash of the visitor; two zeros: not known */
  high: number;
  low: number;
}

/** What a tally takes with its place in the index, up to half of either being empty. */
export const TALLY_BYTES = 160;

/** What else is made where one country or one visitor is not all: a sketch, a map, and an entry in one; measured. */
const SKETCH_BYTES = 170;
const MAP_BYTES = 200;
const ENTRY_BYTES = 40;

/** Of a tally, numbers of 8 bytes. */
const FIELDS = 8;
const ID = 0;
const HITS = 1;
const BOT_HITS = 2;
const MICROS = 3;
const LAST_HIT_AT = 4;
const COUNTRY_HITS = 5;
/** The other two as words of 4 bytes: the country that was seen first, whether there are visitors, and the hash of the only one. */
const WORDS = 2 * FIELDS;
const COUNTRY = 12;
const VISITORS = 13;
const HIGH = 14;
const LOW = 15;

const NOBODY = 0;
const ONE = 1;
const MORE = 2;

const SMALLEST = 8;

export class RedirectCounters {
  #numbers = new Float64Array(SMALLEST * FIELDS);
  #words = new Int32Array(this.#numbers.buffer);
  /** the place of a redirect + 1, found by the redirect's id, half full at most; 0: free */
  #index = new Int32Array(2 * SMALLEST);
  #size = 0;
  /** where there was more than one visitor */
  readonly #sketches = new Map<number, VisitorSketch>();
  /** hits by country, without those of the first */
  readonly #countries = new Map<number, Map<number, number>>();
  readonly #plain = { hits: 0, botHits: 0, micros: 0, country: 0, countryHits: 0, high: 0, low: 0 };

  get size(): number {
    return this.#size;
  }

  /** The place of a redirect's tally, from 0 in the order in which they came; an empty one where there was none. */
  placeOf(redirectId: number): number {
    let at = this.#find(redirectId);
    const place = (this.#index[at] ?? 0) - 1;
    if (place >= 0) return place;
    if (this.#size * FIELDS === this.#numbers.length) {
      this.#grow();
      at = this.#find(redirectId);
    }
    this.#numbers[this.#size * FIELDS + ID] = redirectId;
    this.#index[at] = this.#size + 1;
    return this.#size++;
  }

  /** Counts a hit of a known bot. */
  addBot(place: number): void {
    this.#add(place, BOT_HITS, 1);
  }

  /** Counts a hit of a person, answered at that moment, from that country (0: not known). Answers by how many bytes it has grown. */
  addHit(place: number, micros: number, at: number, country: number): number {
    this.#add(place, HITS, 1);
    this.#add(place, MICROS, micros);
    if (at > this.lastHitAt(place)) this.#numbers[place * FIELDS + LAST_HIT_AT] = at;
    if (country === 0) return 0;
    const first = this.#word(place, COUNTRY);
    if (first === 0) this.#words[place * WORDS + COUNTRY] = country;
    if (first === 0 || first === country) {
      this.#add(place, COUNTRY_HITS, 1);
      return 0;
    }
    let others = this.#countries.get(place);
    const before = others?.size ?? 0;
    if (!others) this.#countries.set(place, (others = new Map()));
    others.set(country, (others.get(country) ?? 0) + 1);
    return (before === 0 ? MAP_BYTES : 0) + (others.size - before) * ENTRY_BYTES;
  }

  /** Notes who came, by a hash of 64 bits in two words. Answers by how many bytes the tally has grown. */
  addVisitor(place: number, high: number, low: number): number {
    const visitors = this.#word(place, VISITORS);
    if (visitors === NOBODY) {
      const offset = place * WORDS;
      this.#words[offset + VISITORS] = ONE;
      this.#words[offset + HIGH] = high;
      this.#words[offset + LOW] = low;
      return 0;
    }
    const isSame = this.#word(place, HIGH) === (high | 0) && this.#word(place, LOW) === (low | 0);
    if (visitors === ONE && isSame) return 0;
    const sketch = this.#sketchOf(place);
    const before = visitors === ONE ? -SKETCH_BYTES : sketchBytes(sketch);
    if (visitors === ONE) {
      this.#words[place * WORDS + VISITORS] = MORE;
      this.#sketches.set(place, sketch);
    }
    addVisitor(sketch, high, low);
    return sketchBytes(sketch) - before;
  }

  redirectIdAt(place: number): number {
    return this.#number(place, ID);
  }

  /** When a person came last, in milliseconds since the epoch; 0: nobody yet. */
  lastHitAt(place: number): number {
    return this.#number(place, LAST_HIT_AT);
  }

  /** What was counted, where that is no more than one country and one visitor. The object is good until the next call. */
  plainAt(place: number): Readonly<PlainTally> | undefined {
    if (this.#word(place, VISITORS) === MORE || this.#countries.has(place)) return undefined;
    const plain = this.#plain;
    plain.hits = this.#number(place, HITS);
    plain.botHits = this.#number(place, BOT_HITS);
    plain.micros = this.#number(place, MICROS);
    plain.country = this.#word(place, COUNTRY);
    plain.countryHits = this.#number(place, COUNTRY_HITS);
    plain.high = this.#word(place, HIGH);
    plain.low = this.#word(place, LOW);
    return plain;
  }

  /** What was counted, in an object of its own. */
  tallyAt(place: number): HitCounters {
    return {
      hits: this.#number(place, HITS),
      botHits: this.#number(place, BOT_HITS),
      micros: this.#number(place, MICROS),
      countries: this.#countriesOf(place),
      visitors: this.#sketchOf(place),
    };
  }

  #number(place: number, field: number): number {
    return this.#numbers[place * FIELDS + field] ?? 0;
  }

  #word(place: number, field: number): number {
    return this.#words[place * WORDS + field] ?? 0;
  }

  #add(place: number, field: number, value: number): void {
    this.#numbers[place * FIELDS + field] = this.#number(place, field) + value;
  }

  /** Where the index has the redirect, or would have it. */
  #find(redirectId: number): number {
    const last = this.#index.length - 1;
    let at = spread(redirectId) & last;
    for (;;) {
      const place = (this.#index[at] ?? 0) - 1;
      if (place < 0 || this.#number(place, ID) === redirectId) return at;
      at = (at + 1) & last;
    }
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#numbers.length);
    larger.set(this.#numbers);
    this.#numbers = larger;
    this.#words = new Int32Array(larger.buffer);
    this.#index = new Int32Array(2 * this.#index.length);
    for (let place = 0; place < this.#size; place++)
      this.#index[this.#find(this.#number(place, ID))] = place + 1;
  }

  #countriesOf(place: number): Map<number, number> {
    const countries = new Map(this.#countries.get(place));
    const first = this.#word(place, COUNTRY);
    if (first !== 0) countries.set(first, this.#number(place, COUNTRY_HITS));
    return countries;
  }

  #sketchOf(place: number): VisitorSketch {
    const known = this.#sketches.get(place);
    if (known) return known;
    const sketch = createSketch(EXACT_OF_REDIRECT);
    if (this.#word(place, VISITORS) === ONE)
      addVisitor(sketch, this.#word(place, HIGH), this.#word(place, LOW));
    return sketch;
  }
}

/** Neighbouring ids far apart, and multiples of a power of two as well. */
function spread(id: number): number {
  const product = Math.imul(id ^ (id / 0x1_0000_0000), 0x9e3779b1);
  return product ^ (product >>> 15);
}
