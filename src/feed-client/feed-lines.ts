/**
 * The lines of a feed (docs/api.md): one JSON object each. The head comes first, then rules or changes in ascending
 * order of id, then `{"end": true}`.
 */
import { type MatchOptions, type Rule, ruleKey } from '../resolver/rule.ts';

/** The settings that responses depend on. Not versioned: a change applies at once. */
export interface FeedOptions {
  case_sensitive: boolean;
  trailing_slash: MatchOptions['trailingSlash'];
  query: MatchOptions['query'];
  fallback_url: string | null;
  allowed_target_hosts: string[];
  /** verified hosts of this environment */
  hosts: FeedHost[];
}

export interface FeedHost {
  hostname: string;
  /** absent: the rules respond */
  redirect_to?: { url: string; status_code: number; keep_path: boolean };
}

/** The first line. `count` and `checksum` describe the whole version, also in a difference. */
export interface FeedHead {
  version: number;
  /** id of the version, which a follower sends back with `since`; undefined from a service of an earlier release */
  history?: string | undefined;
  count: number;
  /** see resolver/checksum.ts */
  checksum: string;
  options: FeedOptions;
  /** opaque; a follower sends it back to learn of other options */
  options_checksum: string;
}

export interface FeedRule {
  id: string;
  old_path: string;
  /** null for statuses without Location (410, 451) */
  new_path: string | null;
  status_code: number;
  is_regex: boolean;
  /** ISO 8601; null: an open end */
  active_from: string | null;
  active_until: string | null;
}

/** A line after the head, as the resolver sees it. Lines of the whole version are `put` too. */
export type FeedLine = { kind: 'put'; rule: Rule } | { kind: 'delete'; id: number } | { kind: 'end' };

/** The response is not a feed, or it is damaged. */
export class FeedFormatError extends Error {}

/** Parses the first line. Throws FeedFormatError. */
export function parseHead(text: string): FeedHead {
  const line = parseObject(text);
  const { version, count, checksum, options } = line;
  const isHead = isCount(version) && isCount(count) && typeof checksum === 'string' && isOptions(options);
  if (!isHead) throw new FeedFormatError('the first line is not the head of a feed');
  const { options_checksum: optionsChecksum, history } = line;
  return {
    version,
    ...(typeof history === 'string' && { history }),
    count,
    checksum,
    options,
    options_checksum: typeof optionsChecksum === 'string' ? optionsChecksum : '',
  };
}

/** Parses a line after the head. Throws FeedFormatError. */
export function parseLine(text: string): FeedLine {
  const line = parseObject(text);
  if (line['end'] === true) return { kind: 'end' };
  if (typeof line['delete'] === 'string') return { kind: 'delete', id: idOf(line['delete']) };
  return { kind: 'put', rule: toRule(isObject(line['put']) ? line['put'] : line) };
}

function toRule(line: Record<string, unknown>): Rule {
  const { id, old_path: oldPath, new_path: newPath, status_code: statusCode, is_regex: isRegex } = line;
  const isTarget = newPath === null || typeof newPath === 'string';
  if (typeof oldPath !== 'string' || !isTarget || typeof statusCode !== 'number' || typeof isRegex !== 'boolean')
    throw new FeedFormatError(`a line is not a rule: ${JSON.stringify(line).slice(0, 200)}`);
  const rule: Rule = { id: idOf(id), key: ruleKey(oldPath, isRegex), isRegex, newPath, statusCode };
  const { active_from: activeFrom, active_until: activeUntil } = line;
  const window = { from: timeOf(activeFrom), until: timeOf(activeUntil) };
  if (window.from !== null || window.until !== null) rule.window = window;
  return rule;
}

function idOf(id: unknown): number {
  const number = typeof id === 'string' ? Number(id) : NaN;
  if (!Number.isSafeInteger(number) || number < 1) throw new FeedFormatError(`not an id: ${JSON.stringify(id)}`);
  return number;
}

function timeOf(time: unknown): number | null {
  if (time === null || time === undefined) return null;
  const ms = typeof time === 'string' ? Date.parse(time) : NaN;
  if (Number.isNaN(ms)) throw new FeedFormatError(`not a time: ${JSON.stringify(time)}`);
  return ms;
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FeedFormatError(`a line is not JSON: ${text.slice(0, 200)}`);
  }
  if (!isObject(value)) throw new FeedFormatError(`a line is not an object: ${text.slice(0, 200)}`);
  return value;
}

function isOptions(value: unknown): value is FeedOptions {
  if (!isObject(value) || !Array.isArray(value['hosts'])) return false;
  const fallback = value['fallback_url'];
  const hasFallback = fallback === null || typeof fallback === 'string';
  return hasFallback && typeof value['case_sensitive'] === 'boolean' && typeof value['query'] === 'string';
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
