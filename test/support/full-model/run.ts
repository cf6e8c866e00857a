/** One run of the full model: two processes on one database with one clock, an account and a website. */
import { ruleKey } from '../../../src/resolver/rule.ts';
import { type Answer, send, type TestAccount, type TestDetour } from '../detour.ts';
import type { TestClock } from '../clock.ts';
import { seeded } from '../random.ts';
import {
  emptyModel,
  ENVIRONMENTS,
  type Environment,
  type Fields,
  type Model,
  type Redirect,
  type Times,
} from './model.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- responses of any shape
export type Body = any;

export interface Run {
  detour: TestDetour;
  addresses: string[];
  clock: TestClock;
  owner: TestAccount;
  name: string;
  site: string;
  model: Model;
  /** the writes of the current step, and their responses */
  trace: string[];
  below: (count: number) => number;
  chance: (share: number) => boolean;
  pick: <T>(list: readonly T[]) => T;
  /** a call with the API key to one of the two processes */
  call: (method: string, path: string, body?: unknown) => Promise<Answer<Body>>;
  /** a call with the session */
  callSession: (method: string, path: string, body?: unknown) => Promise<Answer<Body>>;
}

export const hostOf = ({ name }: Pick<Run, 'name'>, environment: Environment): string =>
  `${environment}.${name}.example`;

let sites = 0;

export async function startRun(detour: TestDetour, other: string, clock: TestClock, seed: number): Promise<Run> {
  const random = seeded(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const addresses = [detour.address, other];
  const owner = await detour.account();
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error('nothing to pick from');
    return list[below(list.length)] as T;
  };
  const withHeaders =
    (headers: Record<string, string>): Run['call'] =>
    async (method, path, body) => {
      const answer = await send<Body>(pick(addresses), method, path, body, headers);
      const sent = body instanceof FormData ? 'a file' : JSON.stringify(body);
      if (method !== 'GET')
        trace.push(`${method} ${path} ${sent ?? ''}: ${answer.status} ${answer.text.slice(0, 1_000)}`);
      return answer;
    };
  const trace: string[] = [];
  const autoDeploy = random() < 0.7;
  const name = `model${++sites}`;
  const { body } = await owner.call('POST', '/api/websites', {
    name,
    hosts: ENVIRONMENTS.map((environment) => ({ hostname: hostOf({ name }, environment), environment })),
    auto_deploy: autoDeploy,
  });
  return {
    ...{ detour, addresses, clock, owner, below, pick, trace },
    name,
    site: String(body.website.id),
    model: emptyModel(autoDeploy),
    chance: (share) => random() < share,
    call: withHeaders({ authorization: `Bearer ${owner.key}` }),
    callSession: withHeaders({ cookie: owner.cookie }),
  };
}

/** A redirect as the list shows it. */
export interface Listed extends Fields, Times {
  id: string;
  deployed_to_prod: string | null;
  deployed_to_staging: string | null;
  deployed_to_dev: string | null;
}

/** The current redirects, newest first. */
export async function list(run: Run): Promise<Listed[]> {
  const { status, text, body } = await run.call('GET', `/api/v1/redirects?website_id=${run.site}&limit=1000`);
  if (status !== 200) throw new Error(text);
  return body.redirects;
}

/** Ids and times of the current redirects by key. */
export async function listByKey(run: Run): Promise<Map<string, { id: number; times: Times }>> {
  return new Map(
    (await list(run)).map(({ id, old_path, is_regex, created_at, updated_at }) => [
      ruleKey(old_path, is_regex),
      { id: Number(id), times: { created_at, updated_at } },
    ]),
  );
}

const PATHS = ['/a', '/%61', '/b', '/b/', '/c/d', '/ä', '/x y', '/p', '/p?k=1', '/sale', '/s'];
const PATTERNS = ['/s(.*)', '/sa(.*)', '/b(/.*)?'];
/** Windows begin and end at these times, to which the clock is set too. */
export const MOMENTS = [10, 20, 30, 40].map((second) => `2030-05-15T12:00:${second}Z`);

export function randomEnvironments({ chance }: Run): Environment[] {
  return ENVIRONMENTS.filter(() => chance(0.5));
}

export const randomLabel = ({ pick }: Run): string | null => pick([null, null, 'x', 'y']);

export function randomWindow(run: Run): Pick<Fields, 'active_from' | 'active_until'> {
  if (run.chance(0.6)) return { active_from: null, active_until: null };
  const at = run.below(MOMENTS.length);
  const later = MOMENTS.slice(at + 1);
  return {
    active_from: run.chance(0.7) ? (MOMENTS[at] ?? null) : null,
    active_until: later.length > 0 && run.chance(0.7) ? run.pick(later) : null,
  };
}

/** Valid fields of a redirect. */
export function randomFields(run: Run): Fields {
  const isRegex = run.chance(0.15);
  const isGone = run.chance(0.12);
  return {
    old_path: run.pick(isRegex ? PATTERNS : PATHS),
    new_path: isGone ? null : isRegex && run.chance(0.5) ? '/t/$1' : `/t${run.below(3)}`,
    status_code: isGone ? run.pick([410, 451]) : run.pick([301, 302, 307, 308]),
    is_regex: isRegex,
    group_id: randomLabel(run),
    notes: randomLabel(run),
    target_environments: randomEnvironments(run),
    ...randomWindow(run),
  };
}

export const redirectsOf = ({ model }: Run): Redirect[] => [...model.redirects.values()];
