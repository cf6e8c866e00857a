/**
 * Writes a server's configuration in chunks. Without `lossy`, a first pass over the same snapshot checks every rule
 * before the first chunk, so that no file lacks a redirect without a note.
 */
import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { DomainError, invalid, type Issue } from '../../vocabulary/error.ts';
import type { ExportScope } from './rows.ts';
import { literalRule } from '../../formats/write/servers/literal-rule.ts';
import { createNameSets } from '../../formats/write/servers/passed-query.ts';
import { patternRule, rankPattern } from '../../formats/write/servers/pattern-rule.ts';
import { createSamples } from '../../formats/write/servers/samples.ts';
import type {
  Inexpressible,
  ServerFormat,
  ServerSite,
  TargetedRule,
} from '../../formats/write/servers/server-format.ts';
import { comparePrecedence } from '../../resolver/patterns/pattern-layer.ts';
import { targetedRules } from './server-rows.ts';

interface ServerExport {
  client: PoolClient;
  scope: ExportScope;
  site: ServerSite;
  format: ServerFormat;
  lossy: boolean;
}

/** Redirects in an error; their number in the message is exact. */
const MAX_ISSUES = 20;
const PATTERN_BATCH_SIZE = 100;

/**
 * Yields the file. Throws VALIDATION_ERROR (422) before the first chunk if the format cannot express the website, or a
 * rule without `lossy`.
 */
export async function* exportServer(work: ServerExport, counted: { count: number }): AsyncGenerator<string> {
  const { format, site, lossy } = work;
  const problem = format.siteProblem?.(site);
  if (problem !== undefined) throw invalid('format', problem);
  if (!lossy) await assertRulesFit(work);
  const { separator = '' } = format;
  let opening = format.head?.(site) ?? '';
  const { write, sets, samples } = createRuleWriter(work);
  for await (const rules of rulesInOrder(work)) {
    if (rules === 'between') {
      opening += format.between?.(site) ?? '';
      continue;
    }
    let text = '';
    for (const rule of rules) {
      const written = write(rule);
      if (typeof written === 'string') counted.count++;
      const line = typeof written === 'string' ? written : format.comment(omission(rule, written));
      if (line === '') continue;
      text += opening + line;
      opening = separator;
    }
    if (text !== '') yield text;
  }
  yield (opening === separator ? '' : opening) + samples() + (format.tail?.(site, sets) ?? '');
}

/** Yields `between` after the rules with a required query. */
async function* rulesInOrder({ client, scope, site }: ServerExport): AsyncGenerator<TargetedRule[] | 'between'> {
  const targeted = { ...scope, environment: site.environment };
  yield* targetedRules(client, targeted, 'queries');
  yield 'between';
  yield* targetedRules(client, targeted, 'literals');
  // Up to 10,000 patterns in memory. Parsing one takes up to 0.1 ms: yield to the event loop between batches.
  const patterns: ReturnType<typeof rankPattern>[] = [];
  for await (const rules of targetedRules(client, targeted, 'patterns')) {
    for (let at = 0; at < rules.length; at += PATTERN_BATCH_SIZE) {
      patterns.push(...rules.slice(at, at + PATTERN_BATCH_SIZE).map(rankPattern));
      await setImmediate();
    }
  }
  const ordered = patterns.toSorted(comparePrecedence).map(({ rule }) => rule);
  for (let at = 0; at < ordered.length; at += PATTERN_BATCH_SIZE) {
    yield ordered.slice(at, at + PATTERN_BATCH_SIZE);
    await setImmediate();
  }
}

/** Returns the writer of one pass over the rules, in their order, and what the tail needs of them. */
function createRuleWriter({ format, site }: ServerExport) {
  const expressions = new Set<string>();
  const sets = createNameSets();
  const chosen = createSamples(site);
  const write = (rule: TargetedRule): string | Inexpressible => {
    if (rule.isScheduled) return { reason: 'it has a window (active_from, active_until), which no server evaluates' };
    if (rule.isRegex && format.patterns === 'none') return { reason: `${format.name} has no such patterns` };
    const converted =
      rule.isRegex && format.patterns !== 'none' ? patternRule(rule, site, format.patterns) : literalRule(rule, site);
    if ('reason' in converted) return converted;
    if (converted.kind === 'pattern' && format.rejectsEqualPatterns) {
      if (expressions.has(converted.expression)) return { reason: 'an earlier pattern matches the same paths' };
      expressions.add(converted.expression);
    }
    const written = format.rule(converted, site, sets);
    if (typeof written === 'string' && format.patterns !== 'none') chosen.add(rule, converted);
    return written;
  };
  return { write, sets, samples: () => chosen.texts().map(format.comment).join('') };
}

async function assertRulesFit(work: ServerExport): Promise<void> {
  const issues: Issue[] = [];
  let count = 0;
  const { write } = createRuleWriter(work);
  for await (const rules of rulesInOrder(work)) {
    await setImmediate();
    for (const rule of rules === 'between' ? [] : rules) {
      const written = write(rule);
      if (typeof written === 'string') continue;
      count++;
      if (issues.length < MAX_ISSUES) {
        const message = `${written.reason} (redirect ${rule.id})`;
        issues.push({ path: rule.oldPath, code: 'VALIDATION_ERROR', message });
      }
    }
  }
  if (count === 0) return;
  const listed = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const more = count > issues.length ? `; and ${count - issues.length} more` : '';
  const redirects = count === 1 ? '1 redirect' : `${count} redirects`;
  throw new DomainError('VALIDATION_ERROR', `${redirects} cannot be expressed in ${work.format.name}`, {
    details: `${listed}${more}. Change them, or export with lossy=true, which writes a comment for each`,
    issues,
  });
}

/** One line of printable ASCII, whatever the path contains. */
function omission(rule: TargetedRule, { reason }: Inexpressible): string {
  const path = rule.oldPath.replace(/[^\x20-\x7e]/gu, (text) => encodeURIComponent(text));
  return `omitted: redirect ${rule.id} ${path}: ${reason}`;
}
