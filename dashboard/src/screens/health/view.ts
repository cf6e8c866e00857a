/** What of the report is shown, kept in the address so that a link shows the same. */
import { type Environment, isEnvironment } from '../../../../src/vocabulary/environment.ts';
import type { HealthPage } from '../../api/wire.ts';

export const FINDINGS = ['loops', 'chains', 'shadowed', 'duplicates'] as const;
export type Finding = (typeof FINDINGS)[number];

export const FINDING_LABEL: Record<Finding, string> = {
  loops: 'Loops',
  chains: 'Chains',
  shadowed: 'Shadowed',
  duplicates: 'Duplicates',
};

/** What each finding is, and what to do about it. */
export const FINDING_WORDS: Record<Finding, string> = {
  loops: 'These lead in a circle, so visitors see an error. Change or delete one redirect of each circle.',
  chains: 'Visitors of these are sent on more than once. Flattened, each leads straight to the end.',
  shadowed:
    'These patterns never answer here, because another redirect always does. Delete them, or change the other one.',
  duplicates: 'These paths are one under the options of this website. Keep one of each.',
};

export const environmentIn = (query: URLSearchParams): Environment => {
  const named = query.get('environment') ?? '';
  return isEnvironment(named) ? named : 'production';
};

/** The finding of the address, else the worst that there is. */
export function findingIn(query: URLSearchParams, counts: HealthPage['counts']): Finding {
  const named = FINDINGS.find((each) => each === query.get('show'));
  return named ?? FINDINGS.find((each) => counts[each] > 0) ?? 'loops';
}

/** The address of one finding, in the environment that is shown. */
export function addressOf(finding: Finding, query: URLSearchParams): string {
  const next = new URLSearchParams(query);
  next.set('show', finding);
  next.delete('do');
  return `?${next.toString()}`;
}
