/** Bodies made to be expensive, for every media type that a route takes. */
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { operationsOf } from '../surfaces/docs/document.ts';
import type { OpenApi } from '../../src/surfaces/docs/openapi.ts';
import { send, type TestAccount, type TestDetour } from './detour.ts';
import { createSite } from './site.ts';

export interface HostileBody {
  name: string;
  type: string;
  bytes: Buffer;
}

const repeated = (head: string, piece: string, bytes: number, tail = ''): Buffer =>
  Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, piece), Buffer.from(tail)]);
const damaged = (head: string, piece: number[], bytes: number): Buffer =>
  Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, Buffer.from(piece))]);
const keys = (bytes: number): string =>
  Array.from({ length: bytes / 10 }, (_, n) => `"k${n.toString(36).padStart(5, '0')}":1`).join(',');

/** `list` is the field with the entries. */
function jsonBodies(list: string, bytes: number): Record<string, Buffer> {
  const inList = (piece: string, last: string): Buffer => repeated(`{"${list}":[`, piece, bytes, `${last}]}`);
  return {
    'white space': repeated('{', ' \n', bytes, '}'),
    'nested lists': repeated('', '[', bytes),
    'nested objects in the list': repeated(`{"${list}":[`, '{"a":', bytes),
    'a repeated key': repeated('{"a":1', ',"a":1', bytes, '}'),
    'many keys': Buffer.from(`{${keys(bytes)}}`),
    'many keys of one entry': Buffer.from(`{"${list}":[{${keys(bytes)}}]}`),
    'numbers as entries': inList('1,', '1'),
    'empty entries': inList('{},', '{}'),
    'a text without an end': repeated(`{"${list}":"`, 'a', bytes),
    'escapes without an end': repeated(`{"${list}":["`, '\\\\', bytes),
    'invalid UTF-8': damaged(`{"${list}":["`, [0xff], bytes),
  };
}

const ndjsonBodies = (bytes: number): Record<string, Buffer> => ({
  'line feeds': repeated('', '\n', bytes),
  'blank lines': repeated('', ' \t\r\n', bytes),
  'spaces without an end': repeated('', ' ', bytes),
  'lines of one number': repeated('', '1\n', bytes),
  'empty entries': repeated('', '{}\n', bytes),
  'one long line': repeated('', '{"old_path":', bytes),
  'long lines': repeated('', `${'x'.repeat(64_000)}\n`, bytes),
  'a repeated key': repeated('', `{${'"a":1,'.repeat(9_000)}"a":1}\n`, bytes),
  'nested lists': repeated('', `${'['.repeat(60_000)}\n`, bytes),
  'invalid UTF-8': damaged('', [0xff, 0x0a], bytes),
});

const csvBodies = (header: string, bytes: number): Record<string, Buffer> => ({
  'line feeds': repeated('', '\n', bytes),
  'line feeds after the header': repeated(`${header}\n`, '\n', bytes),
  'line feeds and one quote': repeated(`${header}\n"`, '\n', bytes),
  'blank lines': repeated(`${header}\n`, '  \r\n', bytes),
  'rows without content': repeated(`${header}\n`, ',\n', bytes),
  'short rows': repeated(`${header}\n`, 'a\n', bytes),
  'an enormous cell': repeated(`${header}\n/a,`, 'x', bytes),
  'a quoted cell without an end': repeated(`${header}\n/a,"`, 'x\n', bytes),
  'an odd quote in each row': repeated(`${header}\n`, '/a,"b\n', bytes),
  'rows of quotes': repeated(`${header}\n`, `${'"'.repeat(60_000)}\n`, bytes),
  'many columns': repeated('', 'a,', bytes),
  'invalid UTF-8': damaged(`${header}\n`, [0xff, 0x0a], bytes),
  'lone surrogates of UTF-16': damaged('', [0x00, 0xd8, 0x0a, 0x00], bytes),
});

const serverFiles = (bytes: number): Record<string, Buffer> => ({
  'blank lines of nginx': repeated('rewrite ^/a$ /b permanent;\n', '\n', bytes),
  'comments of nginx': repeated('rewrite ^/a$ /b permanent;\n', '#\n', bytes),
  'braces of nginx': repeated('location /a {\n', '{', bytes),
  'continued lines of Apache': repeated('Redirect /a /b\n', '\\\n', bytes),
  'conditions of Apache': repeated('RewriteRule ^a$ /b\n', 'RewriteCond %{HTTPS} on\n', bytes),
  'rules of Netlify': repeated('/a /b\n', '/:a/* /b\n', bytes),
  'a nested list of Vercel': repeated('{"redirects":[', '[', bytes),
});

const BOUNDARY = 'hostile';
const part = (name: string, more = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;

function forms(files: Record<string, Buffer>, bytes: number): Record<string, Buffer> {
  const end = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const head = Buffer.from(part('file', '; filename="file"'));
  return {
    ...Object.fromEntries(Object.entries(files).map(([name, file]) => [name, Buffer.concat([head, file, end])])),
    'fields without an end': repeated('', `${part('a')}1\r\n`, bytes),
    'an enormous field': repeated(part('columns'), 'x', bytes),
    'almost the boundary': repeated(part('file', '; filename="a"'), `\r\n--${BOUNDARY.slice(1)}`, bytes),
    'no part at all': repeated('', '\r\n', bytes),
  };
}

const CSV_HEADERS: Record<string, string> = { expectations: 'url,status_code', redirects: 'old_path,new_path' };

function bodiesOf(type: string, list: string, bytes: number): Record<string, Buffer> {
  if (type === 'application/json') return jsonBodies(list, bytes);
  if (type === 'application/x-ndjson') return ndjsonBodies(bytes);
  const csv = csvBodies(CSV_HEADERS[list] ?? 'old_path,new_path', bytes);
  if (type === 'text/csv') return csv;
  const json = Object.entries(jsonBodies('redirects', bytes)).map(([name, file]) => [`JSON: ${name}`, file]);
  const ndjson = Object.entries(ndjsonBodies(bytes)).map(([name, file]) => [
    `NDJSON: ${name}`,
    Buffer.concat([Buffer.from('{"old_path":"/a","new_path":"/b"}\n'), file]),
  ]);
  return forms({ ...csv, ...Object.fromEntries(json), ...Object.fromEntries(ndjson), ...serverFiles(bytes) }, bytes);
}

export interface HostileRequest {
  name: string;
  method: string;
  path: string;
  body: HostileBody;
}

const MAX_JSON_BYTES = 1_000_000;

/** Every route that takes a body, with each `every`-th of its hostile bodies, of `bytes` each. */
export function hostileRequests(document: OpenApi, websiteId: number, bytes: number, every = 1): HostileRequest[] {
  let at = 0;
  return [...operationsOf(document).values()].flatMap(({ method, path, operation }) => {
    const content = Object.entries(operation.requestBody?.content ?? {});
    const isStreamed = content.length > 1 || path.endsWith('/hits') || content[0]?.[0] === 'multipart/form-data';
    return content.flatMap(([type, { schema }]) => {
      const names = Object.keys(schema.properties ?? {});
      const list = names.find((name) => name in CSV_HEADERS || name === 'hits') ?? names[0] ?? 'a';
      const size = isStreamed ? bytes : Math.min(bytes, MAX_JSON_BYTES);
      const named = /expectations/.test(path) ? 'expectations' : content.length > 1 ? 'redirects' : list;
      return Object.entries(bodiesOf(type, named, size))
        .filter(() => at++ % every === 0)
        .map(([name, plain]) => ({
          name: `${method.toUpperCase()} ${path} ${type}: ${name}`,
          method: method.toUpperCase(),
          path: urlOf(path, websiteId, type),
          body: {
            name,
            type,
            bytes: isStreamed && type !== 'multipart/form-data' ? gzipSync(plain, { level: 1 }) : plain,
          },
        }));
    });
  });
}

function urlOf(path: string, websiteId: number, type: string): string {
  const url = path.replace(/\{environment\}/, 'production').replace(/\{\w+\}/g, String(websiteId));
  return path === '/api/v1/redirects/bulk' && type !== 'application/json' ? `${url}?website_id=${websiteId}` : url;
}

/** Sends the request and returns its status. A body that is rejected early may end the connection. */
async function attack(
  address: string,
  { cookie, key }: TestAccount,
  request: HostileRequest,
): Promise<number | string> {
  const { method, path, body } = request;
  const isForm = body.type === 'multipart/form-data';
  const isKey = /^\/(api\/v1|api\/webhooks|v1)(\/|$)/.test(path);
  const isZipped = body.bytes[0] === 0x1f && body.bytes[1] === 0x8b;
  try {
    const response = await fetch(address + path, {
      method,
      headers: {
        ...(isKey ? { authorization: `Bearer ${key}` } : { cookie }),
        'content-type': isForm ? `${body.type}; boundary=${BOUNDARY}` : body.type,
        ...(isZipped && { 'content-encoding': 'gzip' }),
      },
      body: new Uint8Array(body.bytes),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 'closed';
  }
}

const RULES = 500;
const IDLE_ROUNDS = 10;

/** Milliseconds of the slowest of a hundred. */
const p99 = (all: number[]): number => all.toSorted((a, b) => a - b)[Math.ceil(all.length * 0.99) - 1] ?? 0;

/**
 * Sends hostile bodies of one account, and reads the health report and an export of another one meanwhile. Expects that
 * none is answered with a server error, and that the other account waits at most 3 times as long as without them.
 * `floorMs` is what a busy machine may take.
 */
export async function expectNobodyWaits(
  detour: TestDetour,
  { bytes, every, floorMs }: { bytes: number; every: number; floorMs: number },
): Promise<void> {
  const victim = await detour.account();
  const hostile = await detour.account();
  const site = await createSite(victim, []);
  const rules = Array.from({ length: RULES }, (_, n) => ({ old_path: `/a/${n}`, new_path: `/b/${n}` }));
  await victim.keyCall('POST', '/api/v1/redirects/bulk', { website_id: String(site), redirects: rules });
  const look = async (): Promise<number> => {
    const began = performance.now();
    const seen = await Promise.all([
      victim.call('GET', `/api/websites/${site}/health`),
      victim.keyCall('GET', `/api/v1/redirects/bulk/export?website_id=${site}`),
    ]);
    expect(seen.map(({ status }) => status)).toEqual([200, 200]);
    return performance.now() - began;
  };
  const idle: number[] = [];
  for (let round = 0; round < IDLE_ROUNDS; round++) idle.push(await look());

  const document = (await send<OpenApi>(detour.address, 'GET', '/openapi.json', undefined, {})).body;
  const requests = hostileRequests(document, await createSite(hostile, []), bytes, every);
  const statuses: Record<string, number> = {};
  const failed: string[] = [];
  const slow: [ms: number, name: string][] = [];
  const beside: number[] = [];
  for (const request of requests) {
    let isOver = false;
    const sent = attack(detour.address, hostile, request).finally(() => (isOver = true));
    const began = performance.now();
    do beside.push(await look());
    while (!isOver);
    const status = await sent;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (Number(status) >= 500) failed.push(`${status} ${request.name}`);
    slow.push([performance.now() - began, request.name]);
  }
  const limit = Math.max(3 * p99(idle), floorMs);
  const slowest = slow.toSorted(([a], [b]) => b - a).slice(0, 5);
  console.log(
    `${requests.length} bodies, statuses ${JSON.stringify(statuses)}; p99 of the other account ${p99(beside).toFixed(0)} ms (idle ${p99(idle).toFixed(0)} ms)`,
    `slowest bodies: ${slowest.map(([ms, name]) => `${ms.toFixed(0)} ms ${name}`).join('; ')}`,
  );
  expect(failed).toEqual([]);
  expect(p99(beside)).toBeLessThan(limit);
}
