import { cheapestPlanWith, type PlanFeature } from '../../../../src/vocabulary/plan.ts';
import { capitalized } from '../../format.ts';
import { user } from '../../state/session.ts';
import { LinkButton } from '../button.tsx';
import type { IconName } from '../icons.tsx';
import { Page } from './page.tsx';
import { Empty, Notice } from './states.tsx';

const OFFERS: Record<PlanFeature, { icon: IconName; name: string; description: string }> = {
  apiAccess: {
    icon: 'key',
    name: 'API keys',
    description: 'Import, export, deploy and read reports from your own programs.',
  },
  analytics: {
    icon: 'analytics',
    name: 'Analytics',
    description: 'See hits by day, country and redirect, and the paths that returned 404.',
  },
  webhooks: {
    icon: 'webhooks',
    name: 'Webhooks',
    description: 'Notify other systems of every change, deployment and import.',
  },
};

/** Replaces a screen whose feature is not in the account's plan. */
export function PlanNeeded({ feature }: { feature: PlanFeature }) {
  const { icon, name, description } = OFFERS[feature];
  return (
    <Empty
      icon={icon}
      title={`${name} require the ${requiredPlan(feature)} plan`}
      actions={<LinkButton href="/account">View plan</LinkButton>}
    >
      {description} This account is on the {currentPlan()} plan. Your administrator can change it.
    </Empty>
  );
}

/** The name of the cheapest plan with the feature. */
export const requiredPlan = (feature: PlanFeature): string => capitalized(cheapestPlanWith(feature));

export const currentPlan = (): string => capitalized(user.value?.plan ?? '');

/** After a downgrade: what the account has of a feature stays, without effect. */
export function PlanNotice({ feature, effect, still }: { feature: PlanFeature; effect: string; still: string }) {
  return (
    <Notice>
      {effect} require the {requiredPlan(feature)} plan, and this account is on the {currentPlan()} plan. You can still{' '}
      {still}.
    </Notice>
  );
}

/** Replaces a screen that only owners may see. `can`: what the others cannot, such as `manage API keys`. */
export function OwnersOnly(props: { title: string; lead: string; icon: IconName; can: string; more: string }) {
  const { icon, can, more, ...page } = props;
  return (
    <Page {...page}>
      <Empty icon={icon} title={`Only owners can ${can}`}>
        {more}
      </Empty>
    </Page>
  );
}
