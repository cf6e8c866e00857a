/** Renders charts/detour with Helm's template language, and checks the objects against the types of Kubernetes 1.30. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'detour-chart-'));
const PROGRAM = join(folder, 'render');
beforeAll(() => {
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(folder, 'cache') };
  execFileSync('go', ['build', '-o', PROGRAM, join(import.meta.dirname, 'render.go')], { env });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const Labels = z.record(z.string(), z.string());
const Manifest = z.looseObject({ apiVersion: z.string(), kind: z.string(), spec: z.looseObject({}).optional() });
type Manifest = z.infer<typeof Manifest>;
const manifests = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => Manifest.safeParse(document.toJS()).data)
    .filter((manifest) => manifest !== undefined);

/** The objects of the chart, and its notes. */
function render(values: object, release = 'detour'): { objects: Manifest[]; notes: string } {
  const input = JSON.stringify({ chart: join(ROOT, 'charts', 'detour'), release, values });
  const text = execFileSync(PROGRAM, { input, encoding: 'utf8' });
  return {
    objects: manifests(text.slice(text.indexOf('---\n# Source: configmap'))),
    notes: text.split('\n---\n')[0] ?? '',
  };
}

const SMALL = {
  image: { repository: 'registry.example.com/detour' },
  config: { PUBLIC_URL: 'https://detour.example.com' },
};
const FULL = {
  image: {
    repository: 'r/detour',
    digest: `sha256:${'0'.repeat(64)}`,
    pullPolicy: 'Always',
    pullSecrets: [{ name: 'r' }],
  },
  replicas: 1,
  config: { ...SMALL.config, DETOUR_ROLE: 'edge', MAIL_FROM: 'Detour "x" <a@b.example>' },
  service: { type: 'LoadBalancer', annotations: { a: 'b' } },
  ingress: {
    className: 'nginx',
    hosts: ['*.example.com', 'detour.example.com'],
    tls: [{ hosts: ['x'], secretName: 's' }],
  },
  persistence: { storageClassName: 'fast' },
  podAnnotations: { 'prometheus.io/scrape': 'true' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'edge', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
};

/** Which module of the types has a version of the API. */
const MODULES: Record<string, string> = {
  v1: 'kubernetes-types/core/v1',
  'apps/v1': 'kubernetes-types/apps/v1',
  'policy/v1': 'kubernetes-types/policy/v1',
  'networking.k8s.io/v1': 'kubernetes-types/networking/v1',
};

/** The errors of the compiler, which refuses unknown and missing fields and values of another type. */
function typeErrors(objects: Manifest[]): string {
  const lines = objects.map((object, index) => {
    return `export const o${index}: import('${MODULES[object.apiVersion]}').${object.kind} = ${JSON.stringify(object)};`;
  });
  writeFileSync(join(folder, 'objects.ts'), lines.join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', 'objects.ts'];
  try {
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options], { cwd: folder });
    return '';
  } catch (error) {
    return String(z.object({ stdout: z.instanceof(Buffer) }).parse(error).stdout);
  }
}

test('every object has the fields and types of Kubernetes, with few values and with all', () => {
  const few = render(SMALL).objects;
  const all = render(FULL, 'europe').objects;
  expect(few.map(({ kind }) => kind)).toEqual([
    'ConfigMap',
    'PodDisruptionBudget',
    'Ingress',
    'Service',
    'StatefulSet',
  ]);
  expect(typeErrors([...few, ...all])).toBe('');
  const wrong = few.map((object) => (object.kind === 'StatefulSet' ? { ...object, spec: { replica: 3 } } : object));
  expect(typeErrors(wrong)).toMatch(/replica.* does not exist in type 'StatefulSetSpec'/);
}, 60_000);

test('its pods are those of docs/examples/kubernetes.yaml', () => {
  const pods = (objects: Manifest[]) =>
    z
      .object({
        spec: z.object({
          template: z.object({ spec: z.looseObject({ topologySpreadConstraints: z.array(z.looseObject({})) }) }),
        }),
      })
      .parse(objects.find(({ kind }) => kind === 'StatefulSet')).spec.template.spec;
  const example = pods(manifests(readFileSync(join(ROOT, 'docs/examples/kubernetes.yaml'), 'utf8')));
  const chart = pods(render(SMALL).objects);
  const withoutLabels = ({ topologySpreadConstraints, ...pod }: typeof chart) => ({
    ...pod,
    topologySpreadConstraints: topologySpreadConstraints.map(({ labelSelector: _, ...rest }) => rest),
  });
  const [container] = z.tuple([z.looseObject({})]).parse(chart.containers);
  const { imagePullPolicy: _, ...rest } = container;
  expect(withoutLabels({ ...chart, containers: [rest] })).toEqual(withoutLabels(example));
});

test('values reach the objects: variables, image, hosts once, one pod without a budget', () => {
  const { objects, notes } = render(FULL, 'europe');
  expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Ingress', 'Service', 'StatefulSet']);
  const [config, ingress, , set] = objects;
  expect(Labels.parse(config?.data)).toEqual({ ...FULL.config, DATA_DIR: '/data/detour', TRUST_PROXY: '1' });
  const hosts = z.object({ rules: z.array(z.object({ host: z.string() })) }).parse(ingress?.spec).rules;
  expect(hosts.map(({ host }) => host)).toEqual(['detour.example.com', '*.example.com']);
  expect(JSON.stringify(set)).toContain(`"image":"r/detour@${FULL.image.digest}"`);
  expect(objects.map((object) => z.object({ name: z.string() }).parse(object.metadata).name)).toEqual(
    Array(4).fill('europe-detour'),
  );
  expect(notes).toContain('statefulset/europe-detour');
  const restarted = render({ ...FULL, config: { ...FULL.config, SIGN_UP: 'open' } }, 'europe').objects[3];
  expect(JSON.stringify(restarted)).not.toBe(JSON.stringify(set));
});
