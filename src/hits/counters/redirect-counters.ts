import type { PackReader, PackWriter } from './pack-bytes.ts';
import { addName, MAX_NAMES_OF_REDIRECT } from './source-names.ts';
import {
  addVisitor,
  createSketch,
  encodeSketch,
  HASH_BYTES,
  MAX_EXACT_OF_REDIRECT,
  mergeEncoded,
  mergeSketch,
  sketchBytes,
  type VisitorSketch,
} from './visitor-sketch.ts';

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
    const sketch = this.#sketch;
    if (sketch) {
      const { table } = sketch;
      addVisitor(sketch, high, low);
      // Reading the size of a table takes longer than most additions.
      return sketch.table === table ? 0 : sketchBytes(sketch) - table.byteLength;
    }
    addVisitor((this.#sketch = this.#visitors()), high, low);
    return SKETCH_BYTES + sketchBytes(this.#sketch);
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

  /** Adds the counts of other requests of the redirect. */
  merge({ hits, botHits, assistantHits, micros, ...sets }: HitCounters, lastHitAt: number): void {
    this.hits += hits;
    this.botHits += botHits;
    this.assistantHits += assistantHits;
    this.micros += micros;
    this.lastHitAt = Math.max(this.lastHitAt, lastHitAt);
    for (const [country, added] of sets.countries) this.#addCountry(country, added);
    mergeSketch((this.#sketch ??= this.#visitors()), sets.visitors);
    this.#hasVisitor = true;
    this.#referrers = mergedNames(this.#referrers, sets.referrers);
    this.#utmSources = mergedNames(this.#utmSources, sets.utmSources);
  }

  /** Writes the counts for `unpack`. */
  pack(writer: PackWriter): void {
    const { redirectId, hits, botHits, assistantHits, country, countryHits } = this;
    for (const count of [redirectId, hits, botHits, assistantHits, country, countryHits]) writer.count(count);
    writer.double(this.micros);
    writer.double(this.lastHitAt);
    writer.blob(encodeSketch(this.#visitors()));
    for (const map of [this.#countries, this.#referrers, this.#utmSources])
      writer.blob(map ? Buffer.from(JSON.stringify([...map])) : NONE);
  }

  static unpack(reader: PackReader): RedirectCounters {
    const counters = new RedirectCounters(reader.count());
    counters.hits = reader.count();
    counters.botHits = reader.count();
    counters.assistantHits = reader.count();
    counters.country = reader.count();
    counters.countryHits = reader.count();
    counters.micros = reader.double();
    counters.lastHitAt = reader.double();
    counters.#unpackVisitors(reader.blob());
    counters.#countries = unpackMap<number>(reader.blob());
    counters.#referrers = unpackMap<string>(reader.blob());
    counters.#utmSources = unpackMap<string>(reader.blob());
    return counters;
  }

  #unpackVisitors(encoded: Buffer): void {
    if (encoded.length === 0) return;
    if (encoded.length === 1 + HASH_BYTES) {
      this.addVisitor(encoded.readInt32BE(1), encoded.readInt32BE(5));
      return;
    }
    this.#hasVisitor = true;
    mergeEncoded((this.#sketch = createSketch(MAX_EXACT_OF_REDIRECT)), encoded);
  }

  #addCountry(country: number, hits: number): void {
    if (this.country === 0) this.country = country;
    if (this.country === country) this.countryHits += hits;
    else (this.#countries ??= new Map<number, number>()).set(country, (this.#countries.get(country) ?? 0) + hits);
  }

  #visitors(): VisitorSketch {
    if (this.#sketch) return this.#sketch;
    const sketch = createSketch(MAX_EXACT_OF_REDIRECT);
    if (this.#hasVisitor) addVisitor(sketch, this.high, this.low);
    return sketch;
  }
}

const NONE = Buffer.alloc(0);

const unpackMap = <Key>(bytes: Buffer): Map<Key, number> | undefined =>
  bytes.length === 0 ? undefined : new Map(JSON.parse(bytes.toString()) as [Key, number][]);

function mergedNames(names: Map<string, number> | undefined, added: ReadonlyMap<string, number>) {
  if (added.size === 0) return names;
  const merged = names ?? new Map<string, number>();
  for (const [name, hits] of added) addName(merged, name, MAX_NAMES_OF_REDIRECT, hits);
  return merged;
}

function addNameTo(names: Map<string, number>, name: string): number {
  return (names.size === 0 ? MAP_BYTES : 0) + addName(names, name, MAX_NAMES_OF_REDIRECT);
}
