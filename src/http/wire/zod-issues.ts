import type { z } from 'zod';
import {
  DomainError,
  ERROR_CODES,
  type ErrorCode,
  type Issue,
  listIssues,
  validationError,
} from '../../vocabulary/error.ts';
import { STATUS } from '../errors/status.ts';

type ZodIssue = z.core.$ZodIssue;
export type RequestPart = 'body' | 'querystring' | 'params';

/**
 * Converts the issues of zod. If there is a 400 (missing or unknown fields, wrong types, any issue of a query), reports
 * all issues, those first. Else the first 404, for an id that cannot exist; else a 422 with the values that break a
 * rule. A custom issue has its code in `params.code`. `known`: the field names of this part of the request.
 */
export function requestError(part: RequestPart, found: ZodIssue[], data: unknown, known: string[]): DomainError {
  // Zod checks the length of a string where a list is expected.
  const wrongTypes = new Set(found.filter(isWrongType).map(({ path }) => pathOf(path)));
  const told = found.filter((issue) => isWrongType(issue) || !wrongTypes.has(pathOf(issue.path)));
  const issues = told.flatMap((issue) => translate(part, issue, data, known));
  const isBadRequest = ({ code }: Issue): boolean => STATUS[code] === 400;
  const first = issues.find(isBadRequest);
  if (first) {
    const all = [...issues.filter(isBadRequest), ...issues.filter((issue) => !isBadRequest(issue))];
    return new DomainError(first.code, summary(all), listIssues(all));
  }
  const absent = issues.find((issue) => STATUS[issue.code] === 404);
  if (!absent) return validationError(issues);
  const { code, message, path } = absent;
  return new DomainError(code, message, { details: `${path}: no resource has this id` });
}

function summary(issues: Issue[]): string {
  const [only, ...others] = issues;
  return only && others.length === 0 ? `${only.path}: ${only.message}` : 'The request is invalid';
}

function translate(part: RequestPart, issue: ZodIssue, data: unknown, known: string[]): Issue[] {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknown(part, path, key, known));
  if (issue.code === 'invalid_union') return fromUnion(part, issue, data, known);
  const value = valueAt(data, issue.path);
  const code = codeOf(part, issue, value);
  return [{ path: path || 'body', code, message: messageOf(issue, code, value) }];
}

function unknown(part: RequestPart, parent: string, key: string, known: string[]): Issue {
  const path = parent ? `${parent}.${key}` : key;
  if (part !== 'querystring') return { path, code: 'UNKNOWN_FIELD', message: 'is not a known field; remove it' };
  const names = known.length > 0 ? `this endpoint takes ${known.join(', ')}` : 'this endpoint takes none';
  return { path, code: 'INVALID_PARAMETER', message: `is not a known query parameter; ${names}` };
}

const isWrongType = ({ code }: ZodIssue): boolean => code === 'invalid_type';

type UnionIssue = Extract<ZodIssue, { code: 'invalid_union' }>;

/** Reports the issues of the branch that fits the value's type; if none fits, the type is wrong. */
function fromUnion(part: RequestPart, issue: UnionIssue, data: unknown, known: string[]): Issue[] {
  const values = valuesOf(issue);
  if (values) return translate(part, { ...issue, code: 'invalid_value', values }, data, known);
  const value = valueAt(data, issue.path);
  const read = (branch: ZodIssue[]): Issue[] =>
    branch.flatMap((inner) => translate(part, { ...inner, path: [...issue.path, ...inner.path] }, data, known));
  const isRule = ({ code }: Issue): boolean => STATUS[code] !== 400;
  const broken = issue.errors.map(read).find((issues) => issues.length > 0 && issues.every(isRule));
  if (broken) return broken;
  const [only, ...others] = issue.errors.filter((branch) => !branch.some((inner) => isOtherType(inner, value)));
  if (only && others.length === 0) return read(only);
  const path = pathOf(issue.path) || 'body';
  if (value === undefined) return [{ path, code: 'MISSING_PARAMETER', message: 'is required' }];
  return [{ path, code: 'INVALID_PARAMETER', message: typesOf(issue, value) ?? issue.message }];
}

/** True if a branch of a union takes values of another type, such as a list. */
const isOtherType = (inner: ZodIssue, value: unknown): boolean =>
  inner.path.length === 0 &&
  (isWrongType(inner) || (inner.code === 'invalid_value' && typeof inner.values[0] !== typeof value));

/** The values of a union of only values, such as 301 and 302, or of the field that chooses its branch. */
function valuesOf({ errors, ...issue }: UnionIssue): (string | number)[] | undefined {
  if ('options' in issue && Array.isArray(issue.options)) return issue.options.map(String);
  const only = errors.map(([first, ...more]) => (more.length === 0 ? first : undefined));
  if (!only.every((inner) => inner?.code === 'invalid_value' && inner.path.length === 0)) return undefined;
  return only.flatMap((inner) => (inner?.code === 'invalid_value' ? inner.values : [])) as (string | number)[];
}

/** `must be a number or a string, not null`; undefined if a branch accepts the type. */
function typesOf({ errors }: UnionIssue, value: unknown): string | undefined {
  const types = errors.map(([first]) => {
    if (!first || first.path.length > 0) return undefined;
    if (first.code === 'invalid_type') return article(first.expected);
    return first.code === 'invalid_value' ? first.values.map(String).join(' or ') : undefined;
  });
  return types.includes(undefined) || types.length === 0
    ? undefined
    : `must be ${types.join(' or ')}, not ${typeName(value)}`;
}

function codeOf(part: RequestPart, issue: ZodIssue, value: unknown): ErrorCode {
  if (issue.code === 'custom') {
    const code: unknown = issue.params?.['code'];
    if (isErrorCode(code)) return code;
  }
  if (value === undefined) return 'MISSING_PARAMETER';
  if (issue.code === 'too_big' && issue.origin === 'array' && part === 'body') return 'TOO_MANY_ITEMS';
  if (part === 'querystring' || issue.code === 'invalid_type') return 'INVALID_PARAMETER';
  // An unknown value of the right type breaks a rule; a value of another type has the wrong type.
  if (issue.code === 'invalid_value')
    return typeof value === typeof issue.values[0] ? 'VALIDATION_ERROR' : 'INVALID_PARAMETER';
  return 'VALIDATION_ERROR';
}

function messageOf(issue: ZodIssue, code: ErrorCode, value: unknown): string {
  if (code === 'MISSING_PARAMETER' && issue.code !== 'custom') return 'is required';
  if (issue.code === 'invalid_type') return `must be ${article(issue.expected)}, not ${typeName(value)}`;
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(' or ')}`;
  if (issue.code === 'too_big')
    return `${amount(issue.origin)} at most ${issue.maximum.toLocaleString('en')}${unit(issue.origin)}`;
  if (issue.code === 'too_small')
    return `${amount(issue.origin)} at least ${issue.minimum.toLocaleString('en')}${unit(issue.origin)}`;
  return issue.message;
}

const amount = (origin: string): string => (origin === 'string' || origin === 'array' ? 'must have' : 'must be');

const unit = (origin: string): string => ({ string: ' characters', array: ' entries' })[origin] ?? '';

const article = (expected: string): string =>
  ({
    int: 'an integer',
    object: 'a JSON object',
    record: 'a JSON object',
    array: 'an array',
    string: 'a string',
    boolean: 'true or false',
  })[expected] ?? `a ${expected}`;

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
}

/** A path such as `hosts[0].hostname`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key)),
    '',
  );
}

/** The value at `path`. If the path leads into text that a codec has parsed, returns the text. */
function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return value;
    value = Reflect.get(value, key);
  }
  return value;
}
