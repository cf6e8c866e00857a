/** Writes the measured costs of a full run into docs/scaling.md, so that the page has no figure without a run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from './report.ts';
import { median } from './statistics.ts';
import type { RowId } from './targets.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'scaling.md');
const BEGIN = '<!-- Written by `npm run bench`; do not edit. -->';
const END = '<!-- End of the measured costs. -->';

interface Cost {
  name: string;
  row: RowId;
  unit: string;
}

/** A byte or a microsecond each is a megabyte or a second for a million. */
const MILLION: [title: string, costs: Cost[]][] = [
  [
    'A million rules',
    [
      { name: 'memory of each process', row: 'ruleRss', unit: 'MB' },
      { name: 'of it the rules themselves', row: 'ruleBytes', unit: 'MB' },
      { name: 'database', row: 'importDisk', unit: 'MB' },
    ],
  ],
  [
    'A million redirects with their hits',
    [
      { name: 'CPU of the main thread', row: 'hitMain', unit: 's' },
      { name: 'CPU of the other threads', row: 'hitThreads', unit: 's' },
      { name: 'CPU of PostgreSQL', row: 'hitPostgres', unit: 's' },
      { name: 'database, on the first day', row: 'hitsDisk', unit: 'MB' },
    ],
  ],
  [
    'A million deliveries',
    [
      { name: 'CPU of the service and PostgreSQL', row: 'deliveryCpu', unit: 's' },
      { name: 'database, until their retention ends', row: 'deliveryDisk', unit: 'MB' },
    ],
  ],
  ['A million API reads', [{ name: 'CPU of the service and PostgreSQL', row: 'apiCpu', unit: 's' }]],
];

/** Rows whose raw values have the seconds of each repeat. */
const TIMES: [name: string, row: RowId][] = [
  ['import', 'importNew'],
  ['import with deployment', 'importServed'],
  ['export', 'exportTime'],
  ['start from PostgreSQL', 'startDatabase'],
  ['start from the snapshot', 'startSnapshot'],
];

export function writeCosts(results: Results): void {
  const text = readFileSync(PAGE, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < 0) throw new Error(`${PAGE} has no place for the measured costs`);
  writeFileSync(PAGE, `${text.slice(0, begin)}${BEGIN}\n\n${costs(results)}\n\n${text.slice(end)}`);
  console.log(`written to ${PAGE}`);
}

function costs({ date, commit, machine, rows, results }: Results): string {
  const resultOf = (row: RowId) => results.find((result) => result.row === row);
  const lines = [
    `Measured on ${date.slice(0, 10)} with ${rows.toLocaleString('en')} rules (commit ${commit}):`,
    `${machine.cores} cores, ${machine.memory_gb} GB, Node.js ${machine.node.slice(1)}, PostgreSQL ${machine.postgres}.`,
    '',
    '| For | Cost | Measured |',
    '|---|---|---|',
  ];
  for (const [title, list] of MILLION) {
    for (const { name, row, unit } of list) {
      const value = resultOf(row)?.value;
      lines.push(`| ${title} | ${name} | ${value == null ? 'not measured' : `${Math.round(value)} ${unit}`} |`);
    }
  }
  for (const [name, row] of TIMES) {
    const raw = resultOf(row)?.raw?.['seconds'];
    const measured = Array.isArray(raw) ? `${median(raw).toFixed(1)} s` : 'not measured';
    lines.push(`| ${rows.toLocaleString('en')} rules | ${name} | ${measured} |`);
  }
  return lines.join('\n');
}
