/** Rejected and aborted imports: nothing is applied, nothing is left behind, and the next import works. */
import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { until } from '../support/wait.ts';
import {
  colleague,
  eventsOf,
  expectRefusal,
  fileForm,
  importFile,
  newWebsite,
  redirectsOf,
} from '../surfaces/session-api/site.ts';

const PATH = '/api/redirects/import';
const FILE = 'old_path,new_path\n/a,/b\n';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

/** Expects no trace of an import: no redirect, no event, no staging table. */
async function expectUntouched(id: number, account = owner): Promise<void> {
  expect(await redirectsOf(account, id)).toEqual([]);
  expect(await eventsOf(detour, account, id)).toEqual([]);
}

const rowsOf = (count: number) =>
  `old_path,new_path\n${Array.from({ length: count }, (_, index) => `/${index},/x`).join('\n')}\n`;

describe("the plan's limit", () => {
  test('a free account may send 1,000 rows, not 1,001, error rows counted', async () => {
    const free = await detour.account('free');
    const id = await newWebsite(free);
    const site = { website_id: String(id) };
    expectRefusal(await importFile(free, rowsOf(1_001), site), 403, 'PLAN_LIMIT_EXCEEDED', '1,000');
    await expectUntouched(id, free);
    const withBadRow = await importFile(free, `${rowsOf(1_000)}bad,/x\n`, site);
    expectRefusal(withBadRow, 403, 'PLAN_LIMIT_EXCEEDED');
    await expectUntouched(id, free);
    expectRefusal(await importFile(free, rowsOf(1_001), { ...site, dry_run: 'true' }), 403, 'PLAN_LIMIT_EXCEEDED');
    const allowed = await importFile(free, rowsOf(1_000), site);
    expect([allowed.status, allowed.body.imported]).toEqual([200, 1_000]);
  });

  test('a pro account may send 10,000 rows, not 10,001', async () => {
    const pro = await detour.account('pro');
    const id = await newWebsite(pro);
    expectRefusal(await importFile(pro, rowsOf(10_001), { website_id: String(id) }), 403, 'PLAN_LIMIT_EXCEEDED');
    await expectUntouched(id, pro);
    expect((await importFile(pro, rowsOf(10_000), { website_id: String(id) })).body.imported).toBe(10_000);
  });
});

const isLinux = process.platform === 'linux';
/** Open files of uploads, which have no name. Only Linux lists them. */
const uploads = () => (isLinux ? readdirSync('/proc/self/fd').filter(isUpload) : []);
function isUpload(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).match(/detour-upload-.*\(deleted\)$/) !== null;
  } catch {
    return false;
  }
}

const FORM_START = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n/a,/b\r\n';

/** Sends the head of an upload and the beginning of its file. Resolves to the connection and what it receives. */
async function startUpload(account: Pick<TestAccount, 'cookie'>, query: string, length: number) {
  const socket = connect(Number(new URL(detour.address).port), '127.0.0.1');
  const received = { text: '' };
  socket.on('data', (bytes) => (received.text += String(bytes)));
  socket.on('error', () => {});
  const head = [
    `POST ${PATH}${query} HTTP/1.1`,
    `Host: ${new URL(detour.address).host}`,
    `Cookie: ${account.cookie}`,
    'Content-Type: multipart/form-data; boundary=b',
    `Content-Length: ${length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${FORM_START}`);
  return { socket, received };
}

describe('before its body is read', () => {
  test('a file above the size of the plan is rejected', async () => {
    const { socket, received } = await startUpload(await detour.account('free'), '', 100 * 1024 ** 2);
    await until(async () => received.text.includes('PLAN_LIMIT_EXCEEDED'));
    expect(received.text).toMatch(/^HTTP\/1.1 403 /);
    expect(received.text).toContain('at most 62.5 MiB');
    socket.destroy();
  });

  test('a large file of a viewer is rejected unless the query says that it is a dry run', async () => {
    const viewer = await colleague(detour, owner, 'viewer');
    const { socket, received } = await startUpload(viewer, '', 10 * 1024 ** 2);
    await until(async () => received.text.includes('INSUFFICIENT_ROLE'));
    socket.destroy();
    expectRefusal(await viewer.call('POST', `${PATH}?dry_run=false`, fileForm(FILE)), 403, 'INSUFFICIENT_ROLE');
  });

  test('an upload leaves no name on the disk, and a second one of the account waits', async () => {
    const account = await detour.account();
    const id = await newWebsite(account);
    const { socket } = await startUpload(account, `?website_id=${id}`, 5_000);
    await until(async () => !isLinux || uploads().length === 1);
    const second = importFile(account, FILE, { website_id: String(id) });
    const other = await detour.account();
    expect((await importFile(other, FILE, { website_id: String(await newWebsite(other)) })).status).toBe(200);
    const gone = await startUpload(account, `?website_id=${id}`, 5_000);
    gone.socket.destroy();
    expect(await redirectsOf(account, id)).toEqual([]);
    socket.destroy();
    expect((await second).body.imported).toBe(1);
  });

  test('an upload that has arrived as a whole and whose client leaves while it waits frees its turn', async () => {
    const account = await detour.account();
    const id = await newWebsite(account);
    const query = `?website_id=${id}`;
    const { socket } = await startUpload(account, query, 5_000);
    await until(async () => !isLinux || uploads().length === 1);
    const end = '\r\n--b--\r\n';
    const left = await startUpload(account, query, FORM_START.length + end.length);
    left.socket.write(end);
    // The service has read the request when it responds to a later one.
    expect(await redirectsOf(account, id)).toEqual([]);
    expect(await redirectsOf(account, id)).toEqual([]);
    left.socket.destroy();
    socket.destroy();
    expect((await importFile(account, FILE, { website_id: String(id) })).body.imported).toBe(1);
  });
});

describe('a form that is not an import', () => {
  test('without a file it is 400', async () => {
    const form = new FormData();
    form.append('website_id', String(await newWebsite(owner)));
    expectRefusal(await owner.call('POST', PATH, form), 400, 'MISSING_PARAMETER', 'file');
  });

  test('an empty file is rejected, or an import of zero rows, never a 500', async () => {
    const id = await newWebsite(owner);
    const { status } = await importFile(owner, '', { website_id: String(id) });
    expect(status).toBe(422);
    await expectUntouched(id);
  });

  test('of two files the first is the file, whatever its name', async () => {
    const id = await newWebsite(owner);
    const form = new FormData();
    form.append('anything', new Blob([FILE]), 'first.txt');
    form.append('website_id', String(id));
    form.append('file', new Blob(['old_path,new_path\n/second,/x\n']), 'second.csv');
    const { status, body } = await owner.call('POST', PATH, form);
    expect([status, body.imported]).toEqual([200, 1]);
    expect((await redirectsOf(owner, id))[0].old_path).toBe('/a');
  });

  test('a duplicated field is 400, and so are form and query that differ', async () => {
    const id = await newWebsite(owner);
    const twice = fileForm(FILE, { website_id: String(id), dry_run: 'true' });
    twice.append('dry_run', 'false');
    expectRefusal(await owner.call('POST', PATH, twice), 400, 'INVALID_PARAMETER', 'dry_run');
    const disagree = fileForm(FILE, { website_id: String(id), dry_run: 'true' });
    expectRefusal(await owner.call('POST', `${PATH}?dry_run=false`, disagree), 400, 'INVALID_PARAMETER', 'dry_run');
    await expectUntouched(id);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a field %s is rejected as unknown',
    async (name) => {
      const id = await newWebsite(owner);
      const answer = await owner.call('POST', PATH, fileForm(FILE, { website_id: String(id), ...{ [name]: '1' } }));
      expectRefusal(answer, 400, 'UNKNOWN_FIELD');
      await expectUntouched(id);
    },
  );

  test('a field over 64 KiB and 200 fields are rejected', async () => {
    const id = await newWebsite(owner);
    const large = await importFile(owner, FILE, { website_id: String(id), columns: 'x'.repeat(100_000) });
    expect([400, 413]).toContain(large.status);
    const fields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, '1']));
    const many = await importFile(owner, FILE, { website_id: String(id), ...fields });
    expect([400, 413]).toContain(many.status);
    await expectUntouched(id);
  });

  test('a field may have the content type JSON', async () => {
    const id = await newWebsite(owner);
    const body = [
      '--b',
      'Content-Disposition: form-data; name="columns"',
      'Content-Type: application/json',
      '',
      '{"Old link":"old_path"}',
      '--b',
      'Content-Disposition: form-data; name="file"; filename="f.csv"',
      '',
      'Old link,new_path\n/a,/b',
      '--b--',
      '',
    ].join('\r\n');
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    const answer = await owner.call('POST', `${PATH}?website_id=${id}`, body, type);
    expect([answer.status, answer.body.imported]).toEqual([200, 1]);
  });

  test('another content type is 415', async () => {
    expectRefusal(await owner.call('POST', PATH, { website_id: 1 }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectRefusal(await owner.call('POST', PATH, FILE, { 'content-type': 'text/csv' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectRefusal(await owner.call('POST', PATH), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test.each([
    ['without boundary', 'multipart/form-data', 'x'],
    ['with an empty body', 'multipart/form-data; boundary=b', ''],
    [
      'that never ends',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n/a,/b\r\n',
    ],
    ['that ends in its headers', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; na'],
    ['of noise', 'multipart/form-data; boundary=b', '\u0000\u0001--c--b'],
    [
      'with another boundary',
      'multipart/form-data; boundary=b',
      '--c\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n--c--\r\n',
    ],
    ['without disposition', 'multipart/form-data; boundary=b', '--b\r\n\r\n/a,/b\r\n--b--\r\n'],
  ])('multipart %s is a 400 that says so', async (_, type, text) => {
    const answer = await owner.call<{ code: string }>('POST', PATH, text, { 'content-type': type });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('"code"')]);
    expect((await owner.call('GET', '/api/websites')).status).toBe(200);
  });
});

describe('a file that is not a list of redirects', () => {
  test.each([
    ['no column of ours', 'first,second\n1,2\n'],
    ['no source column', 'new_path,notes\n/a,n\n'],
    ['binary', '\u0000\u0001\u0002\u0003\u0000\n\u0000\u0001'],
    ['html', '<!doctype html><html><body>no</body></html>'],
    ['other json', '[{"path":"/a","target":"/b"}]'],
    ['one endless line', 'x'.repeat(1_000_000)],
  ])('%s: 422, and nothing is applied', async (_, text) => {
    const id = await newWebsite(owner);
    const answer = await importFile(owner, text, { website_id: String(id) });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('"code"')]);
    await expectUntouched(id);
  });

  test('without a target column only redirects without target are imported', async () => {
    const id = await newWebsite(owner);
    const { body } = await importFile(owner, 'old_path,status_code\n/a,410\n/b,301\n', {
      website_id: String(id),
    });
    expect(body).toMatchObject({ imported: 1, error_count: 1 });
    expect(body.errors[0]).toMatchObject({ line: 3, column: 'new_path', code: 'TARGET_REQUIRED' });
  });

  test('control characters, NUL and invalid UTF-8 are error rows', async () => {
    const id = await newWebsite(owner);
    const bytes = Buffer.concat([
      Buffer.from('old_path,new_path\n/a\u0000b,/x\n/c,/d\u0007\n/ok,/x\n/'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(',/x\n'),
    ]);
    const { status, body } = await importFile(owner, new Uint8Array(bytes), { website_id: String(id) });
    expect([status, body]).toEqual([200, expect.objectContaining({ imported: 1, error_count: 3 })]);
    expect(body.errors.map((error: { line: number }) => error.line)).toEqual([2, 3, 5]);
  });
});

describe('a client that disconnects', () => {
  /** Sends the beginning of an upload and closes the connection. */
  async function breakOff(id: number, sent: string): Promise<void> {
    const { hostname, port } = new URL(detour.address);
    const head = [
      `POST ${PATH}?website_id=${id} HTTP/1.1`,
      `Host: ${hostname}`,
      `Cookie: ${owner.cookie}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 10000000',
      '',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\n',
    ].join('\r\n');
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject).on('connect', () => socket.write(head + sent, () => resolve()));
    });
    await until(async () => !isLinux || uploads().length > 0);
    socket.destroy();
  }

  test('leaves no redirect, no event and no file, and the next import works', async () => {
    const id = await newWebsite(owner);
    await breakOff(id, rowsOf(5_000));
    await until(async () => uploads().length === 0);
    await expectUntouched(id);
    expect((await importFile(owner, FILE, { website_id: String(id) })).body.imported).toBe(1);
  });

  test('in the middle of the list does not affect the service', async () => {
    const id = await newWebsite(owner);
    await importFile(owner, rowsOf(20_000), { website_id: String(id) });
    const aborts = Array.from({ length: 20 }, async () => {
      const leave = new AbortController();
      const list = await fetch(`${detour.address}/api/redirects?website_id=${id}`, {
        headers: { cookie: owner.cookie },
        signal: leave.signal,
      });
      await list.body?.getReader().read();
      leave.abort();
    });
    await Promise.all(aborts);
    await until(async () => {
      const { rows } = await detour.db.$client.query(
        `select count(*)::int as open from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
      );
      return rows[0].open === 0;
    });
    expect(await redirectsOf(owner, id)).toHaveLength(20_000);
  });
});

test('a failed import has the status failed, and its staging table is dropped', async () => {
  const free = await detour.account('free');
  const id = await newWebsite(free);
  await importFile(free, rowsOf(1_001), { website_id: String(id) });
  const { rows } = await detour.db.$client.query(`select id, status, error from imports where account_id = $1`, [
    free.accountId,
  ]);
  expect(rows).toEqual([
    { id: expect.any(String), status: 'failed', error: expect.stringContaining('PLAN_LIMIT_EXCEEDED') },
  ]);
  expect((await free.call('GET', `/api/imports/${rows[0].id}`)).body.import).toMatchObject({
    status: 'failed',
    summary: null,
  });
  const tables = await detour.db.$client.query(
    `select relname from pg_class where relkind = 'r' and relpersistence = 'u' and relname like 'import%'`,
  );
  expect(tables.rows).toEqual([]);
});
