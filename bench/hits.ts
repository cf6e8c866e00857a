/** Redirects per second and CPU time with and without recording of hits: two processes on one database, in turn. */
import { type Bench, databaseBytes, query } from './context.ts';
import { startLoad } from './load.ts';
import { mainThreadCpu } from './proc.ts';
import { report } from './report.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const ROUND_MS = 4_000;
const WARM_UP_MS = 6_000;
/** Hits are written each second. The writes of one process must not slow down the other. */
const WRITE_MS = 2_500;

interface Process {
  pid: number;
  address: string;
}

export async function measureHits(bench: Bench): Promise<void> {
  const website = await bench.website();
  const on = await bench.restart();
  const off = await bench.another(['./bench/recording-off.ts']);
  const load = startLoad();
  const visitSome = async ({ pid, address }: Process, ms: number) => {
    const before = mainThreadCpu(pid);
    const port = Number(new URL(address).port);
    const round = { port, ms, status: 30, website: { host: website.host, rules: bench.rows } };
    const { answered, seconds } = await load.run(round);
    const micros = (mainThreadCpu(pid) - before) / answered;
    await new Promise((resolve) => setTimeout(resolve, WRITE_MS));
    return { answered, rate: answered / seconds, micros };
  };
  await visitSome(on, WARM_UP_MS);
  const before = await settledHits(on.databaseUrl);
  const bytes = await databaseBytes(on.databaseUrl);
  await visitSome(off, WARM_UP_MS);
  if ((await settledHits(on.databaseUrl)) !== before) throw new Error('recording-off.ts did not disable recording');

  const rounds = { on: [], off: [] } as Record<string, Awaited<ReturnType<typeof visitSome>>[]>;
  for (let round = 0; round < ROUNDS; round++) {
    // Alternate which of the two is first.
    for (const name of round % 2 === 0 ? ['off', 'on'] : ['on', 'off'])
      rounds[name]?.push(await visitSome(name === 'on' ? on : off, ROUND_MS));
  }
  await load.stop();
  await off.stop();
  const { on: ons = [], off: offs = [] } = rounds;
  const rates = ons.map(({ rate }, index) => rate / (offs[index]?.rate ?? NaN));
  const costs = ons.map(({ micros }, index) => (offs[index]?.micros ?? NaN) / micros);
  report('hitsRate', median(rates), {
    'recorded per second': ons.map(({ rate }) => Math.round(rate)),
    'not recorded': offs.map(({ rate }) => Math.round(rate)),
  });
  report('hitsCpu', median(costs), { recorded_us: ons.map((each) => each.micros), off_us: offs.map((o) => o.micros) });
  const answered = ons.reduce((sum, each) => sum + each.answered, 0);
  const written = (await settledHits(on.databaseUrl)) - before;
  report('hitsDisk', ((await databaseBytes(on.databaseUrl)) - bytes) / written);
  report('hitsWritten', written / answered, { hits: written, redirects: answered });
}

/** The hits in the database, once they no longer grow. */
export async function settledHits(databaseUrl: string): Promise<number> {
  let hits = await hitsWritten(databaseUrl);
  for (let last = -1; hits !== last;) {
    last = hits;
    await new Promise((resolve) => setTimeout(resolve, WRITE_MS));
    hits = await hitsWritten(databaseUrl);
  }
  return hits;
}

function hitsWritten(databaseUrl: string): Promise<number> {
  return query(databaseUrl, async (client) => {
    const { rows } = await client.query<{ hits: string }>('select coalesce(sum(hits), 0) as hits from website_hits');
    return Number(rows[0]?.hits);
  });
}
