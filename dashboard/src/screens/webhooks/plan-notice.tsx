import { cheapestPlanWith } from '../../../../src/vocabulary/plan.ts';
import { planHas } from '../../state/plan.ts';
import { user } from '../../state/session.ts';
import { Notice } from '../../ui/states.tsx';

/** After a downgrade: what there is can be read and deleted, and nothing is sent. */
export function PlanNotice() {
  if (planHas('webhooks')) return null;
  return (
    <Notice>
      Nothing is sent: webhooks come with the plan {cheapestPlanWith('webhooks')}, and this account has the
      plan {user.value?.plan}. You can still read the log and delete webhooks.
    </Notice>
  );
}
