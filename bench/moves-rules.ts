/**
 * The rules that random decisions show, on the lists of moves in a folder: `windows-driver-docs.csv` and
 * `moves/*.csv.gz`. Ten draws for each list and number of decisions.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { canonicalPath } from '../src/resolver/spelling/canonical-path.ts';
import { followRules } from '../src/suggestions/rules/effect.ts';
import { learnRules } from '../src/suggestions/rules/learn-rules.ts';
import { median } from './statistics.ts';

const WEBSITE = { caseSensitive: true, trailingSlash: 'ignore', query: 'pass' } as const;
const DRAWS = 10;
const DECISIONS = [20, 50, 200];

interface Move {
  name: string;
  /** the old URL, and the target that the editors chose; empty: gone */
  rows: [url: string, target: string][];
  candidates: Set<string>;
  living: string[];
}

interface Draws {
  list: string;
  decisions: number;
  /** share of all rows that the rules cover, and of the covered ones that are right */
  median: number;
  worst: number;
  precision: number;
  rules: number;
  ms: number;
}

/** Without fragment and final slash, as targets are compared. */
const comparable = (target: string): string =>
  target
    .trim()
    .replace(/#.*$/, '')
    .replace(/(?<=.)\/$/, '');

function readList(folder: string, file: string): Record<string, string>[] {
  const bytes = readFileSync(join(folder, file));
  return parse<Record<string, string>>(file.endsWith('.gz') ? gunzipSync(bytes) : bytes, { columns: true });
}

function readMoves(folder: string): Move[] {
  const moveOf = (name: string, old: Record<string, string>[], living: string[], targets: string[] = []): Move => {
    const rows = new Map<string, string>();
    for (const row of old) {
      const url = canonicalPath((row.url ?? row.old_path ?? '').replace(/^https?:\/\/[^/]*/, ''));
      if (!rows.has(url)) rows.set(url, (row.target ?? row.new_path ?? '').trim());
    }
    return { name, rows: [...rows], candidates: new Set([...living, ...targets].map(comparable)), living };
  };
  const livingOf = (file: string): string[] => readList(folder, `moves/${file}.csv.gz`).map(({ url }) => url ?? '');
  const docs = readList(folder, 'windows-driver-docs.csv');
  const government = livingOf('govuk-living');
  return [
    moveOf(
      'windows-driver-docs',
      docs,
      [],
      docs.map(({ new_path }) => new_path ?? ''),
    ),
    moveOf('mdn', readList(folder, 'moves/mdn-old.csv.gz'), livingOf('mdn-living')),
    moveOf('windows-driver', readList(folder, 'moves/windows-driver-old.csv.gz'), livingOf('windows-driver-living')),
    { ...moveOf('dfid', readList(folder, 'moves/govuk-dfid-old.csv.gz'), government), living: [] },
    { ...moveOf('treasury', readList(folder, 'moves/govuk-treasury-old.csv.gz'), government), living: [] },
  ];
}

/** The rows in an order that depends on the seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  let state = seed;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

async function draw({ rows, candidates, living }: Move, decisions: number, seed: number) {
  const order = shuffled(rows, seed);
  const undecided = order.slice(decisions);
  const startedAt = performance.now();
  const rules = await learnRules({
    decided: order.slice(0, decisions).map(([url, target]) => ({
      url,
      decision: target === '' ? ('gone' as const) : ('redirect' as const),
      target: target === '' ? null : target,
    })),
    undecided: undecided.map(([url]) => url),
    living,
    isCandidate: (target) => candidates.has(comparable(target)),
    website: WEBSITE,
  });
  const ms = performance.now() - startedAt;
  const follow = followRules(rules, WEBSITE);
  const covered = undecided.flatMap(([url, target]) => {
    const location = follow(url);
    return location === null ? [] : [comparable(location) === comparable(target)];
  });
  const right = covered.filter(Boolean).length;
  return {
    coverage: covered.length / rows.length,
    precision: covered.length === 0 ? 1 : right / covered.length,
    rules: rules.length,
    ms,
  };
}

/** Returns the figures of ten draws for each list of the folder and 20, 50 and 200 decisions. */
async function measureMoveRules(folder: string): Promise<Draws[]> {
  const results: Draws[] = [];
  for (const move of readMoves(folder)) {
    for (const decisions of DECISIONS) {
      const draws = [];
      for (let seed = 1; seed <= DRAWS; seed++) draws.push(await draw(move, decisions, seed));
      results.push({
        list: move.name,
        decisions,
        median: median(draws.map(({ coverage }) => coverage)),
        worst: Math.min(...draws.map(({ coverage }) => coverage)),
        precision: Math.min(...draws.map(({ precision }) => precision)),
        rules: median(draws.map(({ rules }) => rules)),
        ms: median(draws.map(({ ms }) => ms)),
      });
    }
  }
  return results;
}

/** Prints the table of `measureMoveRules`. */
export async function benchMoveRules(folder: string): Promise<void> {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  console.log(
    '\n| List | Decisions | Covered, median | Worst draw | Lowest precision | Rules | ms |\n|---|---|---|---|---|---|---|',
  );
  for (const { list, decisions, median: middle, worst, precision, rules, ms } of await measureMoveRules(folder)) {
    const lowest = `${(precision * 100).toFixed(2)} %`;
    const cells = [list, decisions, percent(middle), percent(worst), lowest, rules, Math.round(ms)];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
