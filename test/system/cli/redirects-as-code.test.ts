/**
 * Runs every command of docs/redirects-as-code.md, in a new Git repository, with the packed CLI, against a service with
 * a real file of redirects. Needs bash and git.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packCli, type PackedCli, runBash } from '../../support/packed-cli.ts';
import { openWorkshop, type Workshop } from '../../support/process.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(ROOT, 'docs/redirects-as-code.md'), 'utf8');
const sections = page.split(/^## /m).map((section) => ({
  title: section.split('\n', 1)[0] ?? '',
  blocks: [...section.matchAll(/```bash\n(.*?)```\n(?:\n```text\n(.*?)```)?/gs)],
}));
const steps = sections.flatMap(({ title, blocks }) =>
  blocks.map(([, commands = '', output = ''], at) => ({ title: `${title}, block ${at + 1}`, commands, output })),
);

const END_OF_STEP = '--- end of step ---';

let workshop: Workshop;
let packed: PackedCli;
let outputs: string[];
let errors: string;

beforeAll(async () => {
  packed = packCli();
  workshop = openWorkshop();
  const url = await workshop.start().ready;
  const website = ['--email', 'owner@example.com', '--name', 'Docs', '--host', 'docs.localhost'];
  const created = await workshop.admin(['website', 'create', ...website]);
  if (created.code !== 0) throw new Error(created.stderr);
  const credentials = JSON.parse(readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8'));
  writeFileSync(join(packed.folder, 'key.txt'), `${credentials.api_key}\n`);
  copyFileSync(join(ROOT, 'test/fixtures/windows-driver-docs.csv'), join(packed.folder, 'windows-driver-docs.csv'));
  const repository = join(packed.folder, 'repository');
  mkdirSync(repository);
  const script = steps.map(({ commands }) => `${commands}\necho '${END_OF_STEP}'\n`).join('');
  const ran = await runBash(script.replaceAll('http://localhost:3000', url), {
    cwd: repository,
    env: {
      HOME: packed.folder,
      PATH: packed.path,
      npm_config_offline: 'true',
      npm_config_cache: join(packed.folder, 'npm-cache'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@example.com',
    },
  });
  outputs = ran.stdout.replaceAll(url, 'http://localhost:3000').split(`${END_OF_STEP}\n`);
  errors = ran.stderr;
}, 300_000);
afterAll(async () => {
  await workshop?.clear();
  packed?.clear();
});

/** Lines of the page that the output does not contain in this order. */
function absent(output: string, lines: string[]): string[] {
  let from = 0;
  return lines.filter((line) => {
    const at = output.indexOf(line, from);
    if (at >= 0) from = at + line.length;
    return at < 0;
  });
}

describe('docs/redirects-as-code.md', () => {
  test('has commands, and each of them was run', () => {
    expect(steps).toHaveLength(page.match(/```bash/g)?.length ?? 0);
    expect(steps.length).toBeGreaterThan(8);
    expect(outputs).toHaveLength(steps.length + 1);
  });

  test.each(steps.map((step, at) => ({ ...step, at })))('$title: prints what the page shows', ({ output, at }) => {
    const printed = outputs[at] ?? '';
    const lines = output.split('\n').filter((line) => line !== '');
    expect(absent(printed, lines), `${printed}\n${errors}`).toEqual([]);
  });
});
