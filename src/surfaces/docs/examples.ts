/** What the demo data answered to the examples of the operations: written and held by test/contract/examples.test.ts, never by hand. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export const ANSWERS_FILE = join(import.meta.dirname, 'example-answers.json');

export interface AnswerExample {
  /** media type */
  type: string;
  body?: unknown;
}

const Answers = z.record(z.string(), z.object({ type: z.string(), body: z.unknown() }));
const answers = Answers.parse(JSON.parse(readFileSync(ANSWERS_FILE, 'utf8')));

/** By operation id; undefined where an answer is too long or too changeable to be shown. */
export function exampleOf(operationId: string): AnswerExample | undefined {
  return answers[operationId];
}
