/** Pastes the tour of README.md into bash, against a service after its first start. Needs bash and curl. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkshop, type Workshop } from '../support/process.ts';

interface Step {
  title: string;
  commands: string;
  kind: 'json' | 'http';
  answer: string;
}

const README = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
const tour = /^## A tour of five minutes\n(.*?)^## /ms.exec(README)?.[1] ?? '';
const steps: Step[] = [
  ...tour.matchAll(/(?:\*\*(\d+\. [^*]+)\*\*[^`]*(?:`[^`]*`[^`]*)*?)?```bash\n(.*?)```\n\n```(json|http)\n(.*?)```/gs),
].map(([, title = 'and then', commands = '', kind = '', answer = '']) => ({
  title,
  commands,
  kind: kind === 'json' ? 'json' : 'http',
  answer,
}));

const END_OF_STEP = '--- end of step ---';

let workshop: Workshop;
let answers: string[];

beforeAll(async () => {
  workshop = openWorkshop();
  await workshop.start().ready;
  const script = steps
    .map(({ commands }) => `${commands}\necho; echo '${END_OF_STEP}'\n`)
    .join('')
    .replaceAll('./.data', workshop.dataDir);
  answers = (await bash(script)).split(`${END_OF_STEP}\n`);
}, 120_000);
afterAll(() => workshop.clear());

/** Runs the script from standard input, as a terminal does, with history expansion (`!`) enabled. */
function bash(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', [], { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    shell.stdout.setEncoding('utf8').on('data', (piece: string) => (output += piece));
    shell.once('error', reject);
    shell.once('close', () => resolve(output));
    shell.stdin.end(`set -o history -o histexpand\n${script}`);
  });
}

/** Lines that the text does not contain in this order. */
function absent(text: string, lines: string[]): string[] {
  let from = 0;
  return lines.filter((line) => {
    const at = text.indexOf(line, from);
    if (at >= 0) from = at + line.length;
    return at < 0;
  });
}

describe('the tour of README.md', () => {
  test('every block of commands has a response', () => {
    expect(steps).toHaveLength(tour.match(/```bash/g)?.length ?? 0);
    expect(steps.length).toBeGreaterThan(5);
    expect(answers).toHaveLength(steps.length + 1);
  });

  test.each(steps.map((step, at) => ({ ...step, at })))('$title: it answers what is shown', ({ kind, answer, at }) => {
    const got = answers[at] ?? '';
    if (kind === 'json') expect(JSON.parse(got)).toMatchObject(JSON.parse(answer));
    else expect({ got, absent: absent(got, answer.trim().split('\n')) }).toEqual({ got, absent: [] });
  });
});
