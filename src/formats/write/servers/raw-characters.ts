/**
 * Characters of a path that browsers send raw, although canonical paths have them escaped. Servers escape them before
 * they compare, so that a rule needs one spelling, and a captured text has the canonical one.
 */
import { escapeByte } from '../../../resolver/spelling/percent.ts';

const CHARACTERS = ['[', ']', '|', '^'];

/** Each step escapes so many of one character; together up to 15. */
const COUNTS = [8, 4, 2, 1];

/** Tells whether a path has such a character. */
export const RAW = `[${CHARACTERS.map((each) => `\\${each}`).join('')}]`;

export const RAW_ESCAPES = CHARACTERS.map((raw) => ({ raw, escape: escapeByte(raw.charCodeAt(0)) }));

/** The steps, in the order in which they run. `groups` are joined by the `escape`. */
export const ESCAPE_STEPS = RAW_ESCAPES.flatMap(({ raw, escape }) =>
  COUNTS.map((count) => ({
    escape,
    groups: count + 1,
    /** `open` begins a capturing group */
    expression: (open: (group: number) => string): string =>
      `^${Array.from({ length: count }, (_, at) => `${open(at)}[^\\${raw}]*)\\${raw}`).join('')}${open(count)}.*)$`,
  })),
);
