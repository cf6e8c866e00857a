import { expect, test } from 'vitest';
import type { Db } from '../../src/db/connection/client.ts';
import { createReads } from '../../src/http/reads.ts';

// Names in place of pools, which are only passed on.
const pools = (name: string) => ({ db: `${name} db` as unknown as Db, streams: `${name} streams` as unknown as Db });
const readsWith = (stalenessMs: number) =>
  createReads(pools('primary'), { ...pools('standby'), stalenessMs: () => stalenessMs });
type Server = { streams: Db; isStandby: boolean };
const nameOf = async (db: Db, { streams, isStandby }: Server): Promise<unknown> => [db, streams, isStandby];

test.each([
  [undefined, 0, ['primary db', 'primary streams', false]],
  [10, 10_000, ['standby db', 'standby streams', true]],
  [10, 10_001, ['primary db', 'primary streams', false]],
  [0, 1, ['primary db', 'primary streams', false]],
  [86_400, Infinity, ['primary db', 'primary streams', false]],
])('max_staleness %j with data of %d ms ago reads from %j', async (maxStaleness, stalenessMs, expected) => {
  expect(await readsWith(stalenessMs).read(maxStaleness, nameOf)).toEqual(expected);
});

test('without a standby, the primary answers', async () => {
  expect(await createReads(pools('primary')).read(60, nameOf)).toEqual(['primary db', 'primary streams', false]);
});

test('an error of the standby is decided by the primary, also before the first chunk of a stream', async () => {
  const reads = readsWith(0);
  const failing = async (_: Db, { isStandby }: Server): Promise<string> => {
    if (isStandby) throw new Error('version not found');
    return 'found';
  };
  expect(await reads.read(60, failing)).toBe('found');
  async function* open(streams: Db) {
    if (String(streams).startsWith('standby')) throw new Error('cancelled');
    yield streams;
  }
  expect(await Array.fromAsync(reads.stream(60, open))).toEqual(['primary streams']);
  expect(reads.totals).toEqual({ primary: 2, standby: 0 });
});

test('after its first chunk, an error of the standby is the end of the stream', async () => {
  async function* broken() {
    yield 1;
    throw new Error('conflict with recovery');
  }
  const chunks = readsWith(0).stream(60, broken);
  expect((await chunks.next()).value).toBe(1);
  await expect(chunks.next()).rejects.toThrow('conflict with recovery');
});

test('a reader that leaves early closes the stream of the standby', async () => {
  let isClosed = false;
  async function* endless() {
    try {
      for (;;) yield 1;
    } finally {
      isClosed = true;
    }
  }
  const chunks = readsWith(0).stream(60, endless);
  await chunks.next();
  await chunks.return(undefined);
  expect(isClosed).toBe(true);
});
