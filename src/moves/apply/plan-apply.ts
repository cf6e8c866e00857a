/** Plans an apply: compares the decided answers with those of the current rules. Pure. */
import { emptyRuleset, type Match, type Ruleset } from '../../resolver/ruleset.ts';
import { type MatchOptions, ruleKey } from '../../resolver/rule.ts';
import { splitTarget } from '../../resolver/spelling/canonical-path.ts';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { statusHasTarget } from '../../vocabulary/status-code.ts';
import type { ApplyConflict, ApplyOptions, DecidedUrl, MoveRule } from './decided-urls.ts';

/** The current rules of an environment at the time of the apply. */
export interface Draft {
  ruleset: Ruleset;
  options: MatchOptions;
  at: number;
}

export interface Decisions {
  urls: DecidedUrl[];
  /** URLs that no rule of the move may answer */
  kept: string[];
  rules: MoveRule[];
}

/** A URL with its status and the Location that its own redirect would send. */
export interface Wanted extends Omit<DecidedUrl, 'statusCode'> {
  statusCode: number;
  location: string | null;
}

export interface ApplyPlan {
  /** get a redirect of their own */
  literals: Wanted[];
  /** rules that are written */
  rules: MoveRule[];
  /** all URLs with a possible answer, in their order */
  wanted: Wanted[];
  /** URLs that every environment answers so already */
  leftOut: number;
  conflicts: ApplyConflict[];
}

const GONE = 410;

/** Yields to the event loop. `drafts`: of the environments of the call. */
export async function planApply(decisions: Decisions, drafts: Draft[], options: ApplyOptions): Promise<ApplyPlan> {
  const conflicts: ApplyConflict[] = [];
  const slice = createTimeSlice();
  const rules = allowedRules(decisions, drafts, options, conflicts);
  const after = drafts.map((draft) => ({ ...draft, ruleset: withRules(draft.ruleset, rules, options) }));
  const plan: ApplyPlan = { literals: [], rules, wanted: [], leftOut: 0, conflicts };
  const own = ownRedirects(decisions.urls, options);
  for (const decided of decisions.urls) {
    if (slice.isOver()) await slice.yield();
    const wanted = wantedOf(decided, own, drafts[0]?.options, options);
    if (!wanted) {
      const message = 'target: leads to the URL itself; choose another target, or keep the page';
      conflicts.push({ url: decided.url, code: 'REDIRECT_LOOP', message });
      continue;
    }
    plan.wanted.push(wanted);
    if (drafts.every((draft) => answersAs(draft, wanted))) plan.leftOut++;
    else if (!after.every((draft) => answersAs(draft, wanted))) plan.literals.push(wanted);
  }
  return plan;
}

const statusOf = ({ target, statusCode }: DecidedUrl, options: ApplyOptions): number =>
  statusCode ?? (target === null ? GONE : options.statusCode);

/** A ruleset of the redirects of the URLs alone. */
function ownRedirects(urls: DecidedUrl[], options: ApplyOptions): Ruleset {
  const draft = emptyRuleset().fork();
  const keys = new Set<string>();
  for (const [index, decided] of urls.entries()) {
    const key = ruleKey(decided.url, false);
    if (keys.has(key)) continue;
    keys.add(key);
    const statusCode = statusOf(decided, options);
    draft.add({ id: index + 1, key, isRegex: false, newPath: decided.target, statusCode });
  }
  return draft.seal();
}

function wantedOf(
  decided: DecidedUrl,
  own: Ruleset,
  site: MatchOptions | undefined,
  options: ApplyOptions,
): Wanted | undefined {
  const statusCode = statusOf(decided, options);
  const match = site && own.match(splitTarget(decided.url), site);
  if (!match && statusHasTarget(statusCode)) return undefined;
  return { ...decided, statusCode, location: match?.location ?? null };
}

const answerIn = ({ ruleset, options, at }: Draft, url: string): Match | undefined =>
  ruleset.match(splitTarget(url), options, at);

function answersAs(draft: Draft, { url, statusCode, location }: Wanted): boolean {
  const match = answerIn(draft, url);
  return match?.statusCode === statusCode && match.location === location;
}

/** The rules that answer no kept URL, and replace no other rule unasked. The others are conflicts. */
function allowedRules(
  { kept, rules }: Decisions,
  drafts: Draft[],
  options: ApplyOptions,
  conflicts: ApplyConflict[],
): MoveRule[] {
  const left = new Map(rules.map((rule) => [rule.pattern, rule]));
  for (const { pattern, target } of rules) {
    const other = drafts.map(({ ruleset }) => ruleset.get(pattern)).find((rule) => rule && rule.newPath !== target);
    if (!other || options.replaces) continue;
    const message = `rule: ${pattern} exists and leads to ${other.newPath}; it stays, send on_conflict=update to replace it`;
    conflicts.push({ url: pattern, code: 'CONFLICT', message });
    left.delete(pattern);
  }
  const after = drafts.map((draft) => ({ ...draft, ruleset: withRules(draft.ruleset, [...left.values()], options) }));
  for (const url of kept) {
    for (const draft of after) {
      const key = answerIn(draft, url)?.key;
      if (key === undefined || !left.delete(key)) continue;
      const message = `rule: ${key} would answer ${url}, which is decided to stay; its rows become redirects of their own`;
      conflicts.push({ url: key, code: 'RULE_ANSWERS_ROW', message });
    }
  }
  return [...left.values()];
}

function withRules(ruleset: Ruleset, rules: readonly MoveRule[], { statusCode }: ApplyOptions): Ruleset {
  const draft = ruleset.fork();
  for (const [index, { pattern, target }] of rules.entries()) {
    draft.remove(pattern);
    draft.add({ id: -1 - index, key: pattern, isRegex: true, newPath: target, statusCode });
  }
  return draft.seal();
}
