/** `npm run bench -- compare [rules]`: Detour side by side with other servers (docs/benchmarks.md). */
import { execFile } from 'node:child_process';
import { createWriteStream, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../cleanup.ts';
import { visit } from '../client.ts';
import { createBench } from '../context.ts';
import { treePss } from '../proc.ts';
import { commit, machine } from '../report.ts';
import { benchRow } from '../rows.ts';
import { type Contender, isInstalled, LOAD_CORE, ownPath, startServer } from './contender.ts';
import { startBare, startDetour } from './detour.ts';
import { pathList } from './rule-files.ts';
import { SERVERS } from './servers.ts';
import { type Absent, type Comparison, type Measured, tableOf, writePage } from './table.ts';

const DEFAULT_RULES = 1_000_000;
const ROUNDS = 5;
const ROUND_SECONDS = 3;
const CONNECTIONS = 64;
const CHECKED = 100;
const EDITS = 3;
/** Detour, the first, writes its hits after a round. */
const SETTLE_MS = 3_000;

interface WrkResult {
  requests: number;
  us: number;
  p50: number;
  p99: number;
  errors: number;
}

/** Prints the table. A run with at least 1,000,000 rules replaces bench/results/compare.json and the documented table. */
export async function compare(rules = DEFAULT_RULES, out?: string): Promise<void> {
  const missing = ['wrk', 'taskset'].filter((program) => !isInstalled(program));
  if (missing.length > 0 || cpus().length < 2 || !(rules >= 1_000))
    throw new Error(`compare needs wrk, taskset, two cores and at least 1,000 rules (missing: ${missing.join(', ')})`);
  const before = loadavg()[0] ?? 0;
  const absent: Absent[] = [];
  const contenders = await startAll(rules, absent);
  const paths = join(temporaryFolder(), 'paths');
  await pipeline(Readable.from(pathList({ count: rules, generation: 0 })), createWriteStream(paths));
  for (const each of contenders) await assertCorrect(each);
  const rounds = new Map(contenders.map((each) => [each.name, [] as WrkResult[]]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const each of contenders) {
      const result = await load(each, paths, round);
      if (each === contenders[0]) await pause(SETTLE_MS);
      // Round 0 is the warm-up.
      if (round > 0) rounds.get(each.name)?.push(result);
    }
  }
  const after = loadavg()[0] ?? 0;
  const results: Measured[] = [];
  for (const each of contenders) results.push(await measured(each, rounds.get(each.name) ?? []));
  const comparison: Comparison = {
    ...{ date: new Date().toISOString(), commit: commit(), machine: machine(), load_average: [before, after], rules },
    ...{ rounds: ROUNDS, seconds_per_round: ROUND_SECONDS, connections: CONNECTIONS },
    results: [...results, ...absent],
  };
  console.log(`\n${tableOf(comparison)}`);
  const isFull = rules >= DEFAULT_RULES;
  const file = out ?? (isFull ? join(import.meta.dirname, '..', 'results', 'compare.json') : undefined);
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(comparison, null, 2)}\n`);
  if (isFull) writePage(comparison);
}

async function startAll(rules: number, absent: Absent[]): Promise<Contender[]> {
  const detour = await startDetour(createBench(rules, 1), commit());
  const contenders = [detour, await startBare(detour)];
  for (const spec of SERVERS) {
    if (!isInstalled(spec.program)) {
      absent.push({ name: spec.name, reason: `not installed: apt-get install ${spec.install}` });
      continue;
    }
    try {
      contenders.push(await startServer(spec, rules));
      console.log(`${spec.name}: started`);
    } catch (error) {
      console.error(error);
      absent.push({ name: spec.name, reason: `failed: ${String(error).split('\n')[0]}` });
    }
  }
  return contenders;
}

/** Throws unless random rules have the right status and Location. The bare server has one response. */
async function assertCorrect({ name, port, host, count, edit }: Contender): Promise<void> {
  if (!edit) return;
  for (let checked = 0; checked < CHECKED; checked++) {
    const { oldPath, newPath, status } = benchRow(Math.floor(Math.random() * count));
    const response = await visit(`http://127.0.0.1:${port}`, host, oldPath);
    if (response.status !== status || ownPath(response.location) !== newPath)
      throw new Error(`${name}: ${oldPath} has ${response.status} ${response.location}, not ${status} ${newPath}`);
  }
  const unknown = await visit(`http://127.0.0.1:${port}`, host, '/no/such/rule');
  if (unknown.status !== 404) throw new Error(`${name}: a path without a rule has ${unknown.status}, not 404`);
}

/** One round of wrk. The seed is that of the round, so that each server gets the same requests. */
async function load({ name, port, host, count }: Contender, paths: string, round: number): Promise<WrkResult> {
  const script = join(import.meta.dirname, 'requests.lua');
  const wrk = `wrk -t1 -c${CONNECTIONS} -d${ROUND_SECONDS}s --latency -s`.split(' ');
  const seed = String(round + 1);
  const args = [script, `http://127.0.0.1:${port}/`, '--', paths, String(count), host, seed];
  const { stdout } = await promisify(execFile)('taskset', ['-c', String(LOAD_CORE), ...wrk, ...args]);
  const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as WrkResult;
  if (result.errors > 0) throw new Error(`${name}: ${result.errors} requests failed`);
  console.log(`round ${round}  ${name.padEnd(36)} ${Math.round((result.requests / result.us) * 1e6)} requests/s`);
  return result;
}

async function measured(contender: Contender, rounds: WrkResult[]): Promise<Measured> {
  const { name, version, count, startSeconds, edit, pid } = contender;
  const pss = treePss(pid) / 1e6;
  const edits: number[] = [];
  for (let generation = 1; edit && generation <= EDITS; generation++) edits.push(await edit(generation));
  return {
    ...{ name, version, count, start_seconds: startSeconds, pss_mb: pss, edit_seconds: edits },
    requests_per_second: rounds.map(({ requests, us }) => (requests / us) * 1e6),
    p50_ms: rounds.map(({ p50 }) => p50 / 1_000),
    p99_ms: rounds.map(({ p99 }) => p99 / 1_000),
  };
}
