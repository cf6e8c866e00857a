/** Deployments: waiting for them, and what to say about them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../vocabulary/environment.ts';
import { type Client } from './client.ts';
import { type Context, COUNT, isOn, text } from './command.ts';
import type { OptionSpec } from './options.ts';
import { ApiError, CommandError, type Exit, EXIT } from './errors.ts';
import { type Failure, failureLines } from './expectations.ts';
import { withProgress } from './progress.ts';

export interface Deployment {
  id: string;
  website_id: string;
  environment: Environment;
  kind: string;
  status: 'queued' | 'running' | 'completed' | 'failed';
  version: number | null;
  redirect_count: number | null;
  changes: { added: number; changed: number; removed: number } | null;
  warnings: { code: string; old_paths: string[] }[];
  created_at: string;
  deployed_at: string | null;
  error: string | null;
}

export const WAIT_OPTIONS: Record<string, OptionSpec> = {
  'no-wait': { help: 'Does not wait until the deployments are live.' },
  timeout: { value: 'SECONDS', form: COUNT, help: 'The longest wait for deployments. Default 600.' },
};

export const RESUME_OPTION: OptionSpec = {
  help: 'Deploys an environment also if a rollback or promotion holds it, and resumes its automatic deployments.',
};

/** Why a held environment is not deployed, and the option that deploys it. */
export const heldRefusal = (environment: string): string =>
  `${environment}: not deployed, because a rollback or promotion holds it; to publish the current redirects instead, add --resume`;

const DEFAULT_TIMEOUT_SECONDS = 600;
const FIRST_POLL_MS = 100;
const MAX_POLL_MS = 1_000;

/** Deployments at their end. `exit` is refused if the gate stopped one, and failed if one failed otherwise. */
export interface Deployed {
  exit: Exit;
  lines: string[];
  json: { deployments: Deployment[]; failures: Failure[] };
}

/** Waits for deployments, unless `--no-wait`. Throws a CommandError after `--timeout`. */
export async function followDeployments(context: Context, ids: string[]): Promise<Deployed> {
  const { client } = context;
  const timeout = Number(text(context, 'timeout') ?? DEFAULT_TIMEOUT_SECONDS);
  const result: Deployed = { exit: EXIT.done, lines: [], json: { deployments: [], failures: [] } };
  if (isOn(context, 'no-wait')) return result;
  const end = performance.now() + timeout * 1000;
  await withProgress(context.terminal.stderr, async (show) => {
    for (const id of ids) {
      show(`deploying ${id}`);
      const deployment = await waitForEnd(client, id, end, timeout);
      const failures = deployment.status === 'failed' ? await failuresOf(client, id) : [];
      result.json.deployments.push(deployment);
      result.json.failures.push(...failures);
      result.lines.push(...deploymentLines(deployment), ...failureLines(failures));
      if (failures.length > 0) result.exit = EXIT.refused;
      else if (deployment.status === 'failed' && result.exit === EXIT.done) result.exit = EXIT.failed;
    }
  });
  return result;
}

async function waitForEnd(client: Client, id: string, end: number, timeout: number): Promise<Deployment> {
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, MAX_POLL_MS)) {
    const { deployment } = await client.get<{ deployment: Deployment }>(`/deployments/${id}`);
    if (deployment.status === 'completed' || deployment.status === 'failed') return deployment;
    if (performance.now() > end) {
      throw new CommandError(
        `deployment ${id} is ${deployment.status} after ${timeout} s: wait, and look with \`detour status\``,
        { json: { error: 'The deployment takes longer than --timeout', deployments: [deployment] } },
      );
    }
    await sleep(pause);
  }
}

/** The expectations and URLs that stopped a deployment; none if it failed for another reason. */
async function failuresOf(client: Client, id: string): Promise<Failure[]> {
  try {
    return (await client.get<{ failures: Failure[] }>(`/deployments/${id}/failures`)).failures;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

function deploymentLines({ environment, status, version, redirect_count, changes, ...more }: Deployment): string[] {
  if (status === 'failed') return [`${environment}: the deployment failed: ${more.error ?? 'unknown reason'}`];
  const rules = (redirect_count ?? 0).toLocaleString('en');
  const counts = changes ? ` (${changes.added} added, ${changes.changed} changed, ${changes.removed} removed)` : '';
  return [
    `${environment}: version ${version} is live with ${rules} rules${counts}`,
    ...more.warnings.map(({ code, old_paths: paths }) => `  warning ${code}: ${paths.join(' -> ')}`),
  ];
}
