/** `npm run bench -- moves [folder]`: quality and speed of the suggestions of src/suggestions. */
import { join } from 'node:path';
import { buildIndex } from '../src/suggestions/build-candidates.ts';
import type { CandidateIndex } from '../src/suggestions/candidates.ts';
import type { Page } from '../src/suggestions/page-words.ts';
import { suggestFor, type Suggested } from '../src/suggestions/suggest.ts';
import { benchMoveRules } from './moves-rules.ts';
import { canonical, isFitted, type MoveList, type OldPage, readMoves, withoutTargets } from './moves-data.ts';

interface Counts {
  rows: number;
  sure: number;
  sureRight: number;
  accepted: number;
  acceptedRight: number;
  amongTen: number;
}

/** Prints the table of docs/moves.md, over the rows that the weights have not seen, and the speeds. */
export async function benchMoves(folder = process.env.MOVES_DATA ?? '../shared/data/moves'): Promise<void> {
  const lists = readMoves(folder);
  console.log(
    '| List | Rows | Coverage | `likely` and above right | `sure` right | Among the ten | Abstains: target removed | Abstains: gone |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  for (const list of lists) console.log(`| ${(await qualityOf(list)).join(' | ')} |`);
  await measureSpeed(lists);
  await benchMoveRules(join(folder, '..'));
}

async function qualityOf(list: MoveList): Promise<string[]> {
  const index = await buildIndex(list.living);
  const unseen = list.old.filter(({ url }) => !isFitted(url));
  const moved = count(
    index,
    unseen.filter(({ target }) => target !== ''),
  );
  const gone = count(
    index,
    unseen.filter(({ target }) => target === ''),
  );
  const without = withoutTargets(list);
  const removed = count(
    await buildIndex(without.living),
    without.old.filter(({ url }) => !isFitted(url)),
  );
  return [
    list.name,
    String(moved.rows),
    share(moved.accepted, moved.rows),
    share(moved.acceptedRight, moved.accepted),
    share(moved.sureRight, moved.sure),
    share(moved.amongTen, moved.rows),
    share(removed.rows - removed.accepted, removed.rows),
    share(gone.rows - gone.accepted, gone.rows),
  ];
}

function count(index: CandidateIndex, rows: readonly OldPage[]): Counts {
  const counts: Counts = { rows: rows.length, sure: 0, sureRight: 0, accepted: 0, acceptedRight: 0, amongTen: 0 };
  for (const row of rows) {
    const { confidence, suggestions } = suggestFor(index, row);
    const target = canonical(row.target);
    const right = suggestions.findIndex((one) => canonical(one.target) === target);
    if (right >= 0) counts.amongTen++;
    if (!isAccepted(confidence)) continue;
    counts.accepted++;
    if (right === 0) counts.acceptedRight++;
    if (confidence !== 'sure') continue;
    counts.sure++;
    if (right === 0) counts.sureRight++;
  }
  return counts;
}

const isAccepted = (confidence: Suggested['confidence']): boolean => confidence === 'sure' || confidence === 'likely';

/** A share in percent with its 95 % interval (Wilson). */
function share(part: number, whole: number): string {
  if (whole === 0) return 'none';
  const z = 1.96;
  const p = part / whole;
  const centre = p + z ** 2 / (2 * whole);
  const margin = z * Math.sqrt((p * (1 - p)) / whole + z ** 2 / (4 * whole ** 2));
  const [low, high] = [centre - margin, centre + margin].map((bound) => percent(bound / (1 + z ** 2 / whole)));
  return `${percent(p)} % (${low} to ${high}; ${part} of ${whole})`;
}

const percent = (value: number): string => (100 * value).toFixed(1);

const MANY = 1_000_000;
const BULK = 100_000;

/** Real pages, repeated in other folders and with other names until there are enough. */
function* pages(lists: readonly MoveList[], wanted: number, withTitles: boolean): Generator<Page> {
  for (let round = 0, left = wanted; ; round++)
    for (const { living } of lists.slice(1, 3))
      for (const page of living) {
        if (left-- === 0) return;
        const url = round === 0 ? page.url : `/part-${round}${page.url}-${round * 7_919}`;
        yield withTitles ? { ...page, url } : { url };
      }
}

async function measureSpeed(lists: readonly MoveList[]): Promise<void> {
  const bulk = await timed(() => buildIndex(pages(lists, BULK, true)));
  const old = lists.flatMap((list) => list.old);
  const matching = await timed(async () => {
    for (let i = 0; i < BULK; i++) suggestFor(bulk.result, old[i % old.length] ?? { url: '/' });
  });
  const rss = process.memoryUsage().rss / 2 ** 20;
  console.log(
    `\n100,000 pages against 100,000 candidates: ${(bulk.seconds + matching.seconds).toFixed(1)} s (at most 60), ${(bulk.cpu + matching.cpu).toFixed(1)} s of CPU`,
  );
  console.log(`resident memory: ${rss.toFixed(0)} MiB (at most 1024)`);
  const many = await timed(() => buildIndex(pages(lists, MANY, false)));
  const size = many.result.bytes / 2 ** 20;
  console.log(
    `index of 1,000,000 paths: ${many.seconds.toFixed(1)} s (at most 10), ${many.cpu.toFixed(1)} s of CPU, ${size.toFixed(0)} MiB (at most 256)`,
  );
  const times: number[] = [];
  for (const page of old.slice(0, 2_000)) {
    const start = performance.now();
    suggestFor(many.result, page);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (part: number): string => (times[Math.floor(part * (times.length - 1))] ?? 0).toFixed(1);
  console.log(
    `one path against 1,000,000: median ${at(0.5)} ms, p99 ${at(0.99)} ms, greatest ${at(1)} ms (at most 50)`,
  );
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number; cpu: number }> {
  const [start, used] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(used);
  return { result, seconds: (performance.now() - start) / 1_000, cpu: (user + system) / 1e6 };
}
