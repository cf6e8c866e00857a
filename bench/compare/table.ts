/** The table of docs/benchmarks.md, written from the results of a run, so that the page has no figure without a run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../statistics.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'benchmarks.md');
const BEGIN = '<!-- Written by `npm run bench -- compare`; do not edit. -->';
const END = '<!-- End of the comparison. -->';

export interface Measured {
  name: string;
  version: string;
  count: number;
  start_seconds: number;
  pss_mb: number;
  /** of each round */
  requests_per_second: number[];
  p50_ms: number[];
  p99_ms: number[];
  /** of each edit; none if the response is constant */
  edit_seconds: number[];
}

/** A server without figures, and the reason. */
export interface Absent {
  name: string;
  reason: string;
}

export interface Comparison {
  date: string;
  commit: string;
  machine: string;
  /** before the first server started, and after the last round */
  load_average: [number, number];
  rules: number;
  rounds: number;
  seconds_per_round: number;
  connections: number;
  results: (Measured | Absent)[];
}

export function tableOf({ results }: Comparison): string {
  const measured = results.filter((each) => 'count' in each).toSorted((a, b) => speed(b) - speed(a));
  const own = measured.find(({ name }) => name.startsWith('Detour'));
  const row = (each: Measured): string[] => [
    `${each.name} (${each.version})`,
    each.edit_seconds.length === 0 ? 'none' : each.count.toLocaleString('en'),
    Math.round(speed(each)).toLocaleString('en'),
    own ? (speed(each) / speed(own)).toFixed(2) : '-',
    figure(median(each.p50_ms)),
    figure(median(each.p99_ms)),
    figure(each.start_seconds),
    figure(median(each.edit_seconds)),
    String(Math.round(each.pss_mb)),
  ];
  const titles = ['Server', 'Rules', 'Requests/s', '/ Detour', 'p50, ms', 'p99, ms', 'Start, s', 'Edit, s', 'MB'];
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  const absent = results.filter((each) => 'reason' in each);
  return [
    line(titles),
    `|${'---|'.repeat(titles.length)}`,
    ...measured.map((each) => line(row(each))),
    ...absent.map(({ name, reason }) => line([name, reason, ...titles.slice(2).map(() => '-')])),
  ].join('\n');
}

const speed = ({ requests_per_second }: Measured): number => median(requests_per_second);

/** Two digits below ten. */
function figure(value: number): string {
  if (Number.isNaN(value)) return '-';
  return value >= 10 ? value.toFixed(0) : value.toFixed(value >= 0.1 ? 2 : 3);
}

export function writePage(comparison: Comparison): void {
  const { date, commit, machine, load_average: load, rules, rounds, seconds_per_round, connections } = comparison;
  const text = readFileSync(PAGE, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < 0) throw new Error(`${PAGE} has no place for the comparison`);
  const facts = `Measured on ${date.slice(0, 10)} with ${rules.toLocaleString('en')} rules (commit ${commit}): ${machine}.
Load average ${load[0].toFixed(2)} before the first start, ${load[1].toFixed(2)} after the last round; ${connections} connections;
median of ${rounds} rounds of ${seconds_per_round} s.`;
  writeFileSync(PAGE, `${text.slice(0, begin)}${BEGIN}\n\n${facts}\n\n${tableOf(comparison)}\n\n${text.slice(end)}`);
  console.log(`written to ${PAGE}`);
}
