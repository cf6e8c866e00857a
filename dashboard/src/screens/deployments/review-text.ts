/** The action that a review is of, its texts, and those of deployments that would remove many redirects. */
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import type { Deployment, Diff, HealthPage } from '../../api/client/wire.ts';
import type { TestedRules } from '../../ui/list/answering-redirect.tsx';
import type { ApiError } from '../../api/client/api-error.ts';
import { capitalized, counted, number } from '../../format.ts';
import { versionName } from '../../ui/text/version-name.ts';
import type { Publication } from './use-publish.ts';
import type { ReviewedAction } from '../../api/deployments.ts';

/** The action of a deployment, to review it again. */
export function reviewedOf({ kind, source }: Pick<Deployment, 'kind' | 'source'>): ReviewedAction {
  if (kind === 'rollback' && source) return { action: 'rollback', version: source.version };
  return kind === 'promote' && source ? { action: 'promote', source: source.environment } : { action: 'deploy' };
}

/** The rules that would be published, for the tester. It has no former versions: those of a rollback are the live ones. */
export function testedRules(websiteId: number, environment: Environment, reviewed: ReviewedAction): TestedRules {
  if (reviewed.action === 'promote') return { websiteId, environment: reviewed.source };
  return { websiteId, environment, rules: reviewed.action === 'deploy' ? 'draft' : undefined };
}

interface ReviewText {
  title: string;
  lead: string;
  verb: string;
}

/** `isAutomatic`: the website deploys its changes, which a rollback or promotion stops. */
export function reviewText(
  environment: Environment,
  reviewed: ReviewedAction,
  { isForced, isAutomatic }: { isForced: boolean; isAutomatic: boolean },
): ReviewText {
  const text = textOf(environment, reviewed, isAutomatic);
  if (!isForced) return text;
  return {
    title: `${text.title} anyway?`,
    lead: 'Expectations and URLs are not checked for this deployment. The history marks it as forced.',
    verb: `${text.verb} anyway`,
  };
}

const LOOP_CODES = ['REDIRECT_LOOP', 'MORE_LOOPS', 'LOOP_SEARCH_CUT_SHORT'];

type Published = Pick<Deployment, 'status' | 'version' | 'warnings'>;

/** The loops of the version that a promotion or rollback publishes; undefined if it is not in the list, newest first. */
export function loopsOf(
  deployments: readonly Published[],
  reviewed: ReviewedAction,
): Deployment['warnings'] | undefined {
  const number = reviewed.action === 'rollback' ? reviewed.version : undefined;
  const found = deployments.find(
    ({ status, version }) => status === 'completed' && (number === undefined || version === number),
  );
  return found?.warnings.filter(({ code }) => LOOP_CODES.includes(code));
}

/** The chains through a redirect that the difference adds, or to which it gives another target. */
export function chainsThrough<Chain extends Pick<HealthPage['chains'][number], 'old_path' | 'via'>>(
  { added, changed }: Pick<Diff, 'added' | 'changed'>,
  chains: readonly Chain[],
): Chain[] {
  const moved = changed.filter(({ before, after }) => before.new_path !== after.new_path);
  const paths = new Set([...added, ...moved.map(({ after }) => after)].map(({ old_path: path }) => path));
  return chains.filter(({ old_path: path, via }) => [path, ...via].some((each) => paths.has(each)));
}

/** The title when a version is live; undefined before. */
export function liveTitle({ deployment }: Publication): string | undefined {
  return deployment.status === 'completed' ? `${capitalized(versionName(deployment))} is live` : undefined;
}

function textOf(name: string, reviewed: ReviewedAction, isAutomatic: boolean): ReviewText {
  if (reviewed.action === 'deploy') {
    return { title: `Deploy to ${name}`, lead: 'Publishes the current redirects.', verb: 'Deploy' };
  }
  if (reviewed.action === 'rollback') {
    const title = `Roll back ${name} to version ${reviewed.version}`;
    const stops = `, and stops automatic deployments to ${name} until the next Deploy`;
    const lead = `Publishes its rules again${isAutomatic ? stops : ''}.`;
    return { title, lead, verb: 'Roll back' };
  }
  const { source } = reviewed;
  const stops = ` If redirects for ${name} then differ, automatic deployments stop until the next Deploy.`;
  return {
    title: `Promote ${source} to ${name}`,
    lead: `Publishes what is live in ${source}, and adds ${name} to its redirects.${isAutomatic ? stops : ''}`,
    verb: 'Promote',
  };
}

/** The share of the live redirects above which a removal is confirmed. */
const CONFIRMED_SHARE = 0.1;

/** Removed redirects that exist, but are not meant for the environment whose rules would be published. */
export interface NotMeant {
  count: number;
  environment: Environment;
}

/** Undefined without any, and for a rollback: its version does not follow the current targeting. */
export function notMeantOf(environment: Environment, reviewed: ReviewedAction, count: number): NotMeant | undefined {
  if (count === 0 || reviewed.action === 'rollback') return undefined;
  return { count, environment: reviewed.action === 'promote' ? reviewed.source : environment };
}

/** `2 redirects are not meant for staging, and are removed from production.` */
export function notMeantText({ count, environment }: NotMeant, target: Environment): string {
  const verb = count === 1 ? 'is' : 'are';
  const of = environment === target ? 'removed' : `removed from ${target}`;
  return `${counted(count, 'redirect')} ${verb} not meant for ${environment}, and ${verb} ${of}.`;
}

interface Removals {
  removed: number;
  /** of these: redirects that are live only by a promotion */
  liveOnly: number;
  notMeant: NotMeant | undefined;
  /** the live redirects; undefined if their number is not known yet */
  live: number | undefined;
}

/** The text to confirm if more than 10 % of the live redirects would be removed; undefined if fewer are. */
export function removalQuestion({ removed, liveOnly, notMeant, live }: Removals): string | undefined {
  const apart = liveOnly > 0 ? `, ${number(liveOnly)} of them live only by a promotion` : apartText(notMeant);
  if (live === undefined) return removed > 0 ? `Remove ${counted(removed, 'live redirect')}${apart}` : undefined;
  if (removed <= live * CONFIRMED_SHARE) return undefined;
  if (removed >= live) return `Remove all ${counted(live, 'live redirect')}${apart}`;
  return `Remove ${number(removed)} of ${number(live)} live redirects${apart}`;
}

/**
 * The kind that a review opens on: removals, if they are most of the difference or have to be confirmed. `live`: the
 * live redirects; undefined if their number is not known.
 */
export function startKind({ added, changed, removed }: Diff['counts'], live?: number): 'removed' | undefined {
  const isConfirmed = live !== undefined && removed > live * CONFIRMED_SHARE;
  return removed > added + changed || isConfirmed ? 'removed' : undefined;
}

const apartText = (notMeant: NotMeant | undefined): string =>
  notMeant ? `, ${number(notMeant.count)} of them not meant for ${notMeant.environment}` : '';

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
