/** The files and the table of `npm run bench -- compare`, without the servers. */
import { expect, test } from 'vitest';
import { CHANGED, exported, nginxMaps, statusMap, varnishRoutines } from '../../bench/compare/rule-files.ts';
import { type Comparison, tableOf } from '../../bench/compare/table.ts';
import { benchRow } from '../../bench/rows.ts';

const WRITERS = {
  nginxMaps,
  statusMap,
  varnishRoutines,
  nginx: (rules: Parameters<typeof exported>[0]) => exported(rules, 'nginx'),
  apache: (rules: Parameters<typeof exported>[0]) => exported(rules, 'apache'),
  caddy: (rules: Parameters<typeof exported>[0]) => exported(rules, 'caddy'),
};

// Over one chunk of 64 KB.
const COUNT = 2_000;

test.each(Object.entries(WRITERS))('%s writes each rule once, and changes one target only', (_name, write) => {
  const original = [...write({ count: COUNT, generation: 0 })].join('').split('\n');
  const changed = [...write({ count: COUNT, generation: 2 })].join('').split('\n');
  for (const index of [0, CHANGED, COUNT - 1]) {
    const { newPath } = benchRow(index);
    expect(original.filter((line) => line.includes(newPath))).toHaveLength(1);
  }
  const differences = changed.filter((line, at) => line !== original[at]);
  expect(changed).toHaveLength(original.length);
  expect(differences).toEqual([expect.stringContaining(benchRow(CHANGED, 2).newPath)]);
});

test('the table sorts by speed, compares with Detour, and says why a server has no figures', () => {
  const measured = (name: string, speed: number, edits: number[]) => ({
    ...{ name, version: '1.0', count: 1_000, start_seconds: 0.02, pss_mb: 99.6, edit_seconds: edits },
    ...{ requests_per_second: [speed, 1, 2 * speed], p50_ms: [0.5], p99_ms: [12] },
  });
  const results = [
    measured('Detour', 20_000, [0.2, 0.004, 0.1]),
    measured('other', 30_000, []),
    { name: 'absent', reason: 'not installed: apt-get install absent' },
  ];
  expect(
    tableOf({ results } as unknown as Comparison)
      .split('\n')
      .slice(2),
  ).toEqual([
    '| other (1.0) | none | 30,000 | 1.50 | 0.50 | 12 | 0.020 | - | 100 |',
    '| Detour (1.0) | 1,000 | 20,000 | 1.00 | 0.50 | 12 | 0.020 | 0.10 | 100 |',
    '| absent | not installed: apt-get install absent | - | - | - | - | - | - | - |',
  ]);
});
