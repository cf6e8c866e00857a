/** `sync nginx`, `sync apache` and `sync caddy`: the live version as a server's configuration. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { choice, type Command, type Context, environmentOption, COUNT, isOn, type Outcome, text } from '../command.ts';
import { CommandError, isTransient, UsageError } from '../errors.ts';
import { type Installer, recover } from '../servers/install.ts';
import { takeLock } from '../servers/lock.ts';
import { probedServer } from '../servers/probe.ts';
import { type Server, SERVERS, type ServerSync, syncOnce, type SyncedVersion, watch } from '../servers/server-sync.ts';
import { serviceUrl } from '../options.ts';
import { readState, stateOfSource } from '../servers/state.ts';
import { targetFile } from '../servers/target-file.ts';
import { type Website, WEBSITE_OPTION, websiteOf } from '../website.ts';

const DEFAULT_TIMEOUT_SECONDS = 60;
const MAX_NOTED = 20;
const RETRY_MS = 2_000;
const AGENT = { pattern: /^[\x21-\x7e]{1,100}$/, must: 'have 1 to 100 printable ASCII characters without spaces' };

export function syncServer(server: Server): Command {
  return {
    summary: `Makes the live version the configuration of ${SERVERS[server]}: writes, tests, swaps, reloads.`,
    options: {
      out: { short: 'o', value: 'FILE', help: 'The file that the configuration of the server includes.' },
      test: { value: 'CMD', help: `Tests the configuration, with FILE in place, such as ${EXAMPLES[server].test}.` },
      reload: { value: 'CMD', help: `Loads the configuration, such as ${EXAMPLES[server].reload}.` },
      ...WEBSITE_OPTION,
      environment: environmentOption('Default: production.', 'e'),
      once: { help: 'Installs the live version and ends. This is the default.' },
      watch: { help: 'Goes on, and installs each new version within 2 s, until SIGTERM or Ctrl-C.' },
      strict: {
        help: 'Refuses a version with redirects that the server cannot express. Default: omits and lists them.',
      },
      agent: { value: 'NAME', form: AGENT, help: 'The name of this server in Detour. Default: the host name.' },
      timeout: { value: 'SECONDS', form: COUNT, help: 'The longest time of each command. Default 60.' },
      probe: { value: 'URL', help: 'The address of the server, asked after each reload. Default: http://127.0.0.1.' },
      'no-probe': { help: 'Does not ask the server after a reload.' },
    },
    notes: `If CMD of --test or --reload ends with another code than 0, the former file is put back, and after --reload it is
loaded again. After a reload it asks the server for up to 21 addresses. If an answer differs from that of Detour, the
former file is put back. A server that does not respond at --probe is noted. The commands find the path of FILE in
DETOUR_FILE. Without a change, nothing is written or reloaded. Exit code 1 if the reload fails or an answer differs, 3 if
the test or --strict refuses the version. A file of redirects with
the name ${server} is \`detour sync ./${server} --format csv\`.`,
    run: (context) => run(context, server),
  };
}

const EXAMPLES: Record<Server, { test: string; reload: string }> = {
  nginx: { test: "'nginx -t'", reload: "'nginx -s reload'" },
  apache: { test: "'apachectl configtest'", reload: "'apachectl graceful'" },
  caddy: {
    test: "'caddy validate --config /etc/caddy/Caddyfile'",
    reload: "'caddy reload --config /etc/caddy/Caddyfile'",
  },
};

async function run(context: Context, server: Server): Promise<Outcome | undefined> {
  if (isOn(context, 'once') && isOn(context, 'watch')) throw new UsageError('--once and --watch exclude each other');
  if (isOn(context, 'no-probe') && text(context, 'probe') !== undefined)
    throw new UsageError('--probe and --no-probe exclude each other');
  const probeUrl = serviceUrl(text(context, 'probe') ?? 'http://127.0.0.1', '--probe');
  const [out, test, reload] = [required(context, 'out'), required(context, 'test'), required(context, 'reload')];
  const { client } = context;
  const file = await targetFile(out);
  const release = await takeLock(file.lock);
  const stop = stopSignal();
  try {
    const timeoutMs = Number(text(context, 'timeout') ?? DEFAULT_TIMEOUT_SECONDS) * 1_000;
    // The commands need no key, and may log their environment.
    const env = { ...context.terminal.env, DETOUR_API_KEY: undefined };
    const note = (line: string): void => context.terminal.note(line);
    const installer: Installer = { file, test, reload, timeoutMs, env, state: await readState(file.state), note };
    await finishFormer(context, installer);
    const website = await findWebsite(context, stop.signal);
    const environment = choice(context, 'environment', ENVIRONMENTS) ?? 'production';
    installer.state = stateOfSource(installer.state, [client.url, website.id, environment, server].join(' '));
    const sync: ServerSync = {
      client,
      websiteId: website.id,
      environment,
      server,
      agent: text(context, 'agent') ?? hostname(),
      strict: isOn(context, 'strict'),
      installer,
      probed: isOn(context, 'no-probe') ? undefined : probedServer(website, environment, probeUrl),
      signal: stop.signal,
    };
    if (!isOn(context, 'watch')) return outcomeOf(sync, await syncOnce(sync));
    await watch(sync, {
      synced: (result) => print(context, outcomeOf(sync, result)),
      problem: (error) => {
        context.terminal.note(`detour: ${error.message}`);
        if (isOn(context, 'json')) print(context, { text: '', json: { error: error.message, ...error.json } });
      },
    });
    return undefined;
  } catch (error) {
    if (stop.signal.aborted && isOn(context, 'watch')) return undefined;
    throw error;
  } finally {
    stop.clear();
    await release();
  }
}

function required(context: Context, name: 'out' | 'test' | 'reload'): string {
  const value = text(context, name);
  if (value !== undefined) return value;
  const hint = name === 'out' ? '' : '; `true` does nothing';
  throw new UsageError(`--${name} is missing${hint}`);
}

/** Finishes what a killed run began, also while the service is away. The live version is then tried in any case. */
async function finishFormer({ terminal }: Context, installer: Installer): Promise<void> {
  try {
    if (await recover(installer)) terminal.note('an interrupted installation is finished');
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    terminal.note(error.message);
  }
}

/** The website of `--website`. With `--watch`, waits for a service that is away. */
async function findWebsite(context: Context, signal: AbortSignal): Promise<Website> {
  let isNoted = false;
  for (;;) {
    try {
      return await websiteOf(context);
    } catch (error) {
      if (!isOn(context, 'watch') || !isTransient(error) || signal.aborted) throw error;
      if (!isNoted && error instanceof Error) context.terminal.note(error.message);
      isNoted = true;
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

function outcomeOf({ server, environment, websiteId, installer }: ServerSync, result: SyncedVersion): Outcome {
  const { version, changed, omittedCount, omitted } = result;
  const path = installer.file.path;
  const what = changed ? 'runs with' : 'already runs with';
  const lines = [`${SERVERS[server]} ${what} version ${version} of ${environment}: ${path}`];
  if (omittedCount > 0) {
    lines.push(`${omittedCount.toLocaleString('en')} redirects that ${SERVERS[server]} cannot express are omitted:`);
    lines.push(...omitted.slice(0, MAX_NOTED).map((each) => `  ${each.old_path} (${each.id}): ${each.reason}`));
  }
  const json = {
    server,
    file: path,
    website_id: websiteId,
    environment,
    version,
    changed,
    omitted: { count: omittedCount, redirects: omitted },
  };
  return { text: lines.join('\n'), json };
}

function print(context: Context, { text: line, json }: Outcome): void {
  context.terminal.stdout.write(`${isOn(context, 'json') ? JSON.stringify(json) : line}\n`);
}

/** Aborts at SIGTERM or SIGINT, so that a run ends between two installations. A second signal ends the process. */
function stopSignal(): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  const names = ['SIGTERM', 'SIGINT'] as const;
  const stop = (): void => {
    controller.abort();
    clear();
  };
  const clear = (): void => names.forEach((name) => void process.off(name, stop));
  for (const name of names) process.once(name, stop);
  return { signal: controller.signal, clear };
}
