/** The bodies of POST and DELETE /api/v1/websites/{id}/hosts, read as they arrive. */
import { z } from 'zod';
import { limitBytes } from '../../http/body/read-body.ts';
import { namesFromWire } from '../../http/wire/wire-names.ts';
import { requestError } from '../../http/wire/zod-issues.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { createByteSource } from '../../formats/read/json/byte-source.ts';
import { readJsonBody } from '../../formats/read/json/json-body.ts';
import { type Issue, missing, validationError, wrongParameter } from '../../vocabulary/error.ts';
import { type CheckedHost, createHostCheck, tooManyHosts } from '../../websites/check-hosts.ts';
import type { ServiceHosts } from '../../websites/service-hosts.ts';
import { HOSTS_BODY_BYTES, MAX_HOSTS } from '../../websites/website.ts';
import { hostFields, hostInput } from '../resources/websites/website-hosts.ts';

export const AddedBody = z.strictObject({ hosts: z.array(hostInput).describe('The hosts, at most 10,000.') });
export const RemovedBody = z.strictObject({ hosts: z.array(z.string()).describe('Hostnames, at most 10,000.') });

const fromWire = namesFromWire(hostInput);

/** Reads the hosts to add, in the form that is stored. Throws the errors of a body of a website. */
export function readAddedHosts(
  body: AsyncIterable<Buffer>,
  isReserved: ServiceHosts['isReserved'],
): Promise<CheckedHost[]> {
  return readHosts(body, AddedBody, (issues) => {
    const check = createHostCheck(isReserved, issues);
    return (host, index) => check(hostFields(fromWire(host)), index);
  });
}

/** Reads the names to remove, in the form that is stored. A name that is listed twice counts once. */
export async function readRemovedHosts(body: AsyncIterable<Buffer>): Promise<string[]> {
  const hosts = await readHosts(body, RemovedBody, (issues) => {
    const check = createHostCheck(() => false, issues, { isRemoval: true });
    return (hostname, index) => check({ hostname, environment: 'production' }, index).hostname;
  });
  return [...new Set(hosts)];
}

async function readHosts<Input, Output>(
  body: AsyncIterable<Buffer>,
  schema: z.ZodType<{ hosts: Input[] }>,
  checkWith: (issues: Issue[]) => (entry: Input, index: number) => Output,
): Promise<Output[]> {
  const issues: Issue[] = [];
  const check = checkWith(issues);
  const slice = createTimeSlice();
  const raw: unknown[] = [];
  const checked: Output[] = [];
  let hasHosts = false;
  const bytes = limitBytes(body, HOSTS_BODY_BYTES, 'body: at most 16 MiB');
  for await (const part of readJsonBody(createByteSource(bytes), assertKnown, 'hosts')) {
    if ('field' in part) throw wrongParameter('hosts', 'must be a list of hosts');
    hasHosts = true;
    raw.push(...part.entries);
    if (raw.length > MAX_HOSTS) throw tooManyHosts();
    const parsed = schema.safeParse({ hosts: part.entries });
    if (!parsed.success)
      throw requestError('body', shifted(parsed.error.issues, checked.length), { hosts: raw }, ['hosts']);
    for (const entry of parsed.data.hosts) {
      checked.push(check(entry, checked.length));
      if (slice.isOver()) await slice.yield();
    }
  }
  if (!hasHosts) throw missing('hosts');
  if (issues.length > 0) throw validationError(issues);
  return checked;
}

/** The issues of a batch with the indices of the whole list. */
function shifted(issues: z.core.$ZodIssue[], first: number): z.core.$ZodIssue[] {
  return issues.map((issue) => {
    const [list, index, ...rest] = issue.path;
    return typeof index === 'number' && list !== undefined ? { ...issue, path: [list, index + first, ...rest] } : issue;
  });
}

function assertKnown(field: string): void {
  if (field !== 'hosts')
    throw wrongParameter(field.slice(0, 100), 'is not a known field; the body takes hosts', 'UNKNOWN_FIELD');
}
