/** The table of figures of a run, each with its promise. */
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** the promised maximum (with `atLeast`: minimum) */
  promise?: number;
  atLeast?: boolean;
  note?: string;
}

const figures: Figure[] = [];

export function report(figure: Figure): void {
  figures.push(figure);
  console.log(line(figure));
}

export function median(values: number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

function verdict({ value, promise, atLeast }: Figure): string {
  if (promise === undefined) return '';
  const kept = atLeast ? value >= promise : value <= promise;
  return `${kept ? 'kept  ' : 'MISSED'} ${atLeast ? '>=' : '<='} ${promise}`;
}

function line(figure: Figure): string {
  const value = `${figure.value.toFixed(figure.value < 10 ? 2 : 1)} ${figure.unit}`;
  return `${figure.name.padEnd(68)} ${value.padStart(14)}  ${verdict(figure).padEnd(16)} ${figure.note ?? ''}`;
}

export function finish(rows: number): void {
  const missed = figures.filter((figure) => verdict(figure).startsWith('MISSED'));
  const machine = {
    node: process.version,
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
  };
  const results = { date: new Date().toISOString(), machine, rows, figures };
  writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
  console.log(`\n${figures.length} figures, ${missed.length} promises missed; written to bench/results.json`);
}
