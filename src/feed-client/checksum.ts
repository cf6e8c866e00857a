/**
 * The checksum of the rules of a version: a sum of one hash per rule, so that it does not depend on the order, and a
 * difference updates it at the cost of the difference. The service and the followers of a feed compute it alike.
 */
import type { Rule } from '../resolver/rule.ts';

export interface RuleChecksum {
  add(rule: Rule): void;
  /** Removes a rule that was added with the same fields. */
  remove(rule: Rule): void;
  /** 16 hexadecimal digits. */
  text(): string;
}

/** The checksum of no rules. */
export const EMPTY_CHECKSUM = '0'.repeat(16);

/** Starts from the text of a checksum. Not cryptographic: it finds errors, not attacks. */
export function createRuleChecksum(from = EMPTY_CHECKSUM): RuleChecksum {
  let high = Number.parseInt(from.slice(0, 8), 16) | 0;
  let low = Number.parseInt(from.slice(8), 16) | 0;
  const hash = { high: 0, low: 0 };
  return {
    add(rule) {
      hashText(textOf(rule), hash);
      high = (high + hash.high) | 0;
      low = (low + hash.low) | 0;
    },
    remove(rule) {
      hashText(textOf(rule), hash);
      high = (high - hash.high) | 0;
      low = (low - hash.low) | 0;
    },
    text: () => hex(high) + hex(low),
  };
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');

/** Every field that decides a response. No field contains a line break. */
function textOf({ id, key, isRegex, newPath, statusCode, window }: Rule): string {
  const times = `${window?.from ?? ''}\n${window?.until ?? ''}`;
  return `${id}\n${statusCode}\n${isRegex ? 1 : 0}\n${times}\n${newPath ?? ''}\n${key}`;
}

/** Two multiplicative hashes of 32 bits over the UTF-16 units, mixed at the end. */
function hashText(text: string, into: { high: number; low: number }): void {
  let high = 0x243f6a88;
  let low = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    high = (high << 13) | (high >>> 19);
    low = Math.imul(low ^ unit, 0x85ebca6b);
    low = (low << 17) | (low >>> 15);
  }
  into.high = mix(high ^ low);
  into.low = mix(Math.imul(low, 0xc2b2ae35) ^ high);
}

function mix(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x7feb352d);
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b);
  return twice ^ (twice >>> 16);
}
