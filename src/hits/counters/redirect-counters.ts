import { addName, MAX_NAMES_OF_REDIRECT } from './source-names.ts';
import { addVisitor, createSketch, MAX_EXACT_OF_REDIRECT, sketchBytes, type VisitorSketch } from './visitor-sketch.ts';

/** Counts of a redirect or a website on one day. */
export interface HitCounters {
  /** known bots and assistants excluded */
  hits: number;
  botHits: number;
  assistantHits: number;
  /** response time of the service, in microseconds, summed over `hits` */
  micros: number;
  /** hits by country number */
  countries: Map<number, number>;
  visitors: VisitorSketch;
  /** hits by name (source-names.ts) */
  referrers: Map<string, number>;
  utmSources: Map<string, number>;
}

/** Measured memory of the counters of one redirect, its entry in a `Map` included. */
export const COUNTER_BYTES = 190;
/** Measured memory of a sketch, of a `Map` and of one entry in it. */
const SKETCH_BYTES = 170;
const MAP_BYTES = 200;
const ENTRY_BYTES = 40;

/**
 * Counters of one redirect. Most have one hit in a second, so the first country and visitor are plain fields: a sketch
 * and three Maps for each would take four times the memory and time.
 */
export class RedirectCounters {
  readonly redirectId: number;
  hits = 0;
  botHits = 0;
  assistantHits = 0;
  micros = 0;
  /** the time of the last human hit, in milliseconds since the epoch; 0 without any */
  lastHitAt = 0;
  /** the number of the first country, and its hits; 0: unknown */
  country = 0;
  countryHits = 0;
  /** the hash of the first visitor in two words; both 0 without one */
  high = 0;
  low = 0;
  #hasVisitor = false;
  /** hits by country, without the first one */
  #countries: Map<number, number> | undefined = undefined;
  /** if there is more than one visitor */
  #sketch: VisitorSketch | undefined = undefined;
  #referrers: Map<string, number> | undefined = undefined;
  #utmSources: Map<string, number> | undefined = undefined;

  constructor(redirectId: number) {
    this.redirectId = redirectId;
  }

  /** Counts a human hit at `at` (milliseconds) from a country number. Returns by how many bytes the counters grew. */
  addHit(micros: number, at: number, country: number): number {
    this.hits++;
    this.micros += micros;
    if (at > this.lastHitAt) this.lastHitAt = at;
    if (country === 0) return 0;
    if (this.country === 0) this.country = country;
    if (this.country === country) {
      this.countryHits++;
      return 0;
    }
    const before = this.#countries ? this.#countries.size * ENTRY_BYTES : -MAP_BYTES;
    const countries = (this.#countries ??= new Map<number, number>());
    countries.set(country, (countries.get(country) ?? 0) + 1);
    return countries.size * ENTRY_BYTES - before;
  }

  /** Adds a visitor by a 64-bit hash in two words. Returns by how many bytes the counters grew. */
  addVisitor(high: number, low: number): number {
    if (!this.#hasVisitor) {
      this.#hasVisitor = true;
      this.high = high | 0;
      this.low = low | 0;
      return 0;
    }
    if (!this.#sketch && this.high === (high | 0) && this.low === (low | 0)) return 0;
    const before = this.#sketch ? sketchBytes(this.#sketch) : -SKETCH_BYTES;
    this.#sketch ??= this.#visitors();
    addVisitor(this.#sketch, high, low);
    return sketchBytes(this.#sketch) - before;
  }

  /** Counts the source of a hit. Returns by how many bytes the counters grew. */
  addSources(referrer: string | undefined, utmSource: string | undefined): number {
    let bytes = 0;
    if (referrer !== undefined) bytes += addNameTo((this.#referrers ??= new Map<string, number>()), referrer);
    if (utmSource !== undefined) bytes += addNameTo((this.#utmSources ??= new Map<string, number>()), utmSource);
    return bytes;
  }

  /** True if there is at most one of everything: country, visitor, referrer and `utm_source`. */
  isSingle(): boolean {
    const hasOneName = (this.#referrers?.size ?? 0) <= 1 && (this.#utmSources?.size ?? 0) <= 1;
    return !this.#sketch && !this.#countries && hasOneName;
  }

  /** The name and the hits of the only referrer or `utm_source`; without hits: none. */
  singleSource(kind: 'referrer' | 'utmSource'): [name: string, hits: number] {
    const [source] = (kind === 'referrer' ? this.#referrers : this.#utmSources) ?? [];
    return source ?? ['', 0];
  }

  /** Returns a copy of all counts. */
  all(): HitCounters {
    const countries = new Map(this.#countries);
    if (this.country !== 0) countries.set(this.country, this.countryHits);
    const { hits, botHits, assistantHits, micros } = this;
    const [referrers, utmSources] = [new Map(this.#referrers), new Map(this.#utmSources)];
    return { hits, botHits, assistantHits, micros, countries, visitors: this.#visitors(), referrers, utmSources };
  }

  #visitors(): VisitorSketch {
    if (this.#sketch) return this.#sketch;
    const sketch = createSketch(MAX_EXACT_OF_REDIRECT);
    if (this.#hasVisitor) addVisitor(sketch, this.high, this.low);
    return sketch;
  }
}

function addNameTo(names: Map<string, number>, name: string): number {
  return (names.size === 0 ? MAP_BYTES : 0) + addName(names, name, MAX_NAMES_OF_REDIRECT);
}
