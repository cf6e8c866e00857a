import { planHas } from '../../state/session.ts';
import { currentPlan, requiredPlan } from '../../ui/plan-needed.tsx';
import { Notice } from '../../ui/states.tsx';

/** After a downgrade, existing webhooks can be viewed and deleted, but nothing is sent. */
export function PlanNotice() {
  if (planHas('webhooks')) return null;
  return (
    <Notice>
      Nothing is sent: webhooks require the {requiredPlan('webhooks')} plan, and this account is on the {currentPlan()}{' '}
      plan. You can still read the log and delete webhooks.
    </Notice>
  );
}
