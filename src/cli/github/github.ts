/** The result of a command for GitHub Actions: a summary, outputs for later steps, and an annotation of an error. */
import { appendFile } from 'node:fs/promises';
import type { Outcome } from '../command.ts';
import { EXIT, type Exit } from '../errors.ts';
import type { Io } from '../terminal.ts';

/** Fields of the JSON of a command that become outputs of its step. */
const OUTPUTS = ['created', 'updated', 'deleted', 'unchanged', 'revision', 'change_id', 'version'];

const RESULTS: Record<number, string> = { [EXIT.done]: 'done', [EXIT.failed]: 'failed', [EXIT.refused]: 'refused' };

/**
 * Appends to the files that GITHUB_STEP_SUMMARY and GITHUB_OUTPUT name; does nothing for one that is not set. Shows
 * anything but success as an error of the workflow.
 */
export async function reportToGithub({ env, stdout }: Io, { exit = EXIT.done, ...outcome }: Outcome): Promise<void> {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output } = env;
  const markdown = outcome.markdown ?? fenced(outcome.text);
  if (summary) await appendFile(summary, `${markdown}\n`);
  if (output) await appendFile(output, outputLines({ ...resultOf(exit), ...outputsOf(outcome) }));
  if (exit !== EXIT.done) stdout.write(`::error title=Detour::${annotation(outcome.text)}\n`);
}

/** Sets the output `result`; the last one counts. Does nothing if GITHUB_OUTPUT is not set. */
export async function reportResult({ env }: Pick<Io, 'env'>, exit: Exit): Promise<void> {
  const { GITHUB_OUTPUT: output } = env;
  if (output) await appendFile(output, outputLines(resultOf(exit)));
}

const resultOf = (exit: Exit): { result: string } => ({ result: RESULTS[exit] ?? 'failed' });

/** Outputs are found at the top of the JSON, and in its parts such as `sync` and `deployment`. */
function outputsOf({ json, outputs = OUTPUTS }: Outcome): Record<string, string> {
  const parts = Object.values(json).filter((part) => typeof part === 'object' && part !== null);
  const fields: Record<string, unknown> = Object.assign({}, ...parts, json);
  return Object.fromEntries(
    outputs.flatMap((name) => {
      const value = fields[name];
      return typeof value === 'string' || typeof value === 'number' ? [[name.replace('_', '-'), String(value)]] : [];
    }),
  );
}

function outputLines(outputs: Record<string, string>): string {
  return Object.entries(outputs)
    .map(([name, value]) => `${name}=${value.replace(/[\r\n]+/g, ' ')}\n`)
    .join('');
}

/** A code block that the text cannot close. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** A workflow command is one line. */
function annotation(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
