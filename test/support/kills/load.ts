/** Clients that write, import, deploy and promote while processes are killed, and record what they were told. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, TestAccount } from '../detour.ts';
import { until } from '../wait.ts';
import type { Model } from './model.ts';

const PACE = { pauseMs: 25, maxRows: 1_500 };

export interface LoadPlan {
  owner: Pick<TestAccount, 'call' | 'keyCall'>;
  model: Model;
  random: () => number;
  /** pause of each client between two calls, and rows of an import; default: PACE */
  pace?: typeof PACE;
  /** of single writes, which deploy automatically */
  writes: number;
  /** of imports */
  imports: number;
  /** without automatic deployments */
  explicit: { id: number; host: string };
  promoted: { id: number; host: string };
  /** the target of a path of a host, through nginx */
  locate(host: string, path: string): Promise<string | undefined>;
}

export interface Load {
  stop(): Promise<void>;
}

/** Starts all clients. Each repeats its work until stop(), which waits for its last response. */
export function startLoad(plan: LoadPlan): Load {
  let isOn = true;
  const repeat = async (work: (turn: number) => Promise<void>): Promise<void> => {
    for (let turn = 0; isOn; turn++) {
      await work(turn);
      await pause((plan.pace ?? PACE).pauseMs);
    }
  };
  const clients = [
    ...[0, 1, 2].map((name) => repeat(createWriter(plan, `w${name}`))),
    repeat((turn) => importRows(plan, turn, 'csv')),
    repeat((turn) => importRows(plan, turn, 'json')),
    repeat((turn) => deployOnce(plan, turn)),
    repeat((turn) => promoteOnce(plan, turn, () => isOn)),
  ];
  return {
    async stop() {
      isOn = false;
      await Promise.all(clients);
    },
  };
}

interface Body {
  code?: string;
  redirect?: { id: number };
  deployment?: { id: string };
}

const lost = (): undefined => undefined;
const call = ({ owner }: LoadPlan, method: string, path: string, body?: unknown): Promise<Answer<Body> | undefined> =>
  owner.call<Body>(method, path, body).catch(lost);

/** Creates, changes and deletes its own redirects. Leaves those alone whose state it does not know. */
function createWriter(plan: LoadPlan, name: string): (turn: number) => Promise<void> {
  const { model, random } = plan;
  const own: { path: string; id: number; target: string }[] = [];

  async function create(turn: number): Promise<void> {
    const [path, target] = [`/${name}-${turn}`, `/to-${name}-${turn}`];
    const body = { website_id: plan.writes, old_path: path, new_path: target };
    const answer = await call(plan, 'POST', '/api/redirects', body);
    const fate = model.fateOf('create', answer);
    if (fate === 'unknown') model.paths.set(path, [undefined, target]);
    if (fate !== 'done') return;
    model.paths.set(path, [target]);
    model.created.push(path);
    own.push({ path, target, id: answer?.body.redirect?.id ?? 0 });
  }

  async function update(at: number, turn: number): Promise<void> {
    const redirect = own[at];
    if (!redirect) return;
    const target = `/changed-${name}-${turn}`;
    const answer = await call(plan, 'PUT', `/api/redirects/${redirect.id}`, { new_path: target });
    const fate = model.fateOf('update', answer);
    if (fate === 'rejected') return;
    model.paths.set(redirect.path, fate === 'done' ? [target] : [redirect.target, target]);
    redirect.target = target;
    if (fate === 'done') model.updated.push(target);
    else own.splice(at, 1);
  }

  async function remove(at: number): Promise<void> {
    const redirect = own[at];
    if (!redirect) return;
    const answer = await call(plan, 'DELETE', `/api/redirects/${redirect.id}`);
    // nginx repeats a DELETE whose response was lost.
    const isGone = answer?.body.code === 'REDIRECT_NOT_FOUND';
    const fate = isGone ? 'done' : model.fateOf('delete', answer);
    if (fate === 'rejected') return;
    model.paths.set(redirect.path, fate === 'done' ? [undefined] : [redirect.target, undefined]);
    own.splice(at, 1);
  }

  return (turn) => {
    const at = Math.floor(random() * own.length);
    const dice = own.length < 5 ? 0 : random();
    if (dice < 0.6) return create(turn);
    return dice < 0.85 ? update(at, turn) : remove(at);
  };
}

async function importRows(plan: LoadPlan, turn: number, form: 'csv' | 'json'): Promise<void> {
  const { owner, model, random, imports: website } = plan;
  const rows = 100 + Math.floor(random() * (plan.pace ?? PACE).maxRows);
  const prefix = `/${form}-${turn}-`;
  const paths = Array.from({ length: rows }, (_, i) => `${prefix}${i}`);
  const sent = { prefix, rows, isAcknowledged: false };
  model.imports.push(sent);
  let answer: Answer<Body> | undefined;
  if (form === 'json') {
    const redirects = paths.map((path) => ({ old_path: path, new_path: `/to${path.slice(1)}` }));
    answer = await owner
      .keyCall<Body>('POST', '/api/v1/redirects/bulk', { website_id: String(website), redirects })
      .catch(lost);
  } else {
    const file = new FormData();
    file.set('website_id', String(website));
    const lines = paths.map((path) => `${path},/to${path.slice(1)}`);
    file.set('file', new Blob([['old_path,new_path', ...lines].join('\n')]), 'rules.csv');
    answer = await call(plan, 'POST', '/api/redirects/import', file);
  }
  const fate = model.fateOf(`${form} import`, answer);
  // Not the last one, which may be that of the other form.
  if (fate === 'rejected') model.imports.splice(model.imports.indexOf(sent), 1);
  sent.isAcknowledged = fate === 'done';
}

/** Creates a redirect that goes live only with an explicit deployment, and deploys. */
async function deployOnce(plan: LoadPlan, turn: number): Promise<void> {
  const { model, explicit } = plan;
  const path = `/d-${turn}`;
  const created = await call(plan, 'POST', '/api/redirects', redirectOf(explicit.id, path, 'production'));
  const isCreated = model.fateOf('create', created) === 'done';
  const deployment = { website_id: explicit.id, environment: 'production' };
  const answer = await call(plan, 'POST', '/api/deployments', deployment);
  acknowledge(model, answer, isCreated ? { host: explicit.host, path } : undefined);
}

/** Creates a redirect in staging, waits until it is live there and promotes staging to production. */
async function promoteOnce(plan: LoadPlan, turn: number, isOn: () => boolean): Promise<void> {
  const { model, promoted } = plan;
  const path = `/p-${turn}`;
  const created = await call(plan, 'POST', '/api/redirects', redirectOf(promoted.id, path, 'staging'));
  if (model.fateOf('create', created) !== 'done') return;
  const isLive = async (): Promise<boolean> =>
    !isOn() || (await plan.locate(`staging.${promoted.host}`, path)) === '/to';
  await until(isLive, 30_000);
  if (!isOn()) return;
  const promotion = { website_id: promoted.id, from: 'staging', to: 'production' };
  const answer = await call(plan, 'POST', '/api/deployments/promote', promotion);
  // A kill of the database may lose the first version of staging, which was not acknowledged, but visible for a moment.
  if (answer?.text.includes('nothing is deployed in staging yet')) return;
  acknowledge(model, answer, { host: promoted.host, path });
}

const redirectOf = (website: number, path: string, environment: string): object => ({
  website_id: website,
  old_path: path,
  new_path: '/to',
  target_environments: environment,
});

function acknowledge(
  { deployments, published, ...model }: Model,
  answer: Answer<Body> | undefined,
  rule: { host: string; path: string } | undefined,
): void {
  if (model.fateOf('deployment', answer) !== 'done') return;
  deployments.push(answer?.body.deployment?.id ?? '');
  if (rule) published.set(rule.host, [...(published.get(rule.host) ?? []), rule.path]);
}
