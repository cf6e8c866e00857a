/** The selected findings, kept in the URL so that a link shows the same. */
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import type { HealthPage, ListedLiveCheck } from '../../api/client/wire.ts';
import { dayOf } from '../../format.ts';

/** By severity; each has a count in the report. */
export const FINDINGS = ['loops', 'broken_targets', 'chains', 'shadowed', 'duplicates'] as const;
export type Finding = (typeof FINDINGS)[number];
/** Those that the report lists. */
export type Listed = Exclude<Finding, 'broken_targets'>;

export const FINDING_LABEL: Record<Finding, string> = {
  loops: 'Loops',
  broken_targets: 'Broken targets',
  chains: 'Chains',
  shadowed: 'Shadowed',
  duplicates: 'Duplicates',
};

/** Meaning of each finding, and its remedy. */
export const FINDING_HELP: Record<Finding, string> = {
  loops: 'These redirects form loops, so visitors see an error. Change or delete one redirect of each loop.',
  broken_targets: 'The last live check of these targets found that they do not work. Choose another page for each.',
  chains: 'Visitors are redirected more than once. Flattening redirects them directly to the end.',
  shadowed:
    'These patterns never match, because another redirect always takes precedence. Delete them, or change the other one.',
  duplicates: 'These paths are the same under the options of this website. Keep one of each.',
};

/** Not in the report: it is counted when it is opened. */
export const isUnused = (query: URLSearchParams): boolean => query.get('show') === 'unused';

/** Without a hit, a redirect is unused: a choice of the filter of the list. */
export const UNUSED_AFTER_DAYS = 90;

/** Why no redirect is unused. `oldest`: when the first one was created; `before`: the day that it must precede. */
export function noneText(place: string, oldest: string | undefined, before: string): string {
  if (oldest === undefined) return `${place} has no redirects.`;
  if (oldest >= before)
    return `No redirect in ${place} is older than ${UNUSED_AFTER_DAYS} days yet: the oldest is of ${dayOf(oldest)}.`;
  return `Every redirect in ${place} that is older than ${UNUSED_AFTER_DAYS} days was used since.`;
}

/** The finding in the URL, otherwise the most severe one that exists. */
export function findingIn(query: URLSearchParams, counts: HealthPage['counts']): Finding {
  const named = FINDINGS.find((each) => each === query.get('show'));
  return named ?? FINDINGS.find((each) => counts[each] > 0) ?? 'loops';
}

/** The URL of one finding in the current environment. */
export function findingUrl(finding: Finding | 'unused', query: URLSearchParams): string {
  const next = new URLSearchParams(query);
  next.set('show', finding);
  next.delete('do');
  next.delete('target');
  return `?${next.toString()}`;
}

/** Whether none of the checks has asked targets of the environment. A further page may have one that did. */
export const isUnchecked = (
  { checks, next_cursor: next }: { checks: readonly ListedLiveCheck[]; next_cursor: string | null },
  environment: Environment,
): boolean =>
  next === null &&
  checks.every((check) => check.kind !== 'targets' || check.environment !== environment || check.progress.done === 0);
