/** The texts of a review, and of deployments that would remove many redirects. */
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import type { ApiError } from '../../api/client/api-error.ts';
import { counted, number } from '../../format.ts';
import type { Publication } from './use-publish.ts';
import type { ReviewedAction } from '../../api/deployments.ts';

interface ReviewText {
  title: string;
  lead: string;
  verb: string;
}

export function reviewText(environment: Environment, reviewed: ReviewedAction, isForced: boolean): ReviewText {
  const text = textOf(environment, reviewed);
  if (!isForced) return text;
  return {
    title: `${text.title} anyway?`,
    lead: 'Expectations and URLs are not checked for this deployment. The history marks it as forced.',
    verb: `${text.verb} anyway`,
  };
}

/** The title after an undo of a deployment; undefined before. */
export function undoneTitle({ deployment, isUndo }: Publication): string | undefined {
  const { status, source, version } = deployment;
  return isUndo && status === 'completed' ? `Version ${source?.version ?? version} is live again` : undefined;
}

function textOf(name: string, reviewed: ReviewedAction): ReviewText {
  if (reviewed.action === 'deploy') {
    return { title: `Deploy to ${name}`, lead: 'Publishes the current redirects.', verb: 'Deploy' };
  }
  if (reviewed.action === 'rollback') {
    const title = `Roll back ${name} to version ${reviewed.version}`;
    const lead = `Publishes its rules again, and stops automatic deployments to ${name} until the next Deploy.`;
    return { title, lead, verb: 'Roll back' };
  }
  const { source } = reviewed;
  return {
    title: `Promote ${source} to ${name}`,
    lead: `Publishes what is live in ${source}, and adds ${name} to its redirects. If redirects for ${name} then differ, automatic deployments stop until the next Deploy.`,
    verb: 'Promote',
  };
}

/** The share of the live redirects above which a removal is confirmed. */
const CONFIRMED_SHARE = 0.1;

/**
 * The text to confirm if more than 10 % of the live redirects would be removed; undefined if fewer are. `live`:
 * undefined if their number is not known yet.
 */
export function removalQuestion(removed: number, promoted: number, live: number | undefined): string | undefined {
  const apart = promoted === 0 ? '' : `, ${number(promoted)} of them live only by a promotion`;
  if (live === undefined) return removed > 0 ? `Remove ${counted(removed, 'live redirect')}${apart}` : undefined;
  if (removed <= live * CONFIRMED_SHARE) return undefined;
  if (removed >= live) return `Remove all ${counted(live, 'live redirect')}${apart}`;
  return `Remove ${number(removed)} of ${number(live)} live redirects${apart}`;
}

/**
 * How many of all live redirects a deployment would remove: the counts of a TOO_MANY_REMOVALS response, from its
 * details; undefined for other errors.
 */
export function removalsIn({ code, details }: Pick<ApiError, 'code' | 'details'>) {
  if (code !== 'TOO_MANY_REMOVALS') return undefined;
  const [, removed, total, environment] = /([\d,]+) of ([\d,]+) live rules of (\w+)/.exec(details) ?? [];
  if (removed === undefined || total === undefined || environment === undefined) return undefined;
  return { removed: countIn(removed), total: countIn(total), environment };
}

const countIn = (text: string): number => Number(text.replaceAll(',', ''));
