/** The lines of the frame about a website that is not live as it is. */
import type { EnvironmentState, Website } from '../api/client/wire.ts';
import { counted, number } from '../format.ts';
import { reviewUrl } from '../urls.ts';
import { ENVIRONMENT_LABEL } from '../ui/text/environment.tsx';

export interface StateLine {
  /** the environment, such as `Production` */
  place: string;
  /** such as `10 changes wait` */
  text: string;
  /** where to review it */
  href: string;
  isFailure: boolean;
}

/** One line for each environment with waiting changes, on hold, or with a failed deployment. */
export function stateLines(website: Pick<Website, 'id' | 'auto_deploy'>, states: EnvironmentState[]): StateLine[] {
  return states.flatMap((state) => {
    const text = textOf(website, state);
    if (text === '') return [];
    const { environment } = state;
    return {
      place: ENVIRONMENT_LABEL[environment],
      text,
      href:
        state.waiting_changes > 0 && !state.failed_deployment
          ? reviewUrl(website.id, environment, { action: 'deploy' })
          : `/websites/${website.id}/deployments?environment=${environment}`,
      isFailure: state.failed_deployment !== null,
    };
  });
}

function textOf({ auto_deploy: isAutomatic }: Pick<Website, 'auto_deploy'>, state: EnvironmentState): string {
  const { differences: count, live_only: promoted, held, deploying, failed_deployment: failed } = state;
  const waiting = count > 0 ? `${counted(count, 'change')} ${count === 1 ? 'waits' : 'wait'}` : '';
  // Shows no line that disappears within a second.
  if (isAutomatic && deploying && !held && !failed) return '';
  const cause = failed ? 'deployment failed' : held && isAutomatic ? 'on hold' : '';
  const kept = promoted > 0 ? `${number(promoted)} live only by a promotion` : '';
  return [cause, waiting, kept].filter((part) => part !== '').join(', ');
}
