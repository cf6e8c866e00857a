import type { Website } from '../api/client/wire.ts';
import { environmentStates, useEnvironmentStates } from '../state/environments.ts';
import { Icon } from '../ui/icons.tsx';
import { stateLines } from './state-lines.ts';

/** Renders nothing. Loads the states that WebsiteState shows. */
export function WebsiteStateWatch({ websiteId }: { websiteId: number }) {
  useEnvironmentStates(websiteId);
  return null;
}

/** Says which changes are not live, with links to their review. `isNarrow`: there is room for one line. */
export function WebsiteState({ website, isNarrow = false }: { website: Website; isNarrow?: boolean }) {
  const lines = stateLines(website, environmentStates.value);
  if (lines.length === 0) return null;
  return (
    <ul class="website-state shrink" aria-label="Not live">
      {lines.slice(0, isNarrow ? 1 : undefined).map(({ place, text, href, isFailure }) => (
        <li key={href}>
          <a
            class="line state-line"
            href={href}
            title={`${place}: ${text}`}
            aria-label={`${place}: ${text}`}
            data-failure={isFailure}
          >
            {isFailure && <Icon name="warning" />}
            <span class={isNarrow ? 'truncate' : undefined}>
              {!isNarrow && `${place}: `}
              {text}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
