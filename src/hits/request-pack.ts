/** Requests on their way to the thread that counts them: many in one message of a few numbers each and one text. */
import { ENVIRONMENTS } from '../vocabulary/environment.ts';
import type { Request } from './count.ts';

/**
 * What a message holds. As objects with their texts one by one, a request took 4 us to send; like this it takes 0.4, most of it for the
 * message as a whole.
 */
export interface Pack {
  /** `FIELDS` of each request, one request after the other */
  numbers: Float64Array;
  /** `TEXTS` of each request, each with a NUL behind it: no header and no canonical path can hold one */
  texts: string;
}

export interface Packer {
  add(request: Request, at: number): void;
  /** requests that were added since the last `take` */
  readonly count: number;
  /** A message should not become larger, by their number or by the length of their texts. */
  isFull(): boolean;
  /** All that was added since the last time. */
  take(): Pack;
}

const FIELDS = 6;
const MOST = 512;
/** Headers may have 64 KiB a request; what waits to be sent must not become large by that. */
const MOST_CHARACTERS = 256 * 1024;
const END = '\0';

const IS_MATCHED = 1;
const HAS_COUNTRY = 2;
const HAS_REFERRER = 4;

export function createPacker(): Packer {
  const numbers = new Float64Array(MOST * FIELDS);
  let texts: string[] = [];
  let count = 0;
  let characters = 0;

  function addText(text: string): void {
    texts.push(text);
    characters += text.length;
  }

  return {
    add(request, at) {
      const { redirectId, country } = request;
      // Paths and referrers are of interest where nothing matched.
      const referrer = redirectId === null ? request.referrer : undefined;
      const offset = count++ * FIELDS;
      numbers[offset] =
        (redirectId === null ? 0 : IS_MATCHED) |
        (country === undefined ? 0 : HAS_COUNTRY) |
        (referrer === undefined ? 0 : HAS_REFERRER);
      numbers[offset + 1] = request.websiteId;
      numbers[offset + 2] = ENVIRONMENTS.indexOf(request.environment);
      numbers[offset + 3] = redirectId ?? 0;
      numbers[offset + 4] = request.micros;
      numbers[offset + 5] = at;
      addText(request.address);
      addText(request.userAgent);
      if (country !== undefined) addText(country);
      if (redirectId === null) addText(request.path);
      if (referrer !== undefined) addText(referrer);
    },
    get count() {
      return count;
    },
    isFull: () => count >= MOST || characters >= MOST_CHARACTERS,
    take() {
      const pack = { numbers: numbers.slice(0, count * FIELDS), texts: texts.join(END) };
      texts = [];
      count = 0;
      characters = 0;
      return pack;
    },
  };
}

/** Gives each request of a pack, in order, to `each`: as it was added, but that one that matched has no path and no referrer. */
export function unpack({ numbers, texts }: Pack, each: (request: Request, at: number) => void): void {
  const words = texts.split(END);
  let place = 0;
  const next = (): string => words[place++] ?? '';
  for (let offset = 0; offset < numbers.length; offset += FIELDS) {
    const flags = numbers[offset] ?? 0;
    const isMatched = (flags & IS_MATCHED) > 0;
    const request = {
      websiteId: numbers[offset + 1] ?? 0,
      environment: ENVIRONMENTS[numbers[offset + 2] ?? 0] ?? 'production',
      redirectId: isMatched ? (numbers[offset + 3] ?? 0) : null,
      micros: numbers[offset + 4] ?? 0,
      address: next(),
      userAgent: next(),
      country: flags & HAS_COUNTRY ? next() : undefined,
      path: isMatched ? '' : next(),
      referrer: flags & HAS_REFERRER ? next() : undefined,
    };
    each(request, numbers[offset + 5] ?? 0);
  }
}
