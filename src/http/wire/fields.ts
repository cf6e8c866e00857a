/**
 * Fields that several routes share. Codecs rather than transforms, because the API reference is derived from the
 * schemas. `meta` adds what it shows of a codec beyond its input.
 */
import { z } from 'zod';
import type { MaxDelete } from '../../rules/max-delete.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { ErrorCode, Issue } from '../../vocabulary/error.ts';
import { isoSeconds, wholeSecond } from '../../platform/clock.ts';

/** The largest id of a website, account or user: PostgreSQL's int4. */
export const MAX_ID = 2_147_483_647;

export const EnvironmentName = z.enum(ENVIRONMENTS);

/**
 * A request body with exactly these fields. Fields named in `readOnly` are also accepted, and ignored. `atLeastOne`: one
 * field is required, not counting `conditions`, which change nothing by themselves.
 */
export function bodyObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  options: { readOnly?: readonly string[]; atLeastOne?: boolean; conditions?: readonly string[] } = {},
) {
  const isChange = (field: string): boolean => !options.conditions?.includes(field);
  const object = z.strictObject(shape).refine((body) => !options.atLeastOne || Object.keys(body).some(isChange), {
    params: { code: 'MISSING_PARAMETER' satisfies ErrorCode },
    message: `at least one field is required: ${Object.keys(shape).filter(isChange).join(', ')}`,
  });
  const ignored = new Set(options.readOnly);
  return z.preprocess((body) => (ignored.size > 0 ? without(body, ignored) : body), object);
}

function without(body: unknown, ignored: Set<string>): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !ignored.has(name)));
}

/** An object that the API reference lists by its name. */
export function component<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
  return z.object(shape).meta({ id });
}

/** An object inside of a body. */
export function part<Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) {
  return z.object(shape).describe(description);
}

/** A list of objects. */
export function listOf<Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) {
  return z.array(z.object(shape)).describe(description);
}

/** A query string with exactly these parameters. */
export const queryObject = z.strictObject;

/** An integer id in a path, at most `max`. Anything else is rejected with `code`, like an id that does not exist. */
export function pathId(code: ErrorCode, resource: string, max = MAX_ID) {
  const id = z.string().refine((text) => isId(text, max), { params: { code }, message: `${resource} not found` });
  return z.codec(id, z.int(), { decode: Number, encode: String }).meta({ type: 'integer', minimum: 1 });
}

/**
 * An opaque id in a path (`key_...`). Rejects characters that no stored text can have with `code`, like an id that does
 * not exist; the operation checks existence.
 */
export function opaqueId(code: ErrorCode, resource: string) {
  return z.string().refine(isPlainText, { params: { code }, message: `${resource} not found` });
}

/** A text of a request that `issueOf` accepts. The operation checks it too; here it is listed with all other fields. */
export function checkedText(text: z.ZodString, issueOf: (value: string) => Issue | undefined) {
  return text.superRefine((value, context) => {
    const issue = issueOf(value);
    if (issue) context.addIssue({ code: 'custom', params: { code: issue.code }, message: issue.message });
  });
}

const websiteNotFound = {
  params: { code: 'WEBSITE_NOT_FOUND' satisfies ErrorCode },
  message: 'Website not found',
};

/** A website's id in a JSON body. An integer out of range is rejected like an id that does not exist. */
export const bodyId = z.int().refine((id) => id >= 1 && id <= MAX_ID, websiteNotFound);

/** A website's id in a query string. An integer out of range is rejected like an id that does not exist. */
export const queryId = z
  .codec(
    z
      .string()
      .regex(/^-?\d+$/, { abort: true, message: 'must be an integer' })
      .refine((text) => isId(text), websiteNotFound),
    z.int(),
    { decode: Number, encode: String },
  )
  .meta({ type: 'integer', minimum: 1 });

export const queryBoolean = z
  .codec(z.enum(['true', 'false']), z.boolean(), {
    decode: (text) => text === 'true',
    encode: (value) => (value ? 'true' : 'false'),
  })
  .meta({ type: 'boolean' });

/** A text to search for. Rejects characters that no stored text can have. */
export const searchText = z.string().refine(isPlainText, 'must not hold control characters or lone surrogates');

export const VERSION_CHOICE = '`live`, `draft` (the current redirects) or the number of a version';

/** Rules of an environment in a query string: a version of it, the live one or the current redirects. */
export const versionChoice = z.codec(
  z.string().regex(/^(live|draft|\d{1,15})$/, 'must be live, draft or the number of a version'),
  z.union([z.literal(['live', 'draft']), z.int()]),
  { decode: (text) => (text === 'live' || text === 'draft' ? text : Number(text)), encode: String },
);

/** As versionChoice, or no rules. */
export const versionChoiceOrNone = z.codec(
  z.string().regex(/^(none|live|draft|\d{1,15})$/, 'must be live, draft, none or the number of a version'),
  z.union([z.literal(['none', 'live', 'draft']), z.int()]),
  {
    decode: (text) => (text === 'none' || text === 'live' || text === 'draft' ? text : Number(text)),
    encode: String,
  },
);

/** A count or a percentage in a query string. */
export const maxDelete = z
  .codec(
    z.string().regex(/^(\d{1,9}|(100|\d{1,2})(\.\d{1,6})?%)$/, 'must be a count, or a percentage such as 20%'),
    z.custom<MaxDelete>(),
    {
      decode: (text) => (text.endsWith('%') ? { percent: Number.parseFloat(text) } : { count: Number(text) }),
      encode: (max) => ('count' in max ? String(max.count) : `${max.percent}%`),
    },
  )
  .meta({ examples: ['20%'] });

/** An integer in a query string, both ends included. */
export function queryInteger(min: number, max: number) {
  const message = `must be an integer from ${min} to ${max}`;
  const digits = z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max, message);
  return z
    .codec(digits, z.int(), { decode: Number, encode: String })
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** The parameter of reads that may use a standby (http/reads.ts). */
export const staleness = {
  max_staleness: queryInteger(0, 86_400)
    .optional()
    .describe(
      'The data may be this many seconds old, at most 86,400: a standby then answers, if the service has one. Default: current data.',
    ),
};

/** The `limit` and `cursor` of a list, and the `next_cursor` of its response. */
export function pageParameters(maxLimit: number, defaultLimit = 100) {
  return {
    limit: queryInteger(1, maxLimit).optional().describe(`The maximum number of entries. Default ${defaultLimit}.`),
    cursor: z.string().optional().describe('The `next_cursor` of the previous page. Send it with the same parameters.'),
  };
}
export const nextCursor = z.string().nullable().describe('The cursor of the next page; null on the last page.');

const MAX_DAYS = 365;

/** A period that ends today: `30d` is today and the 29 days before it. */
export const periodOfDays = z
  .codec(
    z
      .string()
      .refine((text) => /^[1-9]\d{0,2}d$/.test(text) && daysOf(text) <= MAX_DAYS, `must be from 1d to ${MAX_DAYS}d`),
    z.int(),
    { decode: daysOf, encode: (days) => `${days}d` },
  )
  .meta({ pattern: '^[1-9][0-9]{0,2}d$' });

function daysOf(text: string): number {
  return Number.parseInt(text, 10);
}

/** A day in UTC. PostgreSQL has no year 0. */
export const CalendarDay = z.iso
  .date('must be a calendar day, written as YYYY-MM-DD')
  .refine((day) => day >= '0001', 'must be a calendar day, not before 0001-01-01');

const nameText = z.string().refine(isPlainText, {
  params: { code: 'CONTROL_CHARACTER' satisfies ErrorCode },
  message: 'must not hold control characters or lone surrogates',
});
const sizedText = z
  .string()
  .refine((text) => text.length >= 1 && [...text].length <= 200, 'must have 1 to 200 characters');

/** A name of 1 to 200 characters, stored without surrounding white space. */
export const name = z
  .codec(nameText, sizedText, { decode: (text) => text.trim(), encode: (text) => text })
  .meta({ minLength: 1, maxLength: 200, description: 'The name, 1 to 200 characters.' });

const NOT_A_TIME = 'must be a time in UTC such as 2030-01-31T12:00:00Z';

/** A time in UTC, in whole seconds: the fraction of a request is cut. Rejects the year 0, which PostgreSQL does not have. */
export const Timestamp = z.codec(
  z.iso.datetime(NOT_A_TIME).refine((text) => !text.startsWith('0000'), NOT_A_TIME),
  z.date(),
  {
    decode: (text) => wholeSecond(new Date(text)),
    encode: isoSeconds,
  },
);

/** The condition of a write: what the client has seen is still current. */
export const ifUpdatedAt = Timestamp.optional().describe(
  'The `updated_at` that the client has seen. If it has changed since, the call changes nothing and responds with 409 `CHANGED_SINCE`.',
);

/** A time in a response that is streamed as JSON text, where no codec runs: isoSeconds has formatted it. */
export const WrittenTime = z.iso.datetime();

/** The actor of an operation, in a response. */
export const actorField = z
  .object({
    type: z.enum(['user', 'key', 'system']).describe('A user, an API key, or the service itself.'),
    id: z
      .string()
      .nullable()
      .describe('The id of the user or key; empty for the service; null for others if you are limited to websites.'),
    name: z
      .string()
      .describe(
        'The email of the user, the name of the key, `system`, or `a colleague` if you are limited to websites.',
      ),
  })
  .describe('Who caused it.');

/** The `change_id` of a write's response. */
/** The environments that a write names because a rollback or promotion keeps its change from them. */
export const heldFields = {
  held_environments: z
    .array(EnvironmentName)
    .optional()
    .describe(
      'Present if a rollback or promotion holds environments of the change: it is not live there until an explicit deployment.',
    ),
};

export const heldBody = (held: Environment[]) => (held.length === 0 ? {} : { heldEnvironments: held });

export const changeId = z
  .string()
  .nullable()
  .describe('The id of the change that the call made, `chg_...`; null if it changed nothing.');

/** The response of a call that returns no resource. */
export const Message = z.object({ message: z.string().describe('A human-readable summary.') }).meta({ id: 'Message' });

function isId(text: string, max = MAX_ID): boolean {
  return /^[1-9]\d{0,15}$/.test(text) && Number(text) <= max;
}

function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text);
}

/** Names separated by commas; an empty text is an empty list. */
export function environmentList(text: string | undefined): string[] | undefined {
  return text?.trim() === '' ? [] : text?.split(',').map((name) => name.trim());
}

/** The IANA name of a time zone. */
export const timeZoneName = z.string().max(100).refine(isTimeZone, 'must be an IANA time zone, such as Europe/Berlin');

function isTimeZone(text: string): boolean {
  try {
    // Not an offset such as +01:00, which PostgreSQL reads with the opposite sign.
    return /^[A-Za-z]/.test(text) && new Intl.DateTimeFormat('en', { timeZone: text }).format().length > 0;
  } catch {
    return false;
  }
}
