/** How surfaces A and C write the same resources: ids, lists of environments, and the names of component schemas. */
import { z } from 'zod';
import { bodyId, EnvironmentName, MAX_ID, pathId, queryId } from '../../http/wire/fields.ts';
import { checkEnvironments, parseEnvironmentList } from '../../rules/check-fields.ts';
import { redirectNotFound } from '../../redirects/rule/redirect.ts';
import type { Surface } from '../../http/jobs.ts';
import type { Tag } from '../../http/route-docs.ts';
import type { ErrorCode } from '../../vocabulary/error.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { websiteNotFound } from '../../websites/website.ts';

/** The types in which surfaces differ on the wire: those of ids and of lists of environments. */
export interface Wire {
  id: number | string;
  environments: string | Environment[];
}

/** Surface C: `1` and `"production,staging"`. */
export interface SessionWire extends Wire {
  id: number;
  environments: string;
}

/** Surface A: `"1"` and `["production", "staging"]`. */
interface KeyWire extends Wire {
  id: string;
  environments: Environment[];
}

type WireId = Wire['id'];

/** The ids of one resource in requests: a schema for each part of a request, and the integer that they stand for. */
export interface IdCodec {
  readonly path: z.ZodType<WireId>;
  readonly query: z.ZodType<WireId>;
  readonly body: z.ZodType<WireId>;
  /** Throws the resource's 404 if no resource can have this id. */
  read(id: WireId): number;
}

export interface Dialect<W extends Wire = Wire> {
  readonly surface: Surface;
  /** The name of a component schema on this surface: `Website` and `WebsiteV1`. */
  named(name: string): string;
  /** The name of an operation on this surface, and its part of the API reference. */
  operation(name: string, part: Resource): { operationId: string; tag: Tag };
  /**
   * Whether requests about redirects must name the website: a creation, a list, a bulk call with a filter. Such a list
   * is always paged, and the response to a change is the whole redirect.
   */
  readonly namesWebsite: boolean;
  /** How bulk calls select redirects and report their number. */
  readonly bulk: Readonly<Record<'ids' | 'updated' | 'deleted', string>> & { readonly deletion: 'delete' | 'post' };
  /** Errors of a write of which everyone who may read may make a dry run. */
  readonly roleErrors: readonly ErrorCode[];
  /** An id in a response. */
  readonly id: z.ZodType<number, W['id']>;
  /** An id in a list of a request. */
  readonly givenId: z.ZodType<WireId>;
  /** An id in an example. */
  writeId(id: number): W['id'];
  readonly websiteId: IdCodec;
  readonly redirectId: IdCodec;
  /** Lists of environments: `input` in request bodies, in any order; `output` in responses, in the canonical order. */
  readonly environments: {
    readonly input: z.ZodType<Environment[]>;
    readonly output: z.ZodType<Environment[], W['environments']>;
    /** A list in an example. */
    write(environments: Environment[]): W['environments'];
  };
}

const WEBSITE_ID = 'The id of the website.';
const REDIRECT_ID = 'The id of the redirect.';
const TARGETS = 'The environments to publish to: `production`, `staging`, `development`';

const SESSION_ENVIRONMENTS = environmentCodec(z.string(), parseEnvironmentList, (environments) =>
  environments.join(','),
);

const SESSION_TAGS = {
  websites: 'Websites',
  redirects: 'Redirects',
  health: 'Health',
  notFound: 'Paths not found',
  imports: 'Import of files',
  deployments: 'Deployments',
  expectations: 'Expectations',
  events: 'Activity',
  account: 'Account and users',
  changes: 'Changes',
} as const satisfies Record<string, Tag>;

type Resource = keyof typeof SESSION_TAGS;

/** A deleted redirect still has events, so any number may be asked for. */
const digits = z.string().regex(/^\d{1,15}$/, 'must be a positive integer');

/** Surface C: ids are integers. The schemas reject an id that cannot exist. */
export const sessionDialect: Dialect<SessionWire> = {
  surface: 'session',
  named: (name) => name,
  operation: (operationId, part) => ({ operationId, tag: SESSION_TAGS[part] }),
  namesWebsite: false,
  bulk: { ids: 'redirectIds', updated: 'updated', deleted: 'deleted', deletion: 'delete' },
  roleErrors: ['INSUFFICIENT_ROLE'],
  id: z.int(),
  givenId: z.int(),
  writeId: (id) => id,
  websiteId: {
    path: pathId('WEBSITE_NOT_FOUND', 'Website').describe(WEBSITE_ID),
    query: queryId.describe(WEBSITE_ID),
    body: bodyId.describe(WEBSITE_ID),
    read: Number,
  },
  redirectId: {
    // An import of 1,000,000 rows takes as many ids, so they exceed int4.
    path: pathId('REDIRECT_NOT_FOUND', 'Redirect', Number.MAX_SAFE_INTEGER).describe(REDIRECT_ID),
    query: z.codec(digits, z.int(), { decode: Number, encode: String }).describe(REDIRECT_ID),
    body: z.int().min(1).describe(REDIRECT_ID),
    read: Number,
  },
  environments: {
    input: SESSION_ENVIRONMENTS.describe(
      `${TARGETS}, separated by commas. Default for a new redirect: \`production\`. Empty for a draft.`,
    ),
    output: SESSION_ENVIRONMENTS.describe(`${TARGETS}, separated by commas. Empty for a draft.`),
    write: (environments) => environments.join(','),
  },
};

const websiteId = z.string().describe(WEBSITE_ID);
const redirectId = z.string().describe(REDIRECT_ID);

const KEY_TAGS: Readonly<Record<Resource, Tag>> = {
  websites: 'Websites (key API)',
  redirects: 'Redirects (key API)',
  health: 'Health (key API)',
  notFound: 'Health (key API)',
  imports: 'Bulk import and export',
  deployments: 'Deployments (key API)',
  expectations: 'Expectations (key API)',
  events: 'Account and activity (key API)',
  account: 'Account and activity (key API)',
  changes: 'Changes (key API)',
};

/** Surface A: ids are strings. A string that is not an id counts as an id that does not exist. */
export const keyDialect: Dialect<KeyWire> = {
  surface: 'key',
  named: (name) => `${name}V1`,
  operation: (name, part) => ({ operationId: `${name}V1`, tag: KEY_TAGS[part] }),
  namesWebsite: true,
  bulk: { ids: 'redirect_ids', updated: 'updated_count', deleted: 'deleted_count', deletion: 'post' },
  roleErrors: ['INSUFFICIENT_ROLE', 'INSUFFICIENT_SCOPE'],
  id: z.codec(z.string(), z.int(), { decode: Number, encode: String }),
  givenId: z.string(),
  writeId: String,
  websiteId: { path: websiteId, query: websiteId, body: websiteId, read: readWebsiteId },
  redirectId: { path: redirectId, query: redirectId, body: redirectId, read: readRedirectId },
  environments: {
    input: environmentCodec(z.array(z.string()), checkEnvironments, (environments) => environments).describe(
      `${TARGETS}. Default for a new redirect: \`production\`. Empty for a draft.`,
    ),
    output: z.array(EnvironmentName).describe(`${TARGETS}. Empty for a draft.`),
    write: (environments) => environments,
  },
};

function readWebsiteId(id: WireId): number {
  const text = String(id);
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > MAX_ID) throw websiteNotFound(text);
  return Number(text);
}

function readRedirectId(id: WireId): number {
  const text = String(id);
  if (!/^[1-9]\d{0,15}$/.test(text) || Number(text) > Number.MAX_SAFE_INTEGER) throw redirectNotFound(text);
  return Number(text);
}

/** Reports INVALID_ENVIRONMENT for an unknown or repeated name. */
function environmentCodec<Text extends string | string[]>(
  text: z.ZodType<Text, Text>,
  parse: (value: Text) => { environments: Environment[] } | { problem: string },
  write: (environments: Environment[]) => Text,
): z.ZodType<Environment[], Text> {
  const checked = text.check((context) => {
    const parsed = parse(context.value);
    if (!('problem' in parsed)) return;
    const params = { code: 'INVALID_ENVIRONMENT' satisfies ErrorCode };
    context.issues.push({ code: 'custom', input: context.value, message: parsed.problem, params });
  });
  return z.codec(checked, z.array(EnvironmentName), {
    decode: (value) => {
      const parsed = parse(value);
      return 'problem' in parsed ? [] : parsed.environments;
    },
    encode: write,
  });
}
