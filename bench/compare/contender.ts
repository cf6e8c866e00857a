/** A server in the comparison: starts pinned to the core of the servers, in a temporary folder and on a free port. */
import { execFileSync, execSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, createWriteStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { atEnd, temporaryFolder } from '../cleanup.ts';
import { visit } from '../client.ts';
import { freePort } from '../service.ts';
import { CHANGED, ruleAt, type RuleSet } from './rule-files.ts';
import type { ServerSpec } from './servers.ts';

export interface Contender {
  name: string;
  pid: number;
  port: number;
  host: string;
  /** rules that it has, all of which are requested */
  count: number;
  /** until the first redirect was served */
  startSeconds: number;
  version: string;
  /** changes the target of one rule; resolves with the seconds until it is served. Without it: constant response. */
  edit?: (generation: number) => Promise<number>;
}

export const SERVER_CORE = 0;
export const LOAD_CORE = 1;
const WAIT_MS = 120_000;
const STOP_MS = 10_000;
const PATH = `${process.env['PATH']}:/usr/sbin:/sbin`;

/** Pins this process to the core of the servers while it starts one, which inherits it. */
export async function onServerCore<Result>(start: () => Promise<Result> | Result): Promise<Result> {
  const pin = (core: number): void => void execFileSync('taskset', ['-acp', String(core), String(process.pid)]);
  pin(SERVER_CORE);
  try {
    return await start();
  } finally {
    pin(LOAD_CORE);
  }
}

export function isInstalled(program: string): boolean {
  return PATH.split(':').some((folder) => existsSync(join(folder, program)));
}

/** Returns the output of a command, with its errors. Throws if it fails. */
function run(command: string): string {
  return execSync(`${command} 2>&1`, { env: { ...process.env, PATH }, encoding: 'utf8' });
}

/** Resolves with the seconds since `since` at which the path redirects to the target. */
export async function untilRedirect(
  { port, host }: Pick<Contender, 'port' | 'host'>,
  rules: RuleSet,
  { since, index = CHANGED, hasEnded }: { since: number; index?: number; hasEnded?: () => boolean },
): Promise<number> {
  const { oldPath, newPath } = ruleAt(rules, index);
  for (;;) {
    const response = await visit(`http://127.0.0.1:${port}`, host, oldPath).catch(() => undefined);
    const ms = performance.now() - since;
    if (response && ownPath(response.location) === newPath) return ms / 1_000;
    if (hasEnded?.() || ms > WAIT_MS) throw new Error(`no redirect of ${oldPath} after ${Math.round(ms)} ms`);
    await pause(5);
  }
}

/** Apache makes each target absolute. */
export const ownPath = (location: string | undefined): string | undefined => location?.replace(/^https?:\/\/[^/]*/, '');

export async function startServer(spec: ServerSpec, most: number): Promise<Contender> {
  const rules: RuleSet = { count: Math.min(most, spec.maxRules), generation: 0 };
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  for (const name of ['root', 'data']) mkdirSync(join(folder, name));
  const places: Record<string, string> = { FOLDER: folder, PORT: String(await freePort()) };
  places['ADMIN'] = String(await freePort());
  const fill = (text: string): string =>
    text.replace(/\b(FOLDER|PORT|ADMIN|PID)\b|GENERATION/g, (name) => places[name] ?? name);
  const runAll = (commands: string[] = []): void => commands.forEach((command) => void run(fill(command)));
  const write = (of: RuleSet): Promise<void> =>
    pipeline(Readable.from(spec.write(of)), createWriteStream(join(folder, 'rules')));
  await write(rules);
  writeFileSync(join(folder, 'main'), fill(spec.main));
  const since = performance.now();
  const { pid, output, hasEnded } = await onServerCore(() => {
    runAll(spec.prepare);
    return start(fill(spec.run).split(' '), folder);
  });
  places['PID'] = String(pid);
  const at = { port: Number(places['PORT']), host: `127.0.0.1:${places['PORT']}` };
  const startSeconds = await untilRedirect(at, rules, { since, hasEnded }).catch((error: unknown) => {
    throw new Error(`${spec.name}: ${String(error)}\n${output()}`);
  });
  return {
    ...{ name: spec.name, pid, ...at, count: rules.count, startSeconds },
    version: /\d+\.\d+\.\d+/.exec(run(spec.version))?.[0] ?? '',
    async edit(generation) {
      places['GENERATION'] = String(generation);
      await write({ ...rules, generation });
      const changedAt = performance.now();
      await onServerCore(() => {
        runAll(spec.prepare);
        runAll(spec.reload);
      });
      return untilRedirect(at, { ...rules, generation }, { since: changedAt, hasEnded });
    },
  };
}

function start([program = '', ...args]: string[], home: string) {
  // A separate process group: Ctrl-C reaches the bench only, and the group can be killed as a whole.
  const options = { env: { ...process.env, PATH, HOME: home }, detached: true } as const;
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-1_000)));
  }
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  atEnd(async () => {
    if (hasEnded()) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    if (await Promise.race([exited.then(() => false), pause(STOP_MS, true, { ref: false })]))
      process.kill(-(child.pid ?? 0), 'SIGKILL');
  });
  return { pid: child.pid ?? 0, hasEnded, output: () => text };
}
