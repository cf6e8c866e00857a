/** The body of a new move: JSON, or a form with files. */
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { Uploads } from '../../../http/body/upload.ts';
import type { CreateMoveInput } from '../../../http/jobs.ts';
import { name } from '../../../http/wire/fields.ts';
import { namesFromWire } from '../../../http/wire/wire-names.ts';
import { requestError } from '../../../http/wire/zod-issues.ts';
import { createByteSource } from '../../../formats/read/json/byte-source.ts';
import { readJsonBody, unknownField } from '../../../formats/read/json/json-body.ts';
import { parsedEntries, readNestedList } from '../../../formats/read/urls/json-list.ts';
import { readUrlList } from '../../../formats/read/urls/read-url-list.ts';
import type { UrlBatch } from '../../../formats/read/urls/url-row.ts';
import type { CreateInput } from '../../../moves/create/create-move.ts';
import { DomainError, wrongParameter } from '../../../vocabulary/error.ts';
import { MAX_URL_BYTES, URL_ANSWERS } from '../../../vocabulary/urls.ts';
import { keyDialect } from '../../resources/dialect.ts';
import { fromHosts } from '../urls/url-wire.ts';
import { filterFields } from '../urls/urls.ts';

const text = (description: string) => z.string().optional().describe(description);

const Entry = z.object({
  url: z.string().max(MAX_URL_BYTES).describe('An address, or a path.'),
  title: text('The title of the page.'),
  headline: text('Its first headline.'),
  description: text('Its meta description.'),
  weight: z
    .int()
    .min(0)
    .optional()
    .describe('Default: 10 x links + clicks of the entry, else those and hits of the URL of the website.'),
});
const urls = z.array(z.union([z.string(), Entry])).optional();

const toHost = z
  .string()
  .optional()
  .describe(
    'A host of another website of the account, whose living pages are the candidates. It must be in `allowed_target_hosts`.',
  );

const filter = z
  .strictObject({
    ...filterFields,
    answered: z.enum(URL_ANSWERS).default('lost').describe('What answers the URLs now. Default `lost`.'),
  })
  .optional()
  .describe('URLs of the website, by the filters of their list.');

const others = {
  name,
  to_host: toHost,
  from_hosts: z
    .array(z.string())
    .default([])
    .describe('Further hosts whose URLs count as those of the website, for `from`.'),
};

export const NewMove = z.strictObject({
  ...others,
  from: z
    .strictObject({ filter, urls: urls.describe('The old URLs; query strings are kept.') })
    .optional()
    .describe('The URLs to decide about: a filter or a list. Default: the lost URLs of the website.'),
  to: z
    .strictObject({
      website_id: keyDialect.websiteId.body
        .optional()
        .describe('Another website of the account, in place of `to_host`.'),
      to_host: toHost,
      urls: urls.describe(
        'The pages that may be targets, in place of living pages. Those on hosts that are no targets are left out.',
      ),
    })
    .optional()
    .describe('The pages that URLs may go to. Default: the living pages of the website in production.'),
});

/** For the API reference. The fields `from` and `to` of a form are JSON, unless they are files. */
export const MoveForm = z.object({
  name,
  from: z.file().optional().describe('The file of the old URLs, in any form that a push of URLs takes.'),
  to: z.file().optional().describe('The file of the pages that may be targets.'),
  to_host: toHost,
  from_hosts: text('Further hosts, separated by commas, or as a JSON list.'),
});

const toCode = namesFromWire(NewMove);
const OBJECTS = ['from', 'to'] as const;

type Read = NonNullable<CreateInput['to']>['read'];

/** Reads the body in the bulk thread. Lists are read when they are needed, because fields that follow decide about them. */
export async function readMove(body: CreateMoveInput['body']): Promise<Omit<CreateInput, 'websiteId'>> {
  const lists: Partial<Record<'from' | 'to', Read>> = {};
  if ('json' in body) {
    const { json } = body;
    const fields = await readFields(json);
    for (const object of OBJECTS)
      if (hasList(fields[object])) lists[object] = () => readNestedList(createReadStream(json), object, OBJECTS);
    return moveOf(fields, lists, 'urls');
  }
  const fields = formFields(body.fields);
  for (const object of OBJECTS) {
    const file = body.files[object];
    const listed = takeList(fields[object]);
    if (listed) lists[object] = () => [listed];
    if (file === undefined) continue;
    if (fields[object] !== undefined) throw wrongParameter(object, 'is a field and a file; send one of them');
    lists[object] = () => inField(object, readUrlList(file, { maxBytes: body.maxBytes }));
  }
  return moveOf(fields, lists, body.files.from === undefined ? 'urls' : 'file');
}

const hasList = (value: unknown): value is { urls: unknown[] } =>
  typeof value === 'object' && value !== null && Array.isArray(Reflect.get(value, 'urls'));

/** The list of a form's field, which is short, out of the field. Undefined without one. */
function takeList(value: unknown): UrlBatch | undefined {
  if (!hasList(value)) return undefined;
  const batch = parsedEntries(value.urls);
  value.urls = [];
  return batch;
}

const { from, to } = NewMove.shape;
const FIELDS = [
  ...Object.keys(NewMove.shape),
  ...Object.keys(from.unwrap().shape).map((member) => `from.${member}`),
  ...Object.keys(to.unwrap().shape).map((member) => `to.${member}`),
];

/** Ends the read at the first unknown field: a body may have millions. */
function assertKnown(field: string): void {
  if (!FIELDS.includes(field)) throw unknownField(field, FIELDS.join(', '));
}

/** The fields of JSON, with empty lists in place of long ones. */
async function readFields(path: string): Promise<Record<string, unknown>> {
  const fields = new Map<string, unknown>();
  const objects = new Map(OBJECTS.map((object): [string, Map<string, unknown>] => [object, new Map()]));
  for await (const part of readJsonBody(createByteSource(createReadStream(path)), assertKnown, 'urls', 0, OBJECTS)) {
    const members = (part.object !== undefined && objects.get(part.object)) || fields;
    if ('field' in part) members.set(part.field, part.value);
    else members.set('urls', []);
  }
  for (const [object, members] of objects) if (members.size > 0) fields.set(object, Object.fromEntries(members));
  return Object.fromEntries(fields);
}

const JSON_FIELDS: ReadonlySet<string> = new Set(['from', 'to', 'from_hosts']);

/** `from`, `to` and `from_hosts` of a form are JSON; hosts may also be separated by commas. */
function formFields(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]): [string, unknown] => {
      if (field === 'from_hosts' && !value.trimStart().startsWith('[')) return [field, fromHosts.decode(value)];
      return [field, JSON_FIELDS.has(field) ? parse(field, value) : value];
    }),
  );
}

function parse(field: string, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw wrongParameter(field, 'must be JSON, or a file part with a file name');
  }
}

function moveOf(
  data: Record<string, unknown>,
  lists: Partial<Record<'from' | 'to', Read>>,
  kind: 'urls' | 'file',
): Omit<CreateInput, 'websiteId'> {
  const parsed = NewMove.safeDecode(data as never);
  if (!parsed.success) throw requestError('body', parsed.error.issues, data, Object.keys(NewMove.shape));
  const { name: named, from, to, toHost: host, fromHosts: hosts } = toCode(parsed.data);
  if (from?.filter && from.urls) throw wrongParameter('from.filter', 'must not be beside urls; send one of them');
  const id = to?.websiteId === undefined ? undefined : keyDialect.websiteId.read(to.websiteId);
  const toWebsite = { id, host: to?.toHost ?? host };
  if (lists.to && (toWebsite.id !== undefined || toWebsite.host !== undefined))
    throw wrongParameter('to', 'has a list, and a website whose pages are the candidates; send one of them');
  return {
    name: named,
    fromHosts: hosts,
    from: lists.from && { kind, read: lists.from },
    filter: from?.filter,
    to: lists.to && { read: lists.to },
    toWebsite,
  };
}

/** Errors of a file name its part of the form. */
async function* inField(field: string, batches: AsyncIterable<UrlBatch>): AsyncGenerator<UrlBatch> {
  try {
    yield* batches;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const named = (value: string): string => value.replace(/^body\b/, field);
    const issues = error.issues.map((issue) => ({ ...issue, path: named(issue.path) }));
    throw new DomainError(error.code, named(error.message), { details: named(error.details), issues });
  }
}

/** The fields and files of a form as a message to the thread. */
export const formBody = ({ fields, files }: Uploads, maxBytes: number): CreateMoveInput['body'] => ({
  fields: Object.fromEntries(fields),
  files: { from: files.get('from')?.path, to: files.get('to')?.path },
  maxBytes,
});
