import { expect, test } from 'vitest';
import type { Environment } from '../../src/vocabulary/environment.ts';
import type { AgentKind } from '../../src/vocabulary/kinds.ts';
import type { Website } from '../../dashboard/src/api/client/wire.ts';
import { agentState, versionText } from '../../dashboard/src/screens/deployments/agent-state.ts';
import { logCommand, remedyText, uncountedText } from '../../dashboard/src/screens/logs/log-text.ts';
import { type AgentRun, agentTexts } from '../../dashboard/src/ui/agent-commands.ts';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { COMMANDS } from '../../src/cli/run.ts';
import { readOptions } from '../../src/edge-agent/options.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const SEEN = '2026-11-29T11:59:00Z';
const BEHIND = '2026-11-29T11:50:00Z';

test.each([
  [14, 14, null, { label: 'Live', tone: 'ok' }],
  [12, 14, BEHIND, { label: 'Fell behind', tone: 'warn', since: BEHIND }],
  [12, 14, null, { label: 'Behind', tone: 'warn' }],
  [16, 14, null, { label: 'Ahead of live', tone: 'warn', reason: expect.stringContaining('restore of a backup') }],
  [null, 14, null, { label: 'No version yet', tone: '' }],
])('an agent that serves version %s of %s', (version, live_version, behind_since, state) => {
  expect(agentState({ version, live_version, behind_since, last_seen_at: SEEN }, NOW)).toEqual(state);
});

test('an agent that is unseen for 10 minutes is silent, whatever it served', () => {
  for (const version of [null, 12, 14, 16]) {
    const agent = { version, live_version: 14, behind_since: null, last_seen_at: BEHIND };
    expect(agentState(agent, NOW)).toEqual({ label: 'Silent, last seen', tone: 'danger', since: BEHIND });
    expect(agentState(agent, NOW - 1).label).not.toBe('Silent, last seen');
  }
});

test.each([
  [14, 14, 'Serves version 14'],
  [12, 14, 'Serves version 12, version 14 is live'],
  [null, 14, 'Version 14 is live'],
  [null, 0, 'Nothing is live'],
])('an agent with version %s of %s: %s', (version, live, text) => {
  expect(versionText({ version, live_version: live })).toBe(text);
});

/** The words of a line after its variables and the name of the program. */
const wordsOf = (line: string, program: string): string[] =>
  [...line.split(` ${program} `)[1]!.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

const SERVICE = 'https://detour.example.com';
const HOST = { hostname: 'www.example.com', environment: 'staging', verified: true, redirect_to: null };
const website = { id: 7, hosts: [HOST] } as unknown as Website;
const textsOf = (kind: AgentKind, run: AgentRun, environment: Environment = 'staging', key?: string): string[] =>
  agentTexts({ kind, run, website, environment }, SERVICE, key).map(({ text }) => text);

test('each line that installs an agent is one that the commands accept', () => {
  const [edge = ''] = textsOf('edge', 'shell');
  expect(edge).toContain(
    `DETOUR_URL=${SERVICE} DETOUR_API_KEY=dtr_... npx --yes --package=${SERVICE}/detour.tgz detour-edge `,
  );
  const env = { DETOUR_URL: SERVICE, DETOUR_API_KEY: 'dtr_x' };
  expect(readOptions(wordsOf(edge, 'detour-edge'), env)).toMatchObject({
    options: { websites: [{ website: 'www.example.com', environment: 'staging' }], listen: { port: 8080 } },
  });
  for (const server of ['nginx', 'apache', 'caddy'] as const) {
    const [line = ''] = textsOf(server, 'shell');
    const { command, options } = readCommandLine(wordsOf(line, 'detour'), COMMANDS) as Extract<
      ReturnType<typeof readCommandLine>,
      { kind: 'run' }
    >;
    expect(command).toBe(COMMANDS[`sync ${server}`]);
    const file = expect.stringMatching(`^/etc/${server}`);
    expect(options).toMatchObject({ website: 'www.example.com', environment: 'staging', watch: true, out: file });
    expect([typeof options['test'], typeof options['reload']]).toEqual(['string', 'string']);
  }
  expect(textsOf('library', 'service')).toEqual([
    `curl -fsSO ${SERVICE}/detour.tgz && npm install ./detour.tgz`,
    'DETOUR_API_KEY=dtr_...',
    `createEdge({ url: '${SERVICE}', key: process.env.DETOUR_API_KEY, website: '7', environment: 'staging' })`,
  ]);
  // Without a verified host of the environment, by id. Production is the default.
  expect(textsOf('edge', 'shell', 'production')[0]).toMatch(/ detour-edge --website 7 --listen /);
});

test('an agent as a service has its key in a file of root, and runs the same program', () => {
  const [edge = ''] = textsOf('edge', 'service', 'production', 'dtr_x');
  const [nginx = ''] = textsOf('nginx', 'service', 'production', 'dtr_x');
  const secrets = "sudo install -m 600 /dev/stdin /etc/detour-edge-7-production.env <<'END'\n";
  expect(edge).toContain(`${secrets}DETOUR_URL=${SERVICE}\nDETOUR_API_KEY=dtr_x\nEND\n`);
  expect(edge.split('dtr_x')).toHaveLength(2);
  expect(edge).toContain(`npm install --global ${SERVICE}/detour.tgz\n`);
  expect(edge).toContain('ExecStart=/usr/bin/env detour-edge --website 7 --listen 0.0.0.0:8080\n');
  const [, program] = textsOf('nginx', 'shell', 'production')[0]!.split('/detour.tgz ');
  expect(nginx).toContain(`ExecStart=/usr/bin/env ${program}\nRestart=always\n`);
  expect(edge).toContain('DETOUR_DATA=/var/lib/detour-edge-7-production\nStateDirectory=detour-edge-7-production\n');
  expect(nginx).toContain('systemctl enable --now detour-nginx-7-production');
});

test('the line that sends a log is one that the command accepts', () => {
  const line = logCommand(website, 'staging', SERVICE, 'dtr_x');
  expect(line).toMatch(/^DETOUR_URL=\S+ DETOUR_API_KEY=dtr_x npx --yes --package=\S+ detour logs push /);
  expect(readCommandLine(wordsOf(line, 'detour'), COMMANDS)).toMatchObject({
    command: COMMANDS['logs push'],
    options: { website: HOST.hostname, host: HOST.hostname, stream: 'web-1', follow: true },
    words: ['/var/log/nginx/access.log'],
  });
  // An environment without a verified host: the website by its id.
  expect(logCommand(website, 'production', SERVICE)).toContain(
    'detour.tgz detour logs push --follow --website 7 --stream',
  );
});

test('says why lines of logs were not counted, and what to do if none was', () => {
  const day = { stream: 'main', day: '2026-11-29', last_line_at: null, received_at: SEEN };
  const counts = (counted: number, not_ours: number, unused: number, invalid: number) => ({
    ...{ ...day, lines: counted + not_ours + unused + invalid, counted, not_ours, unused, invalid },
  });
  expect(uncountedText(counts(5, 1_200, 0, 3))).toBe('1,200 of other hosts, 3 invalid');
  expect(uncountedText(counts(5, 0, 0, 0))).toBe('');
  expect(remedyText(counts(1, 9, 0, 0))).toBeUndefined();
  expect(remedyText(counts(0, 9, 0, 0))).toMatch(/--host/);
  expect(remedyText(counts(0, 0, 0, 9))).toMatch(/--format/);
  expect(remedyText(counts(0, 4, 5, 0))).toBe('No line was counted.');
});
