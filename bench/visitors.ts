/** Latency of other requests, and event loop delay, during work on a large website. */
import { atEnd } from './cleanup.ts';
import { type Bench, type BenchWebsite, createWebsite, postBulk, until, untilServed } from './context.ts';
import { startBareServer } from './limits.ts';
import { type Latency, type Phase, type Probe, startProbe } from './probe.ts';
import { type Raw, report, reportFailure } from './report.ts';
import { benchRow, rowText } from './rows.ts';
import type { Service } from './service.ts';

const STEPS = ['import', 'deployment', 'export', 'health', 'loops', 'urlPush', 'urlCheck', 'matching'] as const;
/** Old addresses of a move, and pages that they may lead to. */
const MOVED = 100_000;
type Step = (typeof STEPS)[number];

/** Leaves a website with all rules live. */
export async function measureVisitors(bench: Bench): Promise<void> {
  const service = await bench.service();
  const file = (await bench.files()).ndjson(0);
  const website = await createWebsite(service, 'visited', false);
  const work = stepsOf(service, website, file, bench.rows);
  const bare = await startBareServer({ status: 200, headers: ['Content-Length', '0'], body: '' });
  const port = Number(new URL(service.address).port);
  const probe = await startProbe([
    { name: 'health', port, host: 'localhost', path: '/health', status: 200 },
    { name: 'redirect', port, host: 'demo.localhost', path: '/old-page', status: 301 },
    { name: 'bare node:http', port: bare.port, host: 'localhost', path: '/', status: 200, newOnly: true },
  ]);
  const stop = atEnd(() => probe.stop());
  try {
    await probe.endPhase();
    for (const step of STEPS) {
      try {
        await measureStep(service, probe, step, work[step]);
      } catch (error) {
        for (const row of ['P99', 'Max', 'DelayP99', 'DelayMax'] as const) reportFailure(`${step}${row}`, error);
        // Without rules, the others measure nothing.
        if (step === 'import' || step === 'deployment') throw error;
      }
      // Garbage and vacuum of one step are not the next one's.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  } finally {
    await stop();
    await bare.stop();
  }
  await service.call('PUT', `/api/websites/${website.id}`, JSON.stringify({ auto_deploy: true }));
  bench.keep(website);
}

async function measureStep(service: Service, probe: Probe, step: Step, work: () => Promise<unknown>): Promise<void> {
  await service.read('reset');
  await probe.endPhase();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1_000;
  const phase = await probe.endPhase();
  const { delayP99Ms, delayMaxMs } = await service.read('read');
  reportLatency(step, phase, seconds);
  report(`${step}DelayP99`, delayP99Ms);
  report(`${step}DelayMax`, delayMaxMs);
}

function stepsOf(
  service: Service,
  website: BenchWebsite,
  file: string,
  rows: number,
): Record<Step, () => Promise<unknown>> {
  const { id: website_id, host } = website;
  return {
    import: () => postBulk(service, website, file),
    async deployment() {
      await service.call('POST', '/api/deployments', JSON.stringify({ website_id, environment: 'production' }));
      await untilServed(service, host, benchRow(rows - 1).oldPath);
    },
    export: () => service.download(`/api/v1/redirects/bulk/export?website_id=${website_id}&format=json`),
    health: () => service.download(`/api/websites/${website_id}/health`),
    // Every rule is new in this environment, so every rule is checked for loops.
    loops: () => deployed(service, '/api/deployments/promote', { website_id, from: 'production', to: 'staging' }),
    urlPush: () => pushUrls(service, website_id, rows),
    urlCheck: () => service.keyCall('POST', `/api/v1/websites/${website_id}/urls/check`, '{}'),
    matching: () => match(service, Math.min(rows, MOVED)),
  };
}

/** Makes the first targets the living URLs of a website. */
async function pushUrls(service: Service, websiteId: number, count: number): Promise<void> {
  const list = [...rowText(count, ({ newPath }) => `${newPath}\n`)].join('');
  await service.keyCall('PUT', `/api/v1/websites/${websiteId}/urls/living`, list);
}

/** Creates a move of the first old paths to the first targets, and waits for its suggestions. */
async function match(service: Service, count: number): Promise<void> {
  const { id } = await createWebsite(service, 'moved', false);
  await pushUrls(service, id, count);
  const urls = Array.from({ length: count }, (_, row) => benchRow(row).oldPath);
  const start = performance.now();
  const moves = `/api/v1/websites/${id}/moves`;
  const body = JSON.stringify({ name: 'bench', from: { urls } });
  const { move } = await service.keyCall<{ move: { id: string } }>('POST', moves, body);
  await until(
    'the suggestions',
    async () => {
      const read = await service.keyCall<{ move: { state: string; error: string | null } }>(
        'GET',
        `${moves}/${move.id}`,
      );
      if (read.move.state === 'failed') throw new Error(`the move failed: ${read.move.error}`);
      return read.move.state === 'ready';
    },
    500,
  );
  report('moveMatch', (performance.now() - start) / 1_000);
}

/** The worst kind of connection counts. The bare server of the same ticks shows the share of the machine. */
function reportLatency(step: Step, { latencies, client, wrong }: Phase, seconds: number): void {
  const own = Object.entries(latencies).filter(([kind]) => !kind.startsWith('bare'));
  const worst = (key: 'p99' | 'max'): number => Math.max(...own.map(([, latency]) => latency[key]));
  const raw = (key: 'p99' | 'max'): Raw => ({
    seconds,
    ...Object.fromEntries(Object.entries(latencies).map(([kind, latency]) => [kind, latency[key]])),
    'client late': client[key],
  });
  const count = own.reduce((sum, [, latency]: [string, Latency]) => sum + latency.count, 0);
  if (wrong.length > 0) throw new Error(`${step}: wrong responses: ${wrong.join('; ')}`);
  report(`${step}P99`, worst('p99'), { requests: count, ...raw('p99') });
  report(`${step}Max`, worst('max'), raw('max'));
}

interface Answer {
  deployment: { id: string; status: string; version: number | null };
}

/** Queues a deployment and waits until it is completed. */
export async function deployed(service: Service, path: string, body: object): Promise<void> {
  const { deployment } = await service.call<Answer>('POST', path, JSON.stringify(body));
  const isCompleted = async (): Promise<boolean> => {
    const { status } = (await service.call<Answer>('GET', `/api/deployments/${deployment.id}`)).deployment;
    if (status === 'failed') throw new Error(`${path}: the deployment failed`);
    return status === 'completed';
  };
  await until(path, isCompleted, 20);
}
