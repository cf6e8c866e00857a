/** Values for the schemas of the OpenAPI document: valid, nearly valid and hostile ones. */
import type { Schema } from '../../src/surfaces/docs/json-schema.ts';

export type Random = () => number;

export function pick<T>(random: Random, list: readonly T[]): T {
  const value = list[Math.floor(random() * list.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

/** The share of values that break their schema or its rules. */
export type Hostility = 0 | 0.1 | 0.5;

export interface ValueContext {
  random: Random;
  hostility: Hostility;
  /** resolves `#/components/schemas/X` */
  schemaOf: (ref: string) => Schema;
  /** ids that exist, of both tenants */
  ids: readonly (string | number)[];
  /** the text in every name of the tenant */
  mark: string;
}

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0007b',
  '\ud800',
  'ä\u0308ß\u200b',
  "' or 1=1 --",
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '/%00',
  '/%zz',
  '//evil.example',
  '/\\evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  '${jndi:ldap://x}',
  '$1',
  '%s%n',
  '-1',
  '1e400',
  '9'.repeat(30),
  'NaN',
  'null',
  '[]',
  '__proto__',
  'constructor',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:60Z',
  'x'.repeat(300),
  `/${'a'.repeat(2_100)}`,
  '(((((',
  '/(a|b)*(a|b)*(a|b)*$',
  '\r\nSet-Cookie: a=b',
];

const HOSTILE_VALUES: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2_147_483_648,
  Number.MAX_SAFE_INTEGER,
  1e300,
  [],
  [[]],
  {},
  { length: -1 },
  JSON.parse('{"__proto__": {"x": 1}}'),
  ...HOSTILE_TEXTS,
];

const PATHS = ['/a', '/b', '/c/', '/A', '/a?x=1', '/ä', '/a%2Fb', '/p/(.*)', '/p/$1', '/x/../y', '/new', '/t#top'];
const TEXTS: Record<string, readonly string[]> = {
  old_path: PATHS,
  new_path: PATHS,
  try_path: PATHS,
  path: PATHS,
  // Addresses, because names would be looked up.
  url: ['https://8.8.8.8/hook', 'http://8.8.8.8:8080/', 'https://10.0.0.1/', 'https://169.254.169.254/'],
  fallback_url: ['https://shop.example/'],
  email: ['someone@fuzz.example', 'not an address'],
  password: ['correct horse battery', 'short'],
  columns: ['{"from": "old_path"}', '{}', '[]', '{"from": 1}'],
  hostname: ['one.fuzz.example', 'two.fuzz.example', 'localhost', '127.0.0.1', 'ä.example'],
  cursor: ['', 'eyJ4IjoxfQ', 'AAAA'],
  period: ['30d', '1d', '366d'],
  format: ['json', 'csv', 'nginx', 'vercel'],
  start_date: ['2030-01-01'],
  end_date: ['2030-05-01'],
  target_environments: ['production', 'production,staging', ''],
};

/** A value for a schema; `name` is the field that it is for. */
export function valueFor(context: ValueContext, schema: Schema, name = '', depth = 0): unknown {
  const { random, hostility } = context;
  if (random() < hostility * (depth === 0 ? 0.2 : 1)) return pick(random, HOSTILE_VALUES);
  if (schema.$ref) return valueFor(context, context.schemaOf(schema.$ref), name, depth);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return pick(random, schema.enum);
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return valueFor(context, schemaPart(pick(random, union)), name, depth);
  const type = Array.isArray(schema.type) ? pick(random, schema.type) : schema.type;
  switch (type) {
    case 'object':
      return objectFor(context, schema, depth);
    case 'array':
      return Array.from({ length: Math.floor(random() * 4) }, () =>
        valueFor(context, schemaPart(Array.isArray(schema.items) ? schema.items[0] : schema.items), name, depth + 1),
      );
    case 'integer':
    case 'number':
      return numberFor(context, schema, name);
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    case 'string':
    case undefined:
    default:
      return textFor(context, schema, name);
  }
}

const schemaPart = (part: unknown): Schema => (typeof part === 'object' && part !== null ? (part as Schema) : {});

function objectFor(context: ValueContext, schema: Schema, depth: number): Record<string, unknown> {
  const { random, hostility } = context;
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, part]): [string, unknown][] => {
    const isRequired = schema.required?.includes(name) ?? false;
    const isSent = isRequired ? random() >= hostility / 3 : random() < 0.4;
    return isSent ? [[name, valueFor(context, schemaPart(part), name, depth + 1)]] : [];
  });
  if (random() < hostility / 3) entries.push([pick(random, ['unknown', '__proto__', 'id', '']), 1]);
  return Object.fromEntries(entries);
}

function numberFor({ random, ids }: ValueContext, { minimum, maximum }: Schema, name: string): number {
  if (name === 'id' || name.endsWith('_id') || name === 'redirectIds') {
    const numbers = ids.filter((id) => typeof id === 'number');
    if (numbers.length > 0) return pick(random, numbers);
  }
  if (name === 'status_code') return pick(random, [301, 302, 308, 410]);
  const low = minimum ?? 1;
  return Math.min(maximum ?? Infinity, low + Math.floor(random() * 4));
}

export function textFor({ random, ids, mark }: ValueContext, schema: Schema, name: string): string {
  if (schema.format === 'date-time') return pick(random, ['2030-05-15T00:00:00Z', '2031-01-01T00:00:00Z']);
  if (schema.format === 'date') return '2030-05-01';
  const known = TEXTS[name];
  if (known) return pick(random, known);
  if (name === 'id' || (name.endsWith('_id') && name !== 'group_id')) return String(pick(random, ids));
  return `${mark} ${pick(random, ['one', 'two', 'three'])}`;
}
