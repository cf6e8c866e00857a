/**
 * Who asked, without keeping who: a visitor is a client address with a user agent, of which nothing remains but a hash under a key
 * that is in the database alone. Addresses and user agents stay in memory, in two bounded caches, and are never written anywhere.
 */
import { isbot } from 'isbot';
import { createBoundedCache, ownCopy } from './bounded-cache.ts';
import { canonicalAddress, type CountryOf } from './country.ts';
import { createSipHash } from './sip-hash.ts';

const AGENTS = 4_096;
const ADDRESSES = 65_536;
/** No address is longer, with zone and port; what is, is none that a proxy wrote. */
const ADDRESS_LENGTH = 64;
/** No browser's is longer; what follows tells nothing more about who asked. */
const AGENT_LENGTH = 1_024;

interface Agent {
  isBot: boolean;
  high: number;
  low: number;
}

interface Address {
  country: string;
  high: number;
  low: number;
}

export interface Visitors {
  /** what a user agent says of itself: known bots are told by the list of the isbot package */
  isBot(userAgent: string): boolean;
  /** the code of the country of an address, empty where it is not known */
  countryOf(address: string): string;
  /** Tells who the visitor is; the hash is in `high` and `low` until the next call. */
  identify(address: string, userAgent: string): void;
  high: number;
  low: number;
}

/** `key` has 16 bytes. */
export function createVisitors(key: Buffer, countryOf: CountryOf): Visitors {
  const sip = createSipHash(key);
  const agents = createBoundedCache<Agent>(AGENTS);
  const addresses = createBoundedCache<Address>(ADDRESSES);
  const both = new Uint32Array(4);
  const bytes = new Uint8Array(both.buffer);

  function agentOf(userAgent: string): Agent {
    const known = agents.get(userAgent);
    if (known) return known;
    const text = userAgent.length > AGENT_LENGTH ? userAgent.slice(0, AGENT_LENGTH) : userAgent;
    sip.hash(Buffer.from(text, 'latin1'));
    const agent = { isBot: isbot(text), high: sip.high, low: sip.low };
    // One that is too long is looked at anew each time: the cache must not grow with what a client sends.
    if (text === userAgent) agents.set(ownCopy(text), agent);
    return agent;
  }

  function addressOf(text: string): Address {
    const known = addresses.get(text);
    if (known) return known;
    const canonical = canonicalAddress(text);
    sip.hash(Buffer.from(canonical ?? text, 'latin1'));
    const address = {
      country: canonical === null ? '' : countryOf(canonical),
      high: sip.high,
      low: sip.low,
    };
    // As above: a header has room for 60,000 characters.
    if (text.length <= ADDRESS_LENGTH) addresses.set(ownCopy(text), address);
    return address;
  }

  const visitors: Visitors = {
    high: 0,
    low: 0,
    isBot: (userAgent) => agentOf(userAgent).isBot,
    countryOf: (address) => addressOf(address).country,
    identify(address, userAgent) {
      const agent = agentOf(userAgent);
      const from = addressOf(address);
      both[0] = agent.high;
      both[1] = agent.low;
      both[2] = from.high;
      both[3] = from.low;
      sip.hash(bytes);
      visitors.high = sip.high;
      visitors.low = sip.low;
    },
  };
  return visitors;
}
