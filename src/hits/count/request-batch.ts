/** Requests on their way to the worker: many in one message, as numbers and texts (picture: README.md). */
import { ENVIRONMENTS, type Environment } from '../../vocabulary/environment.ts';
import { countryNumber } from '../counters/counters.ts';
import { countryCode } from './country.ts';
import { createSourceCache, MAX_REFERRER } from './sources.ts';
import { type Address, type Agent, createVisitorCache, type Visitors } from './visitor.ts';

/** A GET that a website answered. */
export interface Request {
  websiteId: number;
  environment: Environment;
  /** null if no redirect matched; DOMAIN_REDIRECT_ID: a host that redirects as a whole, counted for the website only */
  redirectId: number | null;
  /** canonical */
  path: string;
  /** response time of the service, in microseconds */
  micros: number;
  /** of the client */
  address: string;
  userAgent: string;
  /** the country code that a trusted proxy sent */
  country: string | undefined;
  /** the Referer header */
  referrer: string | undefined;
  /** the raw value of `utm_source` in the URL; not counted if no redirect matched */
  utmSource: string | undefined;
}

/** A request as the worker counts it. If a redirect matched, `path` is empty and `referrer` undefined, else the sources are. */
export interface Visit extends Pick<Request, 'websiteId' | 'redirectId' | 'path' | 'referrer' | 'micros'> {
  /** index in `ENVIRONMENTS` */
  environment: number;
  /** milliseconds since the epoch */
  at: number;
  agent: Agent;
  address: Address;
  /** country number; 0: unknown */
  country: number;
  /** names of sources.ts */
  referrerName: string | undefined;
  utmSource: string | undefined;
}

export interface RequestBatch {
  /** `FIELDS` numbers per request */
  numbers: Float64Array;
  /** each text followed by NUL, which no header and no canonical path contains */
  texts: string;
}

const FIELDS = 5;
const MAX_REQUESTS = 2_048;
/** Bounds the memory of a batch: the headers of one request may have 64 KiB. */
const MAX_TEXT_LENGTH = 512 * 1024;
const END = '\0';

/** Bits of the first number. */
const IS_MATCHED = 1;
const HAS_COUNTRY = 2;
const HAS_REFERRER = 4;
const ENVIRONMENT_SHIFT = 3;
const ENVIRONMENT_MASK = 7;
const COUNTRY_SHIFT = 6;
const COUNTRY_MASK = 1_023;
const HAS_UTM_SOURCE = 1 << 16;

export function createBatchEncoder() {
  const numbers = new Float64Array(MAX_REQUESTS * FIELDS);
  let texts = '';
  let count = 0;

  return {
    /** Adds a request that arrived at `at` (milliseconds since the epoch). */
    add(request: Request, at: number) {
      const { redirectId, country } = request;
      const offset = count++ * FIELDS;
      let flags = ENVIRONMENTS.indexOf(request.environment) << ENVIRONMENT_SHIFT;
      numbers[offset + 1] = request.websiteId;
      numbers[offset + 2] = redirectId ?? 0;
      numbers[offset + 3] = request.micros;
      numbers[offset + 4] = at;
      texts += request.userAgent + END + request.address + END;
      if (country !== undefined) flags |= HAS_COUNTRY | (countryNumber(countryCode(country)) << COUNTRY_SHIFT);
      if (redirectId !== null) flags |= IS_MATCHED;
      else texts += request.path + END;
      if (request.referrer !== undefined) {
        flags |= HAS_REFERRER;
        texts += request.referrer.slice(0, MAX_REFERRER) + END;
      }
      if (redirectId !== null && request.utmSource !== undefined) {
        flags |= HAS_UTM_SOURCE;
        texts += request.utmSource + END;
      }
      numbers[offset] = flags;
    },
    /** requests since the last `take` */
    get count() {
      return count;
    },
    /** True if the batch must be taken before the next `add`. */
    isFull: () => count >= MAX_REQUESTS || texts.length >= MAX_TEXT_LENGTH,
    /** Returns the batch and starts the next one. */
    take() {
      const batch = { numbers: numbers.slice(0, count * FIELDS), texts };
      texts = '';
      count = 0;
      return batch;
    },
  };
}

export function requestCount({ numbers }: RequestBatch): number {
  return numbers.length / FIELDS;
}

/** Memory of a batch, in bytes; texts are latin1. */
export function batchBytes({ numbers, texts }: RequestBatch): number {
  return numbers.byteLength + texts.length;
}

/** Decodes batches. Calls `each` with every request of the batch, in order. */
export function createBatchDecoder(visitors: Visitors) {
  const cache = createVisitorCache(visitors);
  const sources = createSourceCache();
  return ({ numbers, texts }: RequestBatch, each: (visit: Visit) => void): void => {
    const parts = texts.split(END);
    let nextText = 0;
    const next = (): string => parts[nextText++] ?? '';
    for (let offset = 0; offset < numbers.length; offset += FIELDS) {
      const flags = numbers[offset] ?? 0;
      const isMatched = (flags & IS_MATCHED) > 0;
      const agent = cache.agentOf(next());
      const address = cache.addressOf(next());
      const path = isMatched ? '' : next();
      const referrer = flags & HAS_REFERRER ? next() : undefined;
      each({
        websiteId: numbers[offset + 1] ?? 0,
        environment: (flags >> ENVIRONMENT_SHIFT) & ENVIRONMENT_MASK,
        redirectId: isMatched ? (numbers[offset + 2] ?? 0) : null,
        micros: numbers[offset + 3] ?? 0,
        at: numbers[offset + 4] ?? 0,
        agent,
        address,
        country: flags & HAS_COUNTRY ? (flags >> COUNTRY_SHIFT) & COUNTRY_MASK : address.country,
        path,
        referrer: isMatched ? undefined : referrer,
        referrerName: isMatched && referrer !== undefined ? sources.referrerName(referrer) : undefined,
        utmSource: flags & HAS_UTM_SOURCE ? sources.utmSourceName(next()) : undefined,
      });
    }
  };
}
