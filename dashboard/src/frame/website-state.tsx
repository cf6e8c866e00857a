import type { Website } from '../api/client/wire.ts';
import { environmentStates, useEnvironmentStates } from '../state/environments.ts';
import { Icon } from '../ui/icons.tsx';
import { stateLines } from './state-lines.ts';

/** Renders nothing. Loads the states that WebsiteState shows. */
export function WebsiteStateWatch({ websiteId }: { websiteId: number }) {
  useEnvironmentStates(websiteId);
  return null;
}

/** Says what is not live, with links to its review; nothing if everything is. `max`: lines that have room. */
export function WebsiteState({ website, max = Infinity }: { website: Website; max?: number }) {
  const lines = stateLines(website, environmentStates.value);
  if (lines.length === 0) return null;
  return (
    <ul class="website-state" aria-label="Not live">
      {lines.slice(0, max).map(({ place, text, href, isFailure }) => (
        <li key={href}>
          <a
            class="state-line"
            href={href}
            title={`${place}: ${text}`}
            aria-label={`${place}: ${text}`}
            data-failure={isFailure}
          >
            {isFailure && <Icon name="warning" />}
            <span>
              {/* Narrow pages have no room for it. */}
              <span class="state-place">{place}: </span>
              {text}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
