import type { Verdict } from '../../../../src/vocabulary/import-verdict.ts';

interface Words {
  /** at a row */
  one: string;
  /** under the count of such rows */
  many: string;
  /** above such rows alone */
  title: string;
  tone: 'ok' | 'warn' | 'danger' | 'quiet';
}

export const VERDICT_WORDS: Record<Verdict, Words> = {
  new: { one: 'New', many: 'new', title: 'New', tone: 'ok' },
  replaces: { one: 'Changes', many: 'will be changed', title: 'What will be changed', tone: 'warn' },
  unchanged: { one: 'Unchanged', many: 'unchanged', title: 'There already, just like this', tone: 'quiet' },
  skipped: {
    one: 'Stays',
    many: 'stay as they are',
    title: 'There already, left as they are',
    tone: 'quiet',
  },
  repeated: { one: 'Repeated', many: 'repeated', title: 'Repeated in the file', tone: 'quiet' },
  invalid: { one: 'Bad row', many: 'bad rows', title: 'Bad rows', tone: 'danger' },
};
