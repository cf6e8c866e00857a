import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import type { Pattern } from '../../resolver/patterns/pattern.ts';
import { createPatternBudget } from '../../resolver/patterns/cost-limit.ts';
import { type DomainError, invalid, type Issue } from '../../vocabulary/error.ts';

const MAX_PATTERNS = 10_000;

/** Why a pattern is one too many. */
type Excess = 'count' | 'work';

/** Patterns of a website, and how many more it may have. */
type PatternAllowance = ReturnType<typeof createAllowance>;

function createAllowance() {
  const texts = new Set<string>();
  const budget = createPatternBudget();
  return {
    get count() {
      return texts.size;
    },
    /** Adds a pattern. Returns why it is one too many, and then changes nothing. */
    add(text: string): Excess | undefined {
      if (texts.has(text)) return undefined;
      if (texts.size === MAX_PATTERNS) return 'count';
      if (!budget.add(text)) return 'work';
      texts.add(text);
      return undefined;
    },
  };
}

/**
 * The allowance after the patterns of a website, or after those that `kept` holds for: a condition on `r`. Yields to the
 * event loop.
 */
export async function readAllowance(tx: Queryable, websiteId: number, kept = sql`true`): Promise<PatternAllowance> {
  const { rows } = await tx.execute<{ key: string }>(
    sql`select r.key from redirects r where r.website_id = ${websiteId} and r.is_regex and ${kept} order by r.id`,
  );
  const allowance = createAllowance();
  const slice = createTimeSlice();
  for (const { key } of rows) {
    if (slice.isOver()) await slice.yield();
    allowance.add(key);
  }
  return allowance;
}

/**
 * Throws TOO_MANY_PATTERNS if the website would exceed a limit with the added patterns, and INVALID_REGEX if one of them
 * alone would. Reads all patterns of the website: 10,000 take about 0.3 s, in time slices.
 */
export async function assertPatternLimit(tx: Queryable, websiteId: number, added: Pattern[]): Promise<void> {
  const allowance = await readAllowance(tx, websiteId);
  const slice = createTimeSlice();
  for (const { text } of added) {
    if (slice.isOver()) await slice.yield();
    const excess = allowance.add(text);
    if (excess) throw limitError(excess, text, allowance);
  }
}

/** Returns why the allowance has no room for the pattern; undefined if it has, and then adds it. */
export function limitIssue(allowance: PatternAllowance, text: string): Issue | undefined {
  const excess = allowance.add(text);
  return excess && limitError(excess, text, allowance).issues[0];
}

function limitError(excess: Excess, text: string, { count }: PatternAllowance): DomainError {
  const limit = (message: string): DomainError => invalid('old_path', message, 'TOO_MANY_PATTERNS');
  if (excess === 'count')
    return limit(`a website may have ${MAX_PATTERNS.toLocaleString('en')} patterns and has ${count}`);
  if (!createPatternBudget().add(text))
    return invalid('old_path', 'the pattern takes too long on some paths; use fewer repetitions', 'INVALID_REGEX');
  return limit(
    'with this pattern, the patterns of the website would take too long on some paths; begin it with more literal text, use fewer repetitions such as ".*", or delete patterns that match the same paths',
  );
}
