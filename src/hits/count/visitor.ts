/**
 * Visitor identity: a client address with a user agent, reduced to a hash under a key that SECRET_KEY protects.
 * Addresses and user agents stay in bounded memory (`createVisitorCache`) and are never stored.
 */
import { randomBytes } from 'node:crypto';
import { isbot } from 'isbot';
import type { Db } from '../../db/connection/client.ts';
import { readOrCreateSetting } from '../../db/settings.ts';
import { cached } from '../../platform/bounded-cache.ts';
import { createSecretBox, type SecretBox } from '../../platform/secret-box.ts';
import { countryNumber } from '../counters/counters.ts';
import { type AgentClass, assistantName, crawlerName } from './assistants.ts';
import { canonicalAddress, type CountryOf } from './country.ts';
import { createSipHash } from './sip-hash.ts';

/** Any address with zone and port fits; longer text is not cached. */
const MAX_ADDRESS_LENGTH = 64;
/** Longer user agents are truncated; those of browsers are shorter. */
const MAX_AGENT_LENGTH = 1_024;
const MAX_CACHED_ADDRESSES = 65_536;
const MAX_CACHED_AGENTS = 4_096;

export interface Agent {
  /** of the names in assistants.ts, else of the list of the isbot package */
  class: AgentClass;
  /** of the list in assistants.ts; undefined: none of them */
  name: string | undefined;
  high: number;
  low: number;
}

export interface Address {
  /** country number; 0: unknown */
  country: number;
  high: number;
  low: number;
}

export interface Visitors {
  agentOf(userAgent: string): Agent;
  addressOf(address: string): Address;
  /** Puts the visitor's hash into `high` and `low`, which are valid until the next call. */
  identify(address: Address, agent: Agent): void;
  high: number;
  low: number;
}

/** `key` has 16 bytes. */
export function createVisitors(key: Buffer, countryOf: CountryOf): Visitors {
  const sip = createSipHash(key);
  const words = new Uint32Array(4);
  const bytes = new Uint8Array(words.buffer);
  const visitors: Visitors = {
    high: 0,
    low: 0,
    agentOf(userAgent) {
      const text = userAgent.length > MAX_AGENT_LENGTH ? userAgent.slice(0, MAX_AGENT_LENGTH) : userAgent;
      sip.hash(Buffer.from(text, 'latin1'));
      return { ...namedClass(text), high: sip.high, low: sip.low };
    },
    addressOf(address) {
      const canonical = canonicalAddress(address);
      sip.hash(Buffer.from(canonical ?? address, 'latin1'));
      const country = canonical === null ? 0 : countryNumber(countryOf(canonical));
      return { country, high: sip.high, low: sip.low };
    },
    identify(address, agent) {
      words[0] = agent.high;
      words[1] = agent.low;
      words[2] = address.high;
      words[3] = address.low;
      sip.hash(bytes);
      visitors.high = sip.high;
      visitors.low = sip.low;
    },
  };
  return visitors;
}

function namedClass(userAgent: string): Pick<Agent, 'class' | 'name'> {
  const assistant = assistantName(userAgent);
  if (assistant !== undefined) return { class: 'assistant', name: assistant };
  return isbot(userAgent) ? { class: 'bot', name: crawlerName(userAgent) } : { class: 'person', name: undefined };
}

/** Caches the results for addresses and user agents that were seen recently. */
export function createVisitorCache(visitors: Visitors): Pick<Visitors, 'agentOf' | 'addressOf'> {
  return {
    agentOf: cached(visitors.agentOf, MAX_CACHED_AGENTS, MAX_AGENT_LENGTH),
    addressOf: cached(visitors.addressOf, MAX_CACHED_ADDRESSES, MAX_ADDRESS_LENGTH),
  };
}

/** The setting with the key of versions before 0.2.0, in the clear. */
export const FORMER_KEY_SETTING = 'visitor_key';

/** The setting with the sealed key, in base64. `npm run admin -- secrets rotate` seals it again. */
export const VISITOR_KEY = { setting: 'visitor_key_sealed', context: 'visitor key' } as const;

export interface VisitorOptions {
  /** path of an MMDB file; null: the database in the package */
  geoipDb: string | null;
  /** null: visitors are counted by a random key. In a worker thread, buffers arrive as Uint8Arrays. */
  secretKey: Uint8Array | null;
  previousSecretKey: Uint8Array | null;
}

/** The visitors of a thread. Throws if the database fails, or its key was sealed with another SECRET_KEY. */
export async function openVisitors(
  db: Db,
  countryOf: CountryOf,
  keys: Omit<VisitorOptions, 'geoipDb'>,
): Promise<Visitors> {
  const [secretKey, previousSecretKey] = [keys.secretKey, keys.previousSecretKey].map((key) => key && Buffer.from(key));
  const secretBox = secretKey ? createSecretBox({ secretKey, previousSecretKey: previousSecretKey ?? null }) : null;
  return createVisitors(await readVisitorKey(db, secretBox), countryOf);
}

/**
 * Returns the 16-byte key for hashing visitors; creates it on the first call. The database has it sealed with
 * SECRET_KEY: a visitor has the same hash in all processes and on all days, and a copy of the database cannot be traced
 * to visitors. Without SECRET_KEY the key is random, so that other processes count the same visitor again. Throws
 * UnknownKeyError if it was sealed with another SECRET_KEY.
 */
export async function readVisitorKey(db: Db, secretBox: SecretBox | null): Promise<Buffer> {
  const create = (): string => randomBytes(16).toString('base64');
  if (!secretBox) return Buffer.from(create(), 'base64');
  const { setting, context } = VISITOR_KEY;
  const sealed = await readOrCreateSetting(db, setting, () => secretBox.seal(create(), context).toString('base64'));
  return Buffer.from(secretBox.open(Buffer.from(sealed, 'base64'), context), 'base64');
}
