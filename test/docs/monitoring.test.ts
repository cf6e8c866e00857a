/** Holds the dashboard and the alert rules against the metrics of docs/monitoring.md, which test/journeys compares. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const read = (file: string): string => readFileSync(join(DOCS, file), 'utf8');

const Dashboard = z.object({
  schemaVersion: z.int().min(39),
  templating: z.object({ list: z.array(z.object({ name: z.string() })) }),
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
    }),
  ),
});
const Rule = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+[smh]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string() }),
});
const Rules = z.strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule) })) });

const dashboard = Dashboard.parse(JSON.parse(read('monitoring/grafana.json')));
const rules = Rules.parse(parse(read('monitoring/alerts.yml'))).groups.flatMap((group) => group.rules);
const queries = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [`panel "${title}"`, expr] as const)),
  ...rules.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
];

/** Labels by documented metric, with the series of histograms. */
const documented = new Map<string, string[]>([['up', []]]);
for (const [, cell = '', meaning = ''] of read('monitoring.md').matchAll(/^\| (`[a-z][^|]+) \| (.+) \|$/gm)) {
  for (const [, name = '', labels = ''] of cell.matchAll(/`([a-z0-9_*]+)(?:\{([a-z,]+)\})?`/g)) {
    const series = meaning.startsWith('Histogram') ? ['_bucket', '_sum', '_count'] : [''];
    for (const suffix of series) documented.set(`${name}${suffix}`, [...labels.split(','), 'le', 'job', 'instance']);
  }
}
const labelsOf = (metric: string): string[] | undefined =>
  documented.get(metric) ??
  documented.get([...documented.keys()].find((one) => one.endsWith('*') && metric.startsWith(one.slice(0, -1))) ?? '');

/** The metrics of a query with the labels that it matches; throws if it is not PromQL. */
function selectorsOf(query: string): { metric: string; labels: string[] }[] {
  // Grafana's variables are not PromQL.
  const text = query.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'detour');
  const selectors: { metric: string; labels: string[] }[] = [];
  parser.parse(text).iterate({
    enter(node) {
      const part = text.slice(node.from, node.to);
      if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${text}`);
      if (node.name === 'VectorSelector') selectors.push({ metric: part.split('{')[0] ?? '', labels: [] });
      if (node.name === 'LabelName' && node.node.parent?.name === 'UnquotedLabelMatcher')
        selectors.at(-1)?.labels.push(part);
    },
  });
  return selectors;
}

describe('every query', () => {
  test.each(queries)('%s is PromQL and uses only documented metrics and labels', (_name, query) => {
    const selectors = selectorsOf(query);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, labels } of selectors) {
      expect([metric, labelsOf(metric)]).toEqual([metric, expect.any(Array)]);
      if (metric !== 'up') expect(labels.filter((label) => !labelsOf(metric)?.includes(label))).toEqual([]);
      expect(labels).toContain('job');
    }
  });

  test('of a broken query fails this test', () => {
    expect(() => selectorsOf('sum by (rate(detour_redirects_total[5m])')).toThrow('not PromQL');
  });
});

test('the dashboard has unique panels that do not overlap', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = new Set<string>();
  for (const { gridPos } of panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.has(`${x} ${y}`)).toBe(false);
        taken.add(`${x} ${y}`);
      }
    }
  }
  expect(Math.max(...[...taken].map((cell) => Number(cell.split(' ')[0])))).toBeLessThan(24);
});

test('alerts have unique names, and say what they mean and what to do', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  const silent = rules.filter(({ annotations }) => annotations.summary === '' || annotations.description === '');
  expect(silent.map(({ alert }) => alert)).toEqual([]);
  expect(rules.length).toBeGreaterThan(15);
});
