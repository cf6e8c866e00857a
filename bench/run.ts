/**
 * `npm run bench -- [rows] [repeats] [--only part,part] [--out file] [--costs]`: measures the rows of targets.ts (README.md).
 * Default: 1,000,000 rows, 3 repeats, all parts. Only such a run replaces results.json (unless `--out` is given) and the
 * costs in docs/scaling.md (any run with `--costs`). `npm run bench -- moves [folder]` measures the suggestions only,
 * `npm run bench -- millions [n]` n websites of 1,000,000 rules, `npm run bench -- compare [rules]` Detour beside other
 * servers.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureApi } from './api.ts';
import { cleanUp, cleanUpOnExit } from './cleanup.ts';
import { compare } from './compare/run.ts';
import { type Bench, createBench, query } from './context.ts';
import { writeCosts } from './costs.ts';
import { measureEdits } from './edits.ts';
import { measureExpectations } from './expectations.ts';
import { measureExport } from './export.ts';
import { measureFeed } from './feed.ts';
import { measureHits } from './hits.ts';
import { measureImports } from './import.ts';
import { measureLogs } from './logs.ts';
import { measureMemory } from './memory.ts';
import { benchMillions } from './millions.ts';
import { benchMoves } from './moves.ts';
import { measureOverview } from './overview.ts';
import { measurePatterns } from './patterns.ts';
import { completePart, finish } from './report.ts';
import { measureRollbacks } from './rollback.ts';
import { measureServing } from './serving.ts';
import { soak } from './soak.ts';
import { measureStarts } from './start.ts';
import { measureSyncs } from './sync.ts';
import { measureUndo } from './undo.ts';
import { measureUrls } from './urls.ts';
import { measureVersions } from './versions.ts';
import { measureVisitors } from './visitors.ts';
import { measureWebhooks } from './webhooks.ts';

const DEFAULT_ROWS = 1_000_000;

/** In this order: later parts use the website that `visitors` leaves. */
const PARTS: Record<string, (bench: Bench) => Promise<void> | void> = {
  memory: measureMemory,
  import: measureImports,
  sync: measureSyncs,
  visitors: measureVisitors,
  export: measureExport,
  feed: measureFeed,
  edits: measureEdits,
  start: measureStarts,
  serving: measureServing,
  hits: measureHits,
  patterns: measurePatterns,
  api: measureApi,
  versions: measureVersions,
  webhooks: measureWebhooks,
  rollback: measureRollbacks,
  // Last: vacuum of its ten million rows takes a while.
  overview: measureOverview,
  undo: measureUndo,
  expectations: measureExpectations,
  urls: measureUrls,
  logs: measureLogs,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, out: { type: 'string' }, costs: { type: 'boolean' } },
});
if (positionals[0] === 'soak') {
  cleanUpOnExit();
  const isGood = await soak(Number(positionals[1] ?? 30));
  await cleanUp();
  process.exit(isGood ? 0 : 1);
}
if (positionals[0] === 'moves') {
  await benchMoves(positionals[1]);
  process.exit(0);
}
if (positionals[0] === 'millions') {
  cleanUpOnExit();
  await benchMillions(Number(positionals[1] ?? 10));
  await cleanUp();
  process.exit(0);
}
if (positionals[0] === 'compare') {
  cleanUpOnExit();
  await compare(positionals[1] === undefined ? undefined : Number(positionals[1]), values.out);
  await cleanUp();
  process.exit(0);
}
const [rows = DEFAULT_ROWS, repeats = 3] = positionals.map(Number);
const parts = values.only?.split(',') ?? Object.keys(PARTS);
const unknown = parts.filter((part) => !Object.hasOwn(PARTS, part));
if (unknown.length > 0 || !(rows >= 1_000) || !(repeats >= 1)) {
  console.error(`usage: npm run bench -- [rows, at least 1000] [repeats] [--only ${Object.keys(PARTS).join(',')}]`);
  process.exit(1);
}

const unlessInterrupted = cleanUpOnExit();
const startedAt = performance.now();
const bench = createBench(rows, repeats);
const postgres = await query((await bench.service()).databaseUrl, async (client) => {
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  return rows[0]?.server_version ?? '';
});
for (const [part, measure] of Object.entries(PARTS)) {
  if (!parts.includes(part)) continue;
  console.log(`\n${part}`);
  try {
    await measure(bench);
    await unlessInterrupted();
    completePart(part);
  } catch (error) {
    await unlessInterrupted();
    console.error(error);
    completePart(part, error);
  }
  await bench.stopOthers();
}
await cleanUp();
const results = finish({ rows, repeats, postgres, seconds: (performance.now() - startedAt) / 1_000 });
const isFull = values.only === undefined && rows >= DEFAULT_ROWS;
const file = values.out ?? (isFull ? join(import.meta.dirname, 'results.json') : undefined);
if (file !== undefined) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
if (isFull || values.costs) writeCosts(results);
process.exit(0);
