/** Results of live checks in plain words; apart from their states, which the list of redirects shows too. */
import { type Found, STATES } from './states.ts';

const REASONS: Record<string, string> = {
  dns: 'The host name does not exist or does not resolve',
  tls: 'No secure connection: the certificate is invalid, or TLS fails',
  timeout: 'The host does not answer within 10 seconds',
  refused: 'The host refuses the connection',
  reset: 'The host ends the connection without an answer',
  no_answer: 'The host gives no answer',
  robots: 'The robots.txt of the host forbids it',
  retry_after: 'The host asks to wait for more than 10 minutes',
  too_many_hops: 'More than 10 redirects in a row',
  loop: 'The redirects form a loop',
  address_not_allowed: 'Checks connect to public addresses only, at the ports 80 and 443',
  bad_location: 'A redirect leads to something that is no web address',
  location: 'The redirect leads elsewhere',
  pattern: 'A pattern has no address of its own; an expectation can give it one',
  too_many_expectations: 'There are too many expectations to find one for this pattern',
  not_live: 'The redirect is not live in this environment',
  internal: 'The service failed; the target was not requested',
};

const STATUS_TEXTS: Record<string, string> = {
  401: 'The host asks for a sign-in',
  403: 'The host refuses access',
  405: 'The host refuses the method',
  404: 'The page does not exist',
  410: 'The page is gone',
  429: 'The host gets too many requests',
  451: 'The page is withheld for legal reasons',
  999: 'The host refuses automatic requests',
};

/** A reason such as `dns` or `http_404` as a sentence; '' without one. An unknown one stays as it is. */
export function reasonText(reason: string | null): string {
  if (reason === null) return '';
  const [, status] = /^http_(\d{3})$/.exec(reason) ?? [];
  if (status === undefined) return REASONS[reason] ?? reason;
  return `${STATUS_TEXTS[status] ?? (status.startsWith('5') ? 'The server fails' : 'The host responds')} (${status})`;
}

/** Why a target has its state, and what follows. '' if it simply works, or was not asked yet. */
export function resultText({ state, reason, confirmed, note }: Found): string {
  if (state === null) return reason === null ? '' : `${reasonText(reason)}. It is asked again`;
  const why = reasonText(reason) || STATES[state].help;
  const more = [
    ...(note === 'host_answers_everything' ? ['The host answers any path like this one'] : []),
    ...(state === 'error' && !confirmed ? ['It is tried again within an hour'] : []),
  ];
  return [why, ...more].filter(Boolean).join('. ');
}

/** A result; `all` are those of its host with the same cause, itself included. */
export type Grouped<Result> = Result & { all?: Result[] };

/** Errors and refusals of a host have one remedy. Other states, such as dead pages, are a group only if they are many. */
const minGroup = ({ state }: Found): number => (state === 'error' || state === 'blocked' ? 4 : 20);

export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** Groups results that do not work by host and cause. A group has the place of its first result. */
export function groupResults<Result extends Found & { url: string }>(results: readonly Result[]): Grouped<Result>[] {
  const keyOf = (result: Result): string =>
    ['ok', 'moved', null].includes(result.state)
      ? result.url
      : `${hostOf(result.url)} ${result.state} ${resultText(result)}`;
  const groups = Map.groupBy(results, keyOf);
  return results.flatMap((result): Grouped<Result>[] => {
    const all = groups.get(keyOf(result)) ?? [];
    if (all.length < minGroup(result)) return [result];
    return all[0] === result ? [{ ...result, all }] : [];
  });
}
