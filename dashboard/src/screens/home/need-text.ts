/** The lines of Home: each names a thing that needs attention, and has one link to the screen for it. */
import { capitalized, counted, nearTime, number } from '../../format.ts';
import type { HomeNeed } from '../../state/shown-needs.ts';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { environmentUrl, redirectUrl, reviewUrl } from '../../urls.ts';

export interface NeedText {
  text: string;
  /** a path or a name, after the text */
  subject?: string | null;
  /** the label of the link */
  action: string;
  href: string;
  /** visitors or systems already notice it */
  isBad?: boolean;
}

/** `base`: the path of the website's pages; `place`: such as `Production`. */
type Text = (need: HomeNeed, base: string, place: string) => NeedText;

const TEXTS: Record<HomeNeed['kind'], Text> = {
  'deployment.failed': (need, base, place) => ({
    text: `The last deployment to ${place} failed`,
    action: 'View',
    href: environmentUrl(`${base}/deployments`, need.environment),
    isBad: true,
  }),
  'deployment.gated': (need, base, place) => ({
    text: `Expectations or URLs prevented the last deployment to ${place}${firstFailure(need)}`,
    action: 'View',
    href: environmentUrl(`${base}/deployments`, need.environment),
    isBad: true,
  }),
  'changes.waiting': (need, _base, place) => ({
    text: `${things(need, 'change')} ${need.count === 1 ? 'waits' : 'wait'} for ${place}`,
    action: 'Review',
    href: reviewUrl(Number(need.website_id), need.environment ?? 'production', { action: 'deploy' }),
  }),
  'environment.held': (need, base, place) => ({
    text: `${place} is on hold: changes wait until you deploy`,
    action: 'View',
    href: environmentUrl(`${base}/deployments`, need.environment),
  }),
  'urls.lost': (need, base, place) => ({
    text: `${things(need, 'URL')} ${need.count === 1 ? 'is' : 'are'} lost in ${place}`,
    action: 'View',
    href: environmentUrl(`${base}/urls`, need.environment),
    isBad: true,
  }),
  'loops.live': (need, base, place) => ({
    text: `${things(need, 'redirect')} ${need.count === 1 ? 'is' : 'are'} in a loop in ${place}, such as`,
    subject: need.subject,
    action: 'View',
    href: `${base}/health?show=loops${need.environment === 'production' ? '' : `&environment=${need.environment}`}`,
    isBad: true,
  }),
  'expectations.failing': (need, base, place) => ({
    text: `${things(need, 'expectation')} ${need.count === 1 ? 'fails' : 'fail'} in ${place}${need.is_gate === true ? ' and prevented the last deployment' : ''}, first`,
    subject: need.subject,
    action: 'View',
    href: environmentUrl(`${base}/${need.is_gate === true ? 'deployments' : 'expectations'}`, need.environment),
    isBad: true,
  }),
  'targets.broken': (need, base) => ({
    text: `${things(need, 'redirect')} ${need.count === 1 ? 'leads' : 'lead'} to a broken target${inPlaces(need)}`,
    action: 'View',
    href: brokenUrl(need, base),
    isBad: true,
  }),
  'not_found.paths': (need, base, place) => ({
    text: `Visitors do not find ${things(need, 'path')} in ${place}, most often`,
    subject: need.subject,
    action: 'Redirect',
    href: environmentUrl(`${base}/not-found`, need.environment),
  }),
  'redirect.starts_soon': (need) => scheduled(need, 'starts', 'start'),
  'redirect.ends_soon': (need) => scheduled(need, 'ends', 'end'),
  'key.ends_soon': (need) => ({
    text: need.count === 1 ? 'An API key expires soon:' : `${things(need, 'API key')} expire soon, first`,
    subject: need.subject,
    action: 'View',
    href: '/account/keys',
  }),
  'webhook.failing': (need) => ({
    text: need.count === 1 ? 'A webhook fails:' : `${things(need, 'webhook')} fail, such as`,
    subject: need.subject,
    action: 'View',
    href: need.subject_id === null ? '/webhooks' : `/webhooks/${need.subject_id}`,
    isBad: true,
  }),
  'notice.failing': (need) => ({
    text: need.count === 1 ? 'A notice does not arrive:' : `${things(need, 'notice')} do not arrive, such as`,
    subject: need.subject,
    action: 'View',
    href: need.subject_id === null ? '/notices' : `/notices/${need.subject_id}`,
    isBad: true,
  }),
  'agent.lagging': (need, base, place) => ({
    text: `${things(need, 'agent')} of ${place} ${need.count === 1 ? 'lags behind or is silent' : 'lag behind or are silent'}, such as`,
    subject: need.subject,
    action: 'View',
    href: environmentUrl(`${base}/deployments`, need.environment),
    isBad: true,
  }),
  'move.open': (need, base) => ({
    text:
      need.count === 0
        ? `Every URL is decided, but nothing is applied yet, in ${need.subject === null ? 'moves' : 'the move'}`
        : `${things(need, 'URL')} to decide in ${need.subject === null ? 'moves' : 'the move'}`,
    subject: need.subject,
    action: need.count === 0 ? 'Apply' : 'Decide',
    href: need.subject_id === null ? `${base}/moves` : `${base}/moves/${need.subject_id}`,
  }),
  'quota.near': (need) => ({
    text: 'The account is near a limit of its plan:',
    subject: need.subject,
    action: 'View',
    href: '/account',
  }),
  'host.unverified': (need, base) => ({
    text: need.count === 1 ? 'A host needs its proof:' : `${things(need, 'host')} need their proof, such as`,
    subject: need.subject,
    action: 'Verify',
    href: `${base}/settings`,
  }),
  'host.not_in_dns': (need, base) => ({
    text:
      need.count === 1
        ? 'A host is not in DNS, so that visitors cannot reach it:'
        : `${things(need, 'host')} are not in DNS, so that visitors cannot reach them, such as`,
    subject: need.subject,
    action: 'Set up',
    href: `${base}/settings?host=${encodeURIComponent(need.subject ?? '')}`,
  }),
};

/** The error until its first URL, such as `2 URLs would be lost: /a`. */
const firstFailure = ({ subject }: HomeNeed): string =>
  subject === null ? '' : `: ${subject.replace(/^[A-Z_]+: /, '').replace(/; .*/s, '')}`;

const things = ({ count, count_is_at_least: isMore }: HomeNeed, one: string): string =>
  isMore ? `at least ${number(count)} ${one}s` : counted(count, one);

const and = new Intl.ListFormat('en', { type: 'conjunction' });

/** ` in Production and Staging`; '' without environments. */
const inPlaces = ({ environments }: HomeNeed): string =>
  environments.length === 0 ? '' : ` in ${and.format(environments.map((each) => ENVIRONMENT_LABEL[each]))}`;

/** The broken targets of the first environment that has some: Health shows one. */
function brokenUrl({ environments: [first] }: HomeNeed, base: string): string {
  const environment = first === undefined || first === 'production' ? '' : `&environment=${first}`;
  return `${base}/health?show=broken_targets${environment}`;
}

const scheduled = (need: HomeNeed, one: string, many: string): NeedText => ({
  text: `${things(need, 'redirect')} ${need.count === 1 ? one : many} within 7 days, first`,
  subject: need.subject,
  action: 'View',
  href:
    need.count === 1
      ? redirectUrl(Number(need.website_id), need.subject_id ?? '')
      : `/websites/${need.website_id}/redirects?view=upcoming`,
});

/** The time of a count that no longer holds; undefined for one that does, which the screen of URLs agrees with. */
export function countText(countedAt: string | null, isStale: boolean, now = Date.now()): string | undefined {
  if (!isStale) return undefined;
  return countedAt === null ? 'counting again' : `as of ${nearTime(countedAt, now)}, counting again`;
}

const BEFORE_SUBJECT = /(?:, (?:such as|first|most often)|:)$/;

export function needText(need: HomeNeed): NeedText {
  const place = need.environment === null ? '' : ENVIRONMENT_LABEL[need.environment];
  const { text, ...rest } = TEXTS[need.kind](need, `/websites/${need.website_id}`, place);
  // The line for all further things of a kind names none of them.
  return { ...rest, text: capitalized(need.subject === null ? text.replace(BEFORE_SUBJECT, '') : text) };
}
