/**
 * A server's configuration, piece by piece. Without `lossy` everything is gone through once before the first byte, in the same snapshot:
 * what cannot be said is known then, and no half of a website is given for the whole.
 */
import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { DomainError, type Issue } from '../../../vocabulary/error.ts';
import type { ExportScope } from '../rows.ts';
import {
  patternsInPrecedence,
  type RankedPattern,
  rankPattern,
  type TargetedRule,
  targetedRules,
} from './server-rows.ts';
import { literalRule } from './literal-rule.ts';
import { patternRule } from './pattern-rule.ts';
import type { Inexpressible, ServerFormat, ServerSite } from './server-format.ts';

export interface ServerExport {
  client: PoolClient;
  scope: ExportScope;
  site: ServerSite;
  format: ServerFormat;
  lossy: boolean;
}

/** Offenders that a refusal names; their number is exact. */
const NAMED = 20;
const PATTERNS_A_TURN = 100;

/** The file. 422 VALIDATION_ERROR before the first piece where something cannot be said and `lossy` is not set. */
export async function* serverPieces(work: ServerExport, counted: { count: number }): AsyncGenerator<string> {
  const { format, site, lossy } = work;
  refuseSite(work);
  if (!lossy) await refuseOffenders(work);
  let opening = format.head(site);
  for await (const rules of rulesInOrder(work)) {
    let text = '';
    for (const rule of rules) {
      const said = say(rule, work);
      if (typeof said === 'string') counted.count++;
      const line = typeof said === 'string' ? said : format.comment(leftOut(rule, said));
      if (line === '') continue;
      text += opening + line;
      opening = format.separator;
    }
    if (text !== '') yield text;
  }
  yield (counted.count === 0 && opening !== format.separator ? opening : '') + format.tail(site);
}

async function* rulesInOrder({ client, scope, site }: ServerExport): AsyncGenerator<TargetedRule[]> {
  const targeted = { ...scope, environment: site.environment };
  yield* targetedRules(client, targeted, 'literals');
  // A website has at most 10,000 patterns; to read one takes up to a tenth of a millisecond, so others get their turn in between.
  const patterns: RankedPattern[] = [];
  for await (const rules of targetedRules(client, targeted, 'patterns')) {
    for (let at = 0; at < rules.length; at += PATTERNS_A_TURN) {
      patterns.push(...rules.slice(at, at + PATTERNS_A_TURN).map(rankPattern));
      await setImmediate();
    }
  }
  const ordered = patternsInPrecedence(patterns);
  for (let at = 0; at < ordered.length; at += PATTERNS_A_TURN) {
    yield ordered.slice(at, at + PATTERNS_A_TURN);
    await setImmediate();
  }
}

function say(rule: TargetedRule, { format, site }: ServerExport): string | Inexpressible {
  const made = rule.isRegex ? sayPattern(rule, format, site) : literalRule(rule, site);
  return 'reason' in made ? made : format.rule(made, site);
}

function sayPattern(rule: TargetedRule, format: ServerFormat, site: ServerSite) {
  if (format.patterns === 'none') return { reason: `${format.name} has no such patterns` };
  return patternRule(rule, site, format.patterns);
}

function refuseSite({ format, site }: ServerExport): void {
  const reason = format.refuseSite?.(site);
  if (reason === undefined) return;
  throw new DomainError('VALIDATION_ERROR', `${format.name} cannot serve this website as it is`, {
    details: `format: ${reason}`,
    issues: [{ path: 'format', code: 'VALIDATION_ERROR', message: reason }],
  });
}

async function refuseOffenders(work: ServerExport): Promise<void> {
  const issues: Issue[] = [];
  let count = 0;
  for await (const rules of rulesInOrder(work)) {
    await setImmediate();
    for (const rule of rules) {
      const said = say(rule, work);
      if (typeof said === 'string') continue;
      count++;
      if (issues.length < NAMED) {
        const message = `${said.reason} (redirect ${rule.id})`;
        issues.push({ path: rule.oldPath, code: 'VALIDATION_ERROR', message });
      }
    }
  }
  if (count === 0) return;
  const named = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const more = count > issues.length ? `; and ${count - issues.length} more` : '';
  const what = count === 1 ? '1 redirect' : `${count} redirects`;
  throw new DomainError('VALIDATION_ERROR', `${what} cannot be said in ${work.format.name}`, {
    details: `${named}${more}. Change them, or export with lossy=true: then a comment stands in their place`,
    issues,
  });
}

/** One line of printable ASCII, whatever the path holds. */
function leftOut(rule: TargetedRule, { reason }: Inexpressible): string {
  const path = rule.oldPath.replace(/[^\x20-\x7e]/gu, (text) => encodeURIComponent(text));
  return `left out: redirect ${rule.id} ${path}: ${reason}`;
}
