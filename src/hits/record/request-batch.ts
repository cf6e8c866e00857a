/** Requests on their way to the thread that counts them: many in one message of numbers, and of a text what was not sent before. */
import { ENVIRONMENTS, type Environment } from '../../vocabulary/environment.ts';
import { countryCode, countryNumber } from '../count/country.ts';
import { createInterner } from './interner.ts';
import { ADDRESS_LENGTH, type Address, type Agent, AGENT_LENGTH, type Visitors } from '../count/visitor.ts';

/** A GET that was answered for a website. */
export interface Request {
  websiteId: number;
  environment: Environment;
  /** the redirect that answered; null where none matched */
  redirectId: number | null;
  /** canonical */
  path: string;
  /** how long the service took to answer, in microseconds */
  micros: number;
  /** of the client */
  address: string;
  userAgent: string;
  /** the code of the country, where a trusted proxy tells it */
  country: string | undefined;
  /** the Referer header */
  referrer: string | undefined;
}

/** The same, as it is counted. */
export interface Visit {
  websiteId: number;
  /** its place in `ENVIRONMENTS` */
  environment: number;
  redirectId: number | null;
  /** empty where a redirect answered: then it is not of interest, nor is the referrer */
  path: string;
  referrer: string | undefined;
  micros: number;
  /** in milliseconds since the epoch */
  at: number;
  agent: Agent;
  address: Address;
  /** 0: not known */
  country: number;
}

/**
 * What a message holds. As objects with their texts one by one, a request took 4 us to send; with all texts in one, 0.4 and as much
 * again on the other side; like this, user agents and addresses that came before cost either side a number.
 */
export interface RequestBatch {
  /** `FIELDS` of each request, one request after the other */
  numbers: Float64Array;
  /** texts of each request, each with a NUL behind it: no header and no canonical path can hold one */
  texts: string;
}

export interface BatchEncoder {
  add(request: Request, at: number): void;
  /** requests that were added since the last `take` */
  readonly count: number;
  /** A message should not become larger, by their number or by the length of their texts. */
  isFull(): boolean;
  /** All that was added since the last time, for the one `Unpacker` that has all packs in their order. */
  take(): RequestBatch;
}

const AGENTS = 4_096;
const ADDRESSES = 65_536;

const FIELDS = 7;
const MOST = 2_048;
/** Headers may have 64 KiB a request; what waits to be sent must not become large by that. */
const MOST_CHARACTERS = 256 * 1024;
const END = '\0';

/** The first field: these, the environment, and the country that a proxy tells. */
const IS_MATCHED = 1;
const HAS_COUNTRY = 2;
const HAS_REFERRER = 4;
const NEW_AGENT = 8;
const NEW_ADDRESS = 16;
const ENVIRONMENT_SHIFT = 5;
const ENVIRONMENT_MASK = 7;
const COUNTRY_SHIFT = 8;

export function createBatchEncoder(): BatchEncoder {
  const agents = createInterner(AGENTS, AGENT_LENGTH);
  const addresses = createInterner(ADDRESSES, ADDRESS_LENGTH);
  const numbers = new Float64Array(MOST * FIELDS);
  let texts = '';
  let count = 0;

  return {
    add(request, at) {
      const { redirectId, country } = request;
      const offset = count++ * FIELDS;
      let head = ENVIRONMENTS.indexOf(request.environment) << ENVIRONMENT_SHIFT;
      numbers[offset + 1] = request.websiteId;
      numbers[offset + 2] = redirectId ?? 0;
      numbers[offset + 3] = request.micros;
      numbers[offset + 4] = at;
      numbers[offset + 5] = agents.intern(request.userAgent);
      if (agents.isNew) {
        head |= NEW_AGENT;
        texts += request.userAgent + END;
      }
      numbers[offset + 6] = addresses.intern(request.address);
      if (addresses.isNew) {
        head |= NEW_ADDRESS;
        texts += request.address + END;
      }
      if (country !== undefined) head |= HAS_COUNTRY | (countryNumber(countryCode(country)) << COUNTRY_SHIFT);
      if (redirectId !== null) head |= IS_MATCHED;
      else {
        texts += request.path + END;
        if (request.referrer !== undefined) {
          head |= HAS_REFERRER;
          texts += request.referrer + END;
        }
      }
      numbers[offset] = head;
    },
    get count() {
      return count;
    },
    isFull: () => count >= MOST || texts.length >= MOST_CHARACTERS,
    take() {
      const pack = { numbers: numbers.slice(0, count * FIELDS), texts };
      texts = '';
      count = 0;
      return pack;
    },
  };
}

/** How many requests a pack holds. */
export function requestsOf({ numbers }: RequestBatch): number {
  return numbers.length / FIELDS;
}

/** Gives each request of a pack, in order, to `each`, in an object that is good until the next. */
export type BatchDecoder = (pack: RequestBatch, each: (visit: Readonly<Visit>) => void) => void;

/** For the packs of one `Packer`, all of them and in their order; throws where one is missing that is referred to. */
export function createBatchDecoder(visitors: Visitors): BatchDecoder {
  const agents: Agent[] = [];
  const addresses: Address[] = [];
  const nobody = { country: 0, high: 0, low: 0 };
  const visit: Visit = {
    websiteId: 0,
    environment: 0,
    redirectId: null,
    path: '',
    referrer: undefined,
    micros: 0,
    at: 0,
    agent: { isBot: false, ...nobody },
    address: nobody,
    country: 0,
  };
  return ({ numbers, texts }, each) => {
    const words = texts === '' ? [] : texts.split(END);
    let place = 0;
    const next = (): string => words[place++] ?? '';
    for (let offset = 0; offset < numbers.length; offset += FIELDS) {
      const head = numbers[offset] ?? 0;
      const agent = numbers[offset + 5] ?? 0;
      const address = numbers[offset + 6] ?? 0;
      if (head & NEW_AGENT) agents[agent] = visitors.agentOf(next());
      if (head & NEW_ADDRESS) addresses[address] = visitors.addressOf(next());
      const isMatched = (head & IS_MATCHED) > 0;
      visit.websiteId = numbers[offset + 1] ?? 0;
      visit.environment = (head >> ENVIRONMENT_SHIFT) & ENVIRONMENT_MASK;
      visit.redirectId = isMatched ? (numbers[offset + 2] ?? 0) : null;
      visit.micros = numbers[offset + 3] ?? 0;
      visit.at = numbers[offset + 4] ?? 0;
      visit.agent = known(agents, agent);
      visit.address = known(addresses, address);
      visit.country = head & HAS_COUNTRY ? head >> COUNTRY_SHIFT : visit.address.country;
      visit.path = isMatched ? '' : next();
      visit.referrer = head & HAS_REFERRER ? next() : undefined;
      each(visit);
    }
  };
}

/** To go on would count one visitor as another. */
function known<Text>(texts: Text[], number: number): Text {
  const text = texts[number];
  if (text === undefined)
    throw new Error('a pack refers to an address or a user agent of one that did not come');
  return text;
}
