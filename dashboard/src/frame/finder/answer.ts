import { testUrl } from '../../api/redirects.ts';
import type { Redirect, TestedUrl, Website } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { redirectUrl } from '../../urls.ts';
import type { AskedUrl } from '../../asked-url.ts';
import { inactiveOf, scheduledText, startLabel, startNow } from '../../ui/scheduled-redirect.tsx';
import { toastError } from '../../state/toasts.ts';
import type { Entry, Section } from './entry.ts';

/**
 * How the live rules respond to a URL, and what to do next. `existing` finds the redirect of exactly this path, which may
 * not be live.
 */
export async function answerSection(
  { path, hostname, website, environment }: AskedUrl,
  here: Website,
  findExisting: () => Promise<Redirect | undefined>,
  signal: AbortSignal,
): Promise<Section> {
  const answer = await testUrl({ website_id: here.id, environment, against: 'live', url: path }, signal);
  const existing = answer.match || answer.inactive ? undefined : await findExisting();
  const where = ENVIRONMENT_LABEL[environment].toLowerCase();
  const base = `/websites/${here.id}`;
  const test: Entry = {
    icon: 'tester',
    text: 'Test this URL',
    href: `${base}/tester?environment=${environment}&url=${encodeURIComponent(path)}`,
  };
  const create: Entry = {
    icon: 'plus',
    text: `Create a redirect from ${path}`,
    note: here.name,
    href: `${base}/redirects?new=${encodeURIComponent(path)}`,
  };
  const mayCreate = mayEdit.value && !answer.match && !answer.inactive && !existing && path !== '/';
  const start = mayEdit.value && !answer.match && answer.inactive ? [startEntry(here, answer.inactive)] : [];
  return {
    title: titleOf(hostname, website, here),
    entries: [...(mayCreate ? [create] : []), outcome(answer, path, { here, where, existing, test }), ...start, test],
  };
}

function startEntry(here: Website, found: NonNullable<TestedUrl['inactive']>): Entry {
  const inactive = inactiveOf(here.id, found);
  const start = (): Promise<void> => startNow(inactive, { onUndone: () => {} });
  return {
    icon: 'check',
    text: startLabel(inactive),
    note: here.name,
    href: redirectUrl(here.id, inactive.id),
    run: () => void start().catch((thrown: unknown) => toastError(thrown, 'Could not change the schedule')),
  };
}

function titleOf(hostname: string | undefined, website: Website | undefined, here: Website): string {
  if (hostname === undefined) return `This path in ${here.name}`;
  return website ? `${hostname} is a host of ${website.name}` : `${hostname} is not a host of your websites`;
}

interface Place {
  here: Website;
  /** the environment, in lower case */
  where: string;
  existing: Redirect | undefined;
  test: Entry;
}

function outcome(answer: TestedUrl, path: string, { here, where, existing, test }: Place): Entry {
  const { match, inactive, location, status_code: status } = answer;
  if (match) {
    return {
      icon: 'redirects',
      text: path,
      target: location,
      badge: String(status),
      note: `Live in ${where}. ${reasonOf(match, answer)}`,
      href: redirectUrl(here.id, match.redirect_id),
    };
  }
  if (inactive) {
    return {
      icon: 'redirects',
      text: path,
      target: inactive.location,
      badge: String(inactive.status_code),
      note: `${status} now. ${scheduledText(inactiveOf(here.id, inactive))}.`,
      href: redirectUrl(here.id, inactive.redirect_id),
    };
  }
  if (existing) {
    return {
      icon: 'redirects',
      text: existing.old_path,
      target: existing.new_path,
      badge: String(existing.status_code),
      note: `Exists, but is not live in ${where}.`,
      href: redirectUrl(here.id, existing.id),
    };
  }
  const to = location === null ? 'Visitors get 404.' : `Visitors are sent to ${location}.`;
  const live = answer.version === 0 ? `Nothing is deployed to ${where}` : `No redirect in ${where} matches`;
  return { icon: 'missing', text: live, note: to, href: test.href };
}

const KIND: Record<NonNullable<TestedUrl['match']>['kind'], (pattern: string) => string> = {
  query: () => 'Wins because it requires this query.',
  exact: () => 'Exact path.',
  slash: (pattern) => `Matches ${pattern}: a trailing slash makes no difference.`,
  pattern: (pattern) => `Matches the pattern ${pattern}.`,
};

function reasonOf({ kind, old_path }: NonNullable<TestedUrl['match']>, answer: TestedUrl): string {
  const { beaten_count: beaten, hops, outcome: end } = answer;
  return [
    KIND[kind](old_path),
    ...(beaten > 0 ? [`Takes precedence over ${counted(beaten, 'other redirect')}.`] : []),
    ...(end === 'loop' ? ['Loop.'] : hops.length > 1 ? [`${hops.length} redirects in a row.`] : []),
  ].join(' ');
}
