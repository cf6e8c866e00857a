import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { type Call, type Client, createClient } from '../../src/cli/client.ts';
import { ApiError } from '../../src/cli/errors.ts';
import { readText } from '../../src/cli/http.ts';
import { startStubApi, type StubAnswer, type StubApi } from '../support/stub-api.ts';

let api: StubApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const notes: string[] = [];
const waits: number[] = [];

/** A client of a server that gives these answers in turn, and then the last one forever. */
async function clientOf(...answers: StubAnswer[]): Promise<Client> {
  notes.length = 0;
  waits.length = 0;
  api = await startStubApi((_request, count) => answers[Math.min(count, answers.length) - 1] ?? {});
  return connect(api.url);
}

function connect(url: string): Client {
  return createClient(
    { url, apiKey: 'dtr_test' },
    {
      note: (line) => notes.push(line),
      wait: async (ms) => waits.push(ms),
    },
  );
}

const busy = (code: string, headers: Record<string, string> = { 'retry-after': '3' }): StubAnswer => ({
  status: 503,
  headers,
  body: { error: 'The data is busy', details: 'retry', code },
});

const limited: StubAnswer = { status: 429, headers: { 'retry-after': '7' }, body: { error: 'Too many requests' } };

const upload = (more: Partial<Call> = {}): Call => ({
  method: 'PUT',
  path: '/websites/1/redirects',
  body: { type: 'text/csv', open: () => Readable.from(['a,b\n', 'c,d\n']), isReplayable: true },
  ...more,
});

test('sends the key, the parameters that are set, and the body as a stream', async () => {
  const client = await clientOf({ body: { ok: true } });
  expect(await client.call(upload({ query: { dry_run: true, group_id: undefined, max_delete: '20%' } }))).toEqual({
    ok: true,
  });
  expect(api?.requests).toMatchObject([
    {
      method: 'PUT',
      path: '/api/v1/websites/1/redirects',
      query: { dry_run: 'true', max_delete: '20%' },
      headers: {
        authorization: 'Bearer dtr_test',
        'content-type': 'text/csv',
        'user-agent': expect.stringMatching(/^detour-cli\/\d/),
      },
      body: 'a,b\nc,d\n',
    },
  ]);
  expect(api?.requests[0]?.query).not.toHaveProperty('group_id');
});

describe('retries', () => {
  test('after a 429 of any call, when the service says', async () => {
    const client = await clientOf(limited, { body: { done: 1 } });
    expect(await client.post('/deployments', {})).toEqual({ done: 1 });
    expect(waits).toEqual([7_000]);
    expect(notes).toEqual(['Too many requests; retrying in 7 s']);
  });

  test('after a 503 of a call that can be repeated, with the whole body again', async () => {
    const client = await clientOf(busy('DATABASE_UNAVAILABLE'), busy('DATABASE_UNAVAILABLE', {}), { body: {} });
    await client.call(upload());
    expect(waits).toEqual([3_000, 2_000]);
    expect(api?.requests.map(({ body }) => body)).toEqual(Array<string>(3).fill('a,b\nc,d\n'));
  });

  test('not after a 503 of a write that may have been applied', async () => {
    const client = await clientOf(busy('DATABASE_UNAVAILABLE'));
    await expect(client.post('/deployments', {})).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', exit: 1 });
    expect(api?.requests).toHaveLength(1);
  });

  test('after a 503 of a write that was rolled back, and of one that changes nothing', async () => {
    const client = await clientOf(busy('BUSY'), busy('DATABASE_UNAVAILABLE'), { body: { ok: true } });
    expect(await client.post('/redirects/test', {}, { canRepeat: true })).toEqual({ ok: true });
  });

  test('at most four times, and at most two minutes in all', async () => {
    const client = await clientOf(busy('BUSY'));
    await expect(client.get('/websites')).rejects.toThrow('The data is busy: retry');
    expect(api?.requests).toHaveLength(5);

    const slow = await clientOf(busy('BUSY', { 'retry-after': '90' }));
    await expect(slow.get('/websites')).rejects.toThrow('The data is busy');
    expect(waits).toEqual([90_000]);
  });

  test('not with a body that can be read only once', async () => {
    const client = await clientOf(limited);
    const body = { type: 'text/csv', open: () => Readable.from(['x']), isReplayable: false };
    await expect(client.call(upload({ body }))).rejects.toThrow('Too many requests');
    expect(api?.requests).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 409, 422, 500])('not after a %i', async (status) => {
    const client = await clientOf({ status, body: { error: 'No', code: 'X' } });
    await expect(client.get('/websites')).rejects.toThrow(ApiError);
    expect(api?.requests).toHaveLength(1);
  });
});

describe('an error', () => {
  test('of a conflict is refused, any other has failed', async () => {
    const client = await clientOf(
      { status: 409, body: { error: 'Too many', details: '30 of 100', code: 'TOO_MANY_DELETES' } },
      { status: 404, body: { error: 'Website not found', code: 'WEBSITE_NOT_FOUND' } },
    );
    await expect(client.get('/a')).rejects.toMatchObject({ exit: 3, message: 'Too many: 30 of 100' });
    await expect(client.get('/a')).rejects.toMatchObject({ exit: 1, message: 'Website not found' });
  });

  test('lists the invalid entries of a file by line', async () => {
    const errors = Array.from({ length: 22 }, (_, index) => ({
      index,
      line: index + 2,
      old_path: `/${index}`,
      code: 'TOO_LONG',
      message: 'is too long',
    }));
    const client = await clientOf({ status: 422, body: { error: 'Invalid', code: 'VALIDATION_ERROR', errors } });
    const failure: unknown = await client.call(upload()).catch((error: unknown) => error);
    expect(String(failure)).toContain('Invalid\n  line 2 (/0): is too long\n  line 3 (/1): is too long\n');
    expect(String(failure)).toContain('\n  and 2 more');
  });

  test('names an invalid key with its remedy', async () => {
    const client = await clientOf({ status: 401, body: { error: 'Authentication is required', code: 'UNAUTHORIZED' } });
    await expect(client.get('/a')).rejects.toThrow('run `detour login`, or set DETOUR_API_KEY');
  });

  test('of another server says so', async () => {
    const client = await clientOf(
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
      { headers: { 'content-type': 'text/html' }, body: '<h1>Hello</h1>' },
    );
    await expect(client.get('/a')).rejects.toThrow('status 502 without an explanation');
    await expect(client.get('/a')).rejects.toThrow('did not respond with JSON: check the URL');
  });

  test('of a service that does not run names the URL', async () => {
    const gone = await startStubApi(() => ({}));
    await gone.close();
    await expect(connect(gone.url).get('/a')).rejects.toThrow(`${gone.url}: the connection was refused`);
  });

  test('of a response that breaks off is no result', async () => {
    const client = await clientOf({ breakAfter: '{"websites":[' });
    await expect(client.get('/a')).rejects.toMatchObject({ exit: 1 });
    const response = await client.stream({ method: 'GET', path: '/a' });
    await expect(readText(response)).rejects.toThrow();
  });
});

test('reads a response that arrives before the body is sent, and ends the upload', async () => {
  const answer = JSON.stringify({ error: 'Too large', code: 'BODY_TOO_LARGE' });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(`HTTP/1.1 413 Payload Too Large\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`);
      socket.resume();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sent = Readable.from(forever());
  const ended = new Promise<void>((resolve) => sent.once('close', resolve));
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const body = { type: 'text/csv', open: () => sent, isReplayable: true };
  await expect(client.call(upload({ body }))).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
  await ended;
  server.close();
});

async function* forever(): AsyncGenerator<string> {
  for (;;) {
    yield 'x'.repeat(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
