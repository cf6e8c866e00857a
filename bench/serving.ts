/** CPU time of a redirect with its hit, compared with a bare node:http server with the same response. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { BareResponse } from './bare.ts';
import type { Bench, BenchWebsite } from './context.ts';
import { startBareServer } from './limits.ts';
import { startLoad, visitorRequest } from './load.ts';
import { mainThreadCpu, threadCpu, treeCpu } from './proc.ts';
import { report } from './report.ts';
import { benchRow } from './rows.ts';
import { median } from './statistics.ts';

const ROUNDS = 7;
const ROUND_MS = 3_000;
const WARM_UP_MS = 5_000;
/** Hits are written each second. */
const WRITE_MS = 2_500;

export async function measureServing(bench: Bench): Promise<void> {
  const website = await bench.website();
  const service = await bench.restart();
  const { port, response } = await sameResponse(Number(new URL(service.address).port), website, bench.rows);
  const bare = await startBareServer(response);
  await assertSameBytes(port, bare.port, website.host, bench.rows);
  const load = startLoad();
  const run = (to: number, ms: number) =>
    load.run({ port: to, ms, status: 30, website: { host: website.host, rules: bench.rows } });

  const taken = { main: [], all: [], bareMain: [], bareAll: [] } as Record<string, number[]>;
  const threads: Record<string, number>[] = [];
  const measure = async (pid: number, to: number, kind: { main: string; all: string }): Promise<void> => {
    const [main, all, before] = [mainThreadCpu(pid), treeCpu(pid), threadCpu(pid)];
    const { answered } = await run(to, ROUND_MS);
    taken[kind.main]?.push((mainThreadCpu(pid) - main) / answered);
    await new Promise((resolve) => setTimeout(resolve, WRITE_MS));
    taken[kind.all]?.push((treeCpu(pid) - all) / answered);
    if (pid === service.pid) threads.push(difference(before, threadCpu(pid), answered));
  };
  for (const to of [port, bare.port, port]) await run(to, WARM_UP_MS);
  await new Promise((resolve) => setTimeout(resolve, WRITE_MS));
  for (let round = 0; round < ROUNDS; round++) {
    await measure(bare.pid, bare.port, { main: 'bareMain', all: 'bareAll' });
    await measure(service.pid, port, { main: 'main', all: 'all' });
  }
  await load.stop();
  await bare.stop();
  reportRatios(taken, threads);
}

function reportRatios(taken: Record<string, number[]>, threads: Record<string, number>[]): void {
  const { main = [], all = [], bareMain = [], bareAll = [] } = taken;
  const ratios = (own: number[], limit: number[]) => own.map((micros, index) => micros / (limit[index] ?? NaN));
  report('cpuMain', median(ratios(main, bareMain)), { us: main, bare_us: bareMain });
  const names = [...new Set(threads.flatMap(Object.keys))];
  const perThread = names.map((name) => `${name} ${median(threads.map((each) => each[name] ?? 0)).toFixed(1)}`);
  const inThreads = threads.map((each) => Object.values(each).reduce((sum, micros) => sum + micros, 0));
  const postgres = all.map((micros, index) => micros - (inThreads[index] ?? 0));
  const others = inThreads.map((micros, index) => micros - (threads[index]?.['main'] ?? 0));
  report('hitMain', median(main));
  report('hitThreads', median(others), { threads: perThread.join(', ') });
  report('hitPostgres', median(postgres));
  report('cpuAll', median(ratios(all, bareAll)), { us: all, bare_us: bareAll });
}

function difference(before: Record<string, number>, after: Record<string, number>, by: number): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, micros]) => [name, (micros - (before[name] ?? 0)) / by]));
}

/** The response of the service to one path, for the bare server to repeat: node:http adds the rest of the headers. */
export async function sameResponse(
  port: number,
  { host }: BenchWebsite,
  rules: number,
): Promise<{ port: number; response: BareResponse }> {
  const [head = '', body = ''] = (await exchange(port, host, pathOf(rules))).split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines
    .filter((line) => !/^(date|connection|keep-alive):/i.test(line))
    .flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
  return { port, response: { status: Number(statusLine.split(' ')[1]), headers, body } };
}

/** Throws unless both respond with the same bytes, except for the date and the id of the request. */
async function assertSameBytes(port: number, barePort: number, host: string, rules: number): Promise<void> {
  const [own, bare] = await Promise.all(
    [port, barePort].map(async (each) =>
      (await exchange(each, host, pathOf(rules)))
        .replace(/^(Date: ).*$/im, '$1')
        .replace(/^(X-Request-Id: ).*$/im, (line, name: string) => name + 'x'.repeat(line.length - name.length)),
    ),
  );
  if (own !== bare) throw new Error(`the bare server responds differently:\n${own}\n${bare}`);
}

const pathOf = (rules: number): string => benchRow(Math.floor(rules / 2)).oldPath;

async function exchange(port: number, host: string, path: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(visitorRequest(host, path, 1));
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return chunk.toString('latin1');
}
