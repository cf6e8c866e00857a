/** The results of a run: a line for each row of targets.ts, and results.json. */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { type RowId, rowsOf, type Target, TARGETS } from './targets.ts';

/** Raw values behind a figure, by name with unit. */
export type Raw = Record<string, number | number[] | string>;

export interface Result {
  row: RowId;
  name: string;
  unit: string;
  target: number | null;
  direction: 'at most' | 'at least';
  value: number | null;
  verdict: 'met' | 'MISSED' | 'FAILED' | 'not built yet' | 'no target';
  /** why there is no value */
  reason?: string;
  raw?: Raw;
}

const results = new Map<RowId, Result>();

/** Records and prints a measured row. */
export function report(id: RowId, value: number, raw: Raw = {}): void {
  const { target, atLeast }: Target = TARGETS[id];
  const isMet = target !== null && (atLeast ? value >= target : value <= target);
  const verdict = target === null ? 'no target' : isMet ? 'met' : 'MISSED';
  add({ ...resultOf(id), value, verdict: Number.isNaN(value) ? 'FAILED' : verdict, raw });
}

/** Records every row of a part that has no result yet: as not built, or as failed with the error. */
export function completePart(part: string, error?: unknown): void {
  for (const id of rowsOf(part)) {
    if (results.has(id)) continue;
    const { notBuilt }: Target = TARGETS[id];
    const reason = notBuilt ?? (error === undefined ? 'the part did not report it' : messageOf(error));
    add({ ...resultOf(id), value: null, verdict: notBuilt === undefined ? 'FAILED' : 'not built yet', reason });
  }
}

/** Records a row that cannot be measured, with the reason. */
export function reportFailure(id: RowId, reason: unknown): void {
  add({ ...resultOf(id), value: null, verdict: 'FAILED', reason: messageOf(reason) });
}

function resultOf(id: RowId): Pick<Result, 'row' | 'name' | 'unit' | 'target' | 'direction'> {
  const { name, unit, target, atLeast }: Target = TARGETS[id];
  return { row: id, name, unit, target, direction: atLeast ? 'at least' : 'at most' };
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}

function add(result: Result): void {
  results.set(result.row, result);
  const { name, unit, target, direction, value, verdict, reason, raw = {} } = result;
  const bound = target === null ? '' : `${direction === 'at least' ? '>=' : '<='} ${target}`;
  const shown = value === null ? '-' : `${rounded(value)} ${unit}`;
  const values = Object.entries(raw).map(([key, each]) => `${key} ${textOf(each)}`);
  const note = [...(reason === undefined ? [] : [reason]), ...values].join('; ');
  console.log(`${name.padEnd(72)} ${shown.padStart(10)}  ${`${verdict} ${bound}`.padEnd(16)} ${note}`);
}

function textOf(value: number | number[] | string): string {
  if (typeof value === 'string') return value;
  return [value].flat().map(rounded).join(' ');
}

function rounded(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 100 ? 2 : 0);
}

/** The results of a run with the facts of its machine: the content of results.json. */
export interface Results {
  date: string;
  commit: string;
  machine: { cores: number; cpu: string; memory_gb: number; node: string; postgres: string };
  rows: number;
  repeats: number;
  seconds: number;
  results: Result[];
}

/** Prints a summary, and returns the results. */
export function finish(run: { rows: number; repeats: number; postgres: string; seconds: number }): Results {
  const all = [...results.values()];
  const count = (verdict: Result['verdict']): number => all.filter((each) => each.verdict === verdict).length;
  const summary = `${all.length} rows: ${count('met')} met, ${count('MISSED')} missed, ${count('FAILED')} failed, ${count('not built yet')} not built yet, ${count('no target')} without target`;
  console.log(`\n${summary}; ${Math.round(run.seconds)} s`);
  const { postgres, ...rest } = run;
  const machine = {
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? '',
    memory_gb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgres,
  };
  return { date: new Date().toISOString(), commit: commit(), machine, ...rest, results: all };
}

/** The machine in words: cores, processor and memory. */
export const machine = (): string =>
  `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GB`;

/** The checked-out commit, with a note if `src` has changes. */
export function commit(): string {
  try {
    const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'src') === '' ? '' : ' with changes');
  } catch {
    return 'unknown';
  }
}
