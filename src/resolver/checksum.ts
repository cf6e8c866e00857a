/**
 * The checksum of rules: a sum of one hash per rule. Their order does not matter, and an edit costs as much as the rules
 * that it adds and removes. It finds rules that were lost, repeated or changed, not the work of an attacker.
 */
import type { Rule } from './rule.ts';
import { windowBounds } from './window.ts';

/** Sums of two numbers below it are exact. */
const MODULUS = 2 ** 52;
const HEX_DIGITS = 13;

export const EMPTY_SUM = 0;
/** The sum of rules from a file without one. Each sum with it is unknown too. */
export const UNKNOWN_SUM = Number.NaN;

export function addToSum(sum: number, rule: Rule): number {
  return joinSums(sum, hashOf(rule));
}

/** Returns the sum without a rule that it contains. */
export function removeFromSum(sum: number, rule: Rule): number {
  const rest = sum - hashOf(rule);
  return rest < 0 ? rest + MODULUS : rest;
}

export function joinSums(a: number, b: number): number {
  const sum = a + b;
  return sum >= MODULUS ? sum - MODULUS : sum;
}

/** Returns the sum as 13 hexadecimal digits; undefined if it is unknown. */
export function checksumOf(sum: number): string | undefined {
  return Number.isNaN(sum) ? undefined : sum.toString(16).padStart(HEX_DIGITS, '0');
}

/** 52 bits of two hashes, which one pass computes: a second pass would cost as much as the first. */
function hashOf({ id, key, isRegex, newPath, statusCode, window }: Rule): number {
  const fields = statusCode | (isRegex ? 1024 : 0) | (newPath === null ? 2048 : 0);
  const high = Math.floor(id / 2 ** 32);
  let a = mix(mix(mix(0x9e3779b9, id | 0), high), fields);
  let b = mix(mix(mix(0x7f4a7c15, id | 0), high), fields);
  if (window) {
    for (const bound of windowBounds(window)) {
      a = mix(mix(a, bound | 0), Math.floor(bound / 2 ** 32));
      b = mix(mix(b, bound | 0), Math.floor(bound / 2 ** 32));
    }
  }
  for (let part = 0; part < 2; part++) {
    const text = part === 0 ? key : (newPath ?? '');
    const { length } = text;
    a = mix(a, length);
    b = mix(b, length);
    for (let at = 0; at < length; at += 2) {
      const pair = text.charCodeAt(at) | (at + 1 < length ? text.charCodeAt(at + 1) << 16 : 0);
      a = mix(a, pair);
      b = mix(b, pair);
    }
  }
  return finish(a) * 2 ** 20 + (finish(b) >>> 12);
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x5bd1e995);
  return mixed ^ (mixed >>> 15);
}

/** Spreads each bit over all. Returns an unsigned number. */
function finish(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const spread = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (spread ^ (spread >>> 16)) >>> 0;
}
