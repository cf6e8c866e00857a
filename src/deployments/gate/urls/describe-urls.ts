/** Failures of the gate of URLs as JSON on the wire, in words for the error of a deployment, and its warnings. */
import type { DeploymentWarning } from '../../../db/schema/deployments.ts';
import { shown } from '../describe.ts';
import type { UrlComparison, UrlFailure } from './compare-urls.ts';

/** A failure as JSON text, as every surface sends it. */
export function urlFailureJson(failure: UrlFailure): string {
  const { kind, url, weight } = failure;
  const reason =
    failure.kind === 'url_lost'
      ? { reason: failure.reason }
      : { old_path: failure.oldPath, shadowed_by: failure.shadow };
  return JSON.stringify({ kind, url, weight, ...reason });
}

/** URLs of each kind that the error of a deployment names. */
const MAX_NAMED = 3;

/** Says how many URLs would be lost and hidden, with the first ones. */
export function urlFailuresInWords({ lost, shadowed, failures }: UrlComparison): string {
  const part = (kind: UrlFailure['kind'], count: number, [one, more]: [string, string]): string[] => {
    if (count === 0) return [];
    const named = failures.filter((failure) => failure.kind === kind).slice(0, MAX_NAMED);
    const list = [...named.map(({ url }) => shown(url)), ...(count > named.length ? ['and more'] : [])].join('; ');
    return [`${count.toLocaleString('en')} ${count === 1 ? one : more}: ${list}`];
  };
  return [
    ...part('url_lost', lost, ['URL would be lost', 'URLs would be lost']),
    ...part('url_shadowed', shadowed, [
      'living page would be hidden by a rule',
      'living pages would be hidden by rules',
    ]),
  ].join('; ');
}

/** The warning of living pages that a literal rule for exactly their URL hides: the first 1,000. */
export function shadowWarnings({ covered }: UrlComparison): DeploymentWarning[] {
  if (covered.count === 0) return [];
  const more = covered.count > covered.urls.length ? [{ code: 'MORE_URLS_SHADOWED', old_paths: [] }] : [];
  return [{ code: 'URL_SHADOWED', old_paths: covered.urls }, ...more];
}
