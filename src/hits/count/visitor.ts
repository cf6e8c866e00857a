/**
 * Who asked, without keeping who: a visitor is a client address with a user agent, of which nothing remains but a hash under a key
 * that is in the database alone. Addresses and user agents stay in memory, in bounded tables (interner.ts), and are never written anywhere.
 */
import { isbot } from 'isbot';
import { canonicalAddress, type CountryOf, countryNumber } from './country.ts';
import { createSipHash } from './sip-hash.ts';
import { randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { settings } from '../../db/schema.ts';
import { readSetting } from '../../db/settings.ts';

/** No address is longer, with zone and port; what is, is none that a proxy wrote. */
export const ADDRESS_LENGTH = 64;
/** No browser's is longer; what follows tells nothing more about who asked. */
export const AGENT_LENGTH = 1_024;

export interface Agent {
  /** what a user agent says of itself: known bots are told by the list of the isbot package */
  isBot: boolean;
  high: number;
  low: number;
}

export interface Address {
  /** 0: not known */
  country: number;
  high: number;
  low: number;
}

export interface Visitors {
  agentOf(userAgent: string): Agent;
  addressOf(address: string): Address;
  /** Tells who the visitor is; the hash is in `high` and `low` until the next call. */
  identify(address: Address, agent: Agent): void;
  high: number;
  low: number;
}

/** `key` has 16 bytes. */
export function createVisitors(key: Buffer, countryOf: CountryOf): Visitors {
  const sip = createSipHash(key);
  const both = new Uint32Array(4);
  const bytes = new Uint8Array(both.buffer);
  const visitors: Visitors = {
    high: 0,
    low: 0,
    agentOf(userAgent) {
      const text = userAgent.length > AGENT_LENGTH ? userAgent.slice(0, AGENT_LENGTH) : userAgent;
      sip.hash(Buffer.from(text, 'latin1'));
      return { isBot: isbot(text), high: sip.high, low: sip.low };
    },
    addressOf(address) {
      const canonical = canonicalAddress(address);
      sip.hash(Buffer.from(canonical ?? address, 'latin1'));
      const country = canonical === null ? 0 : countryNumber(countryOf(canonical));
      return { country, high: sip.high, low: sip.low };
    },
    identify(address, agent) {
      both[0] = agent.high;
      both[1] = agent.low;
      both[2] = address.high;
      both[3] = address.low;
      sip.hash(bytes);
      visitors.high = sip.high;
      visitors.low = sip.low;
    },
  };
  return visitors;
}

const NAME = 'visitor_key';

/**
 * The key under which visitors are hashed: made once for the installation and kept in the database, so that all processes and all days
 * tell the same visitor by the same hash. Without it the hashes lead back to nobody.
 */
export async function readVisitorKey(db: Db): Promise<Buffer> {
  await db
    .insert(settings)
    .values({ name: NAME, value: randomBytes(16).toString('base64') })
    .onConflictDoNothing();
  return Buffer.from((await readSetting(db, NAME)) ?? '', 'base64');
}
