import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listLiveChecks } from '../../api/live-checks.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { isUnchecked } from './view.ts';

/** Checks that are read: the last one of a kind and environment that has asked all targets is always kept. */
const CHECKS = 100;

/** Whether no live check has asked targets of the environment. `broken`: of the report; above 0 nothing is read. */
export function useUnchecked(websiteId: number, environment: Environment, broken: number | undefined): boolean {
  const { data } = useResource(`checked:${websiteId}:${environment}:${broken === 0}`, async (signal) =>
    broken === 0 ? isUnchecked(await listLiveChecks(websiteId, { limit: CHECKS }, signal), environment) : false,
  );
  return data.value ?? false;
}
