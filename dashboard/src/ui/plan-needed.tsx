import { cheapestPlanWith, type PlanFeature } from '../../../src/vocabulary/plan.ts';
import { user } from '../state/session.ts';
import { LinkButton } from './button.tsx';
import type { IconName } from './icons.tsx';
import { Empty } from './states.tsx';

interface Offer {
  icon: IconName;
  name: string;
  /** what one would see here */
  what: string;
}

const OFFERS: Record<PlanFeature, Offer> = {
  apiAccess: {
    icon: 'key',
    name: 'API keys',
    what: 'Programs import, export, deploy and read reports with a key.',
  },
  analytics: {
    icon: 'analytics',
    name: 'Analytics',
    what: 'Hits by day, country and redirect, and the paths that visitors asked for in vain.',
  },
  webhooks: {
    icon: 'webhooks',
    name: 'Webhooks',
    what: 'Other systems are told of every change, deployment and import.',
  },
};

/** In place of a screen whose feature the account's plan does not have. */
export function PlanNeeded({ feature }: { feature: PlanFeature }) {
  const { icon, name, what } = OFFERS[feature];
  return (
    <Empty
      icon={icon}
      title={`${name} come with the plan ${capital(cheapestPlanWith(feature))}`}
      actions={<LinkButton href="/account">See your plan</LinkButton>}
    >
      {what} This account has the plan {capital(user.value?.plan ?? '')}; whoever runs this service can change
      it.
    </Empty>
  );
}

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
