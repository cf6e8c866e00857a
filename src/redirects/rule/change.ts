/** Decides what a creation or a change does to one redirect. Pure: every write uses it. */
import type { Pattern } from '../../resolver/patterns/pattern.ts';
import { changeTime } from '../../platform/clock.ts';
import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { Issue } from '../../vocabulary/error.ts';
import { omitUndefined } from '../../vocabulary/omit-undefined.ts';
import { checkLabels } from '../../rules/check-fields.ts';
import { checkRedirect } from '../../rules/check-redirect.ts';
import { CHECKED, FIELD_NAMES, ROUTED, SERVED } from './fields.ts';
import { type RedirectFields, redirectOf, type RedirectRow, sinceRevision } from './redirect.ts';

/** New values of fields; an undefined field keeps its value. */
export type RedirectChange = { [K in keyof RedirectFields]?: RedirectFields[K] | undefined };

/** The part of a locked website that a plan depends on. */
export interface PlanContext {
  /** revision that the transaction writes */
  rev: number;
  now: Date;
  allowedTargetHosts: readonly string[];
}

export interface PlannedChange {
  /** the row after the change; meaningless if there are issues */
  row: RedirectRow;
  /** fields with a new value; empty if the write changes nothing */
  changed: (keyof RedirectFields)[];
  /** environments whose rules the change affects */
  touched: Environment[];
  /** set if the rule becomes another pattern, which counts against the pattern limit */
  newPattern: Pattern | null;
  /** environments in which the change may close a loop */
  mayLoopIn: Environment[];
  issues: Issue[];
}

/** Plans a change of the redirect `before`. */
export function planChange(before: RedirectRow, change: RedirectChange, website: PlanContext): PlannedChange {
  const previous: RedirectFields = redirectOf(before);
  const next: RedirectFields = { ...previous, ...omitUndefined(change) };
  const changed = FIELD_NAMES.filter((field) => isDifferent(previous[field], next[field]));
  const unchanged = { row: before, changed, touched: [], newPattern: null, mayLoopIn: [], issues: [] };
  if (changed.length === 0) return unchanged;

  const issues = checkLabels(next.groupId, next.notes);
  let key = before.key;
  let newPattern: Pattern | null = null;
  if (changed.some((field) => CHECKED.has(field))) {
    const checked = checkRedirect(next, website.allowedTargetHosts);
    issues.push(...checked.issues);
    key = checked.key;
    if (checked.pattern && (!previous.isRegex || previous.oldPath !== next.oldPath)) newPattern = checked.pattern;
  }
  if (issues.length > 0) return { ...unchanged, issues };

  const { environments, ...fields } = next;
  const ruleChanged = key !== before.key || changed.some((field) => SERVED.has(field));
  const rev = ruleChanged || changed.includes('environments') ? website.rev : before.rev;
  const wasIn = (environment: Environment): boolean => previous.environments.includes(environment);
  const isIn = (environment: Environment): boolean => environments.includes(environment);
  return {
    row: {
      ...before,
      ...fields,
      key,
      ...sinceRevision(environments, website.rev, ruleChanged ? undefined : before),
      rev,
      updatedAt: changeTime(website.now, before.updatedAt),
    },
    changed,
    touched: ENVIRONMENTS.filter((each) => (ruleChanged ? wasIn(each) || isIn(each) : wasIn(each) !== isIn(each))),
    newPattern,
    mayLoopIn: changed.some((field) => ROUTED.has(field))
      ? [...environments]
      : environments.filter((each) => !wasIn(each)),
    issues,
  };
}

/** A redirect to insert. The row is meaningless if there are issues. */
export interface PlannedRedirect {
  row: Omit<RedirectRow, 'id'>;
  /** set if the redirect is a pattern, which counts against the pattern limit */
  newPattern: Pattern | null;
  issues: Issue[];
}

/** Plans the creation of a redirect. */
export function planCreation(fields: RedirectFields, website: PlanContext & { id: number }): PlannedRedirect {
  const { environments, ...plain } = fields;
  const { key, pattern, issues } = checkRedirect(fields, website.allowedTargetHosts);
  return {
    row: {
      ...plain,
      websiteId: website.id,
      key,
      rev: website.rev,
      ...sinceRevision(environments, website.rev),
      createdAt: website.now,
      updatedAt: website.now,
    },
    newPattern: pattern,
    issues: [...issues, ...checkLabels(fields.groupId, fields.notes)],
  };
}

/** Compares by text, and times by their milliseconds, but tells null from the text "null". */
function isDifferent(previous: unknown, next: unknown): boolean {
  if (previous instanceof Date && next instanceof Date) return previous.getTime() !== next.getTime();
  return String(previous) !== String(next) || (previous === null) !== (next === null);
}
