/** Compares docs/examples with what the service needs. test/soak runs the example of nginx. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { VERSION } from '../../src/platform/version.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(join(ROOT, 'docs', 'examples', name), 'utf8');

/** A stopping process exits within 10 s. */
const STOP_SECONDS = 10;
const VARIABLES = new Set(
  [...readFileSync(join(ROOT, 'src/platform/config/config.ts'), 'utf8').matchAll(/^ {2}([A-Z_]+):/gm)].map(
    ([, name]) => name,
  ),
);

describe('kubernetes.yaml', () => {
  const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal('http') }) });
  const Labels = z.record(z.string(), z.string());
  const Manifest = z.looseObject({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: z.object({ name: z.string() }),
  });
  const StatefulSet = z.object({
    spec: z.object({
      replicas: z.number(),
      selector: z.object({ matchLabels: Labels }),
      template: z.object({
        metadata: z.object({ labels: Labels }),
        spec: z.object({
          terminationGracePeriodSeconds: z.number(),
          containers: z.tuple([
            z.object({
              image: z.string(),
              livenessProbe: probe,
              readinessProbe: probe,
              lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) }),
              volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
            }),
          ]),
        }),
      }),
    }),
  });
  const documents = parseAllDocuments(read('kubernetes.yaml'));
  const objects = documents.map((document) => Manifest.parse(document.toJS()));
  const find = (kind: string): unknown => objects.find((object) => object.kind === kind);

  test('it is valid YAML and has each object once', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const kinds = ['ConfigMap', 'StatefulSet', 'Service', 'PodDisruptionBudget', 'Ingress'];
    expect(objects.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('the pods match the selectors, and the probes ask for what they are for', () => {
    const { spec } = StatefulSet.parse(find('StatefulSet'));
    const { selector } = z
      .object({ spec: z.object({ selector: z.object({ matchLabels: Labels }) }) })
      .parse(find('PodDisruptionBudget')).spec;
    const service = z.object({ spec: z.object({ selector: Labels }) }).parse(find('Service')).spec;
    const { labels } = spec.template.metadata;
    expect([spec.selector.matchLabels, selector.matchLabels, service.selector]).toEqual([labels, labels, labels]);
    expect(spec.replicas).toBeGreaterThan(1);
    const [container] = spec.template.spec.containers;
    expect(container.livenessProbe.httpGet.path).toBe('/health');
    expect(container.readinessProbe.httpGet.path).toBe('/ready');
    const pause = container.lifecycle.preStop.sleep.seconds;
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(pause + STOP_SECONDS);
    expect(container.image).toMatch(new RegExp(`:${VERSION}$`));
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp']);
  });

  test('every variable that it sets or names exists', () => {
    const { data } = z.object({ data: Labels }).parse(find('ConfigMap'));
    const named = [...read('kubernetes.yaml').matchAll(/--from-literal=([A-Z_]+)=/g)].map(([, name]) => name);
    const unknown = [...Object.keys(data), ...named].filter((name) => !VARIABLES.has(name));
    expect(unknown).toEqual([]);
    expect(named).toContain('SECRET_KEY');
  });
});

describe('detour.service', () => {
  const unit = read('detour.service');
  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  test('it starts a file that exists, with time to stop, on a closed folder', () => {
    const [program, file = ''] = setting('ExecStart').split(' ');
    expect(program).toBe(`${setting('WorkingDirectory')}/node_modules/.bin/node`);
    expect(existsSync(join(ROOT, file))).toBe(true);
    expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(STOP_SECONDS);
    expect(setting('Environment')).toContain(`DATA_DIR=/var/lib/${setting('StateDirectory')}`);
    expect(setting('StateDirectoryMode')).toBe('0700');
  });
});
