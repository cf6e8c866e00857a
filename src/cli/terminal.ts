/** Input and output of a command. */
import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline/promises';
import { UsageError } from './errors.ts';

export interface Input extends Readable {
  isTTY?: boolean;
}

export interface Output extends Writable {
  isTTY?: boolean;
  columns?: number;
}

export interface Io {
  env: Record<string, string | undefined>;
  stdin: Input;
  stdout: Output;
  stderr: Output;
}

export interface Terminal extends Io {
  /** whether a user can be asked: standard input and standard error are a terminal */
  isInteractive: boolean;
  /** prints a line of progress or a warning on standard error */
  note(line: string): void;
  /** asks on standard error; true for y or yes */
  confirm(question: string): Promise<boolean>;
  /** asks for a value; `isSecret` hides what is typed. Without a terminal it is the next line of standard input. */
  ask(question: string, options?: { isSecret?: boolean }): Promise<string>;
}

export function openTerminal(io: Io): Terminal {
  const isInteractive = io.stdin.isTTY === true && io.stderr.isTTY === true;
  const ask = (question: string, { isSecret = false } = {}): Promise<string> =>
    isInteractive ? askOnTerminal(io, question, isSecret) : firstLine(io.stdin);
  return {
    ...io,
    isInteractive,
    note: (line) => void io.stderr.write(`${line}\n`),
    ask,
    async confirm(question) {
      if (!isInteractive) throw new UsageError('add --yes: without a terminal, nothing can be confirmed');
      return /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim());
    },
  };
}

/** Ctrl-C and the end of the input throw a UsageError. */
async function askOnTerminal({ stdin, stderr }: Io, question: string, isSecret: boolean): Promise<string> {
  if (isSecret) stderr.write(question);
  // readline echoes to its output; without one, nothing is shown.
  const reader = createInterface({ input: stdin, terminal: true, ...(!isSecret && { output: stderr }) });
  const stopped = new AbortController();
  reader.once('SIGINT', () => stopped.abort());
  reader.once('close', () => stopped.abort());
  try {
    return await reader.question(isSecret ? '' : question, { signal: stopped.signal });
  } catch {
    throw new UsageError('canceled');
  } finally {
    reader.close();
    if (isSecret) stderr.write('\n');
  }
}

async function firstLine(stdin: Input): Promise<string> {
  for await (const line of readLines(stdin)) return line;
  return '';
}

export function readLines(stdin: Input): AsyncIterable<string> {
  return createInterface({ input: stdin, crlfDelay: Infinity });
}
