import { joinTargets, skipProblem } from '../../../src/vocabulary/skipped-hops.ts';
import type { TestedUrl } from '../api/client/wire.ts';

/** The target with which the first redirect of a chain may skip later ones, as flattening does; undefined if none. */
export function directTarget([first, ...later]: TestedUrl['hops']): string | undefined {
  const targets = [first?.location ?? ''];
  for (const { redirect_id: id, status_code: statusCode, location, scheduled: isScheduled = false } of later) {
    if (!first || location === null || id === null) break;
    if (skipProblem(first.status_code, { statusCode, isScheduled })) break;
    targets.push(location);
  }
  return targets.length > 1 ? joinTargets(targets) : undefined;
}
