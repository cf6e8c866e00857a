import { cheapestPlanWith, type PlanFeature } from '../../../src/vocabulary/plan.ts';
import { user } from '../state/session.ts';
import { Empty } from './states.tsx';

const WHAT: Record<PlanFeature, string> = {
  apiAccess: 'API keys',
  analytics: 'Analytics',
  webhooks: 'Webhooks',
};

/** In place of a screen whose feature the account's plan does not have. */
export function PlanNeeded({ feature }: { feature: PlanFeature }) {
  return (
    <Empty icon="missing" title={`${WHAT[feature]} come with the plan ${cheapestPlanWith(feature)}`}>
      This account has the plan {user.value?.plan}. Whoever runs this service can change it.
    </Empty>
  );
}
