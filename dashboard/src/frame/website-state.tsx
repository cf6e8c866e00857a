import type { Website } from '../api/wire.ts';
import { environmentStates, useEnvironmentStates } from '../state/environments.ts';
import { Icon } from '../ui/icons.tsx';
import { stateLines } from './state-lines.ts';

/** Renders nothing. Loads the states that WebsiteState shows. */
export function WebsiteStateWatch({ websiteId }: { websiteId: number }) {
  useEnvironmentStates(websiteId);
  return null;
}

/** The length of the name of the environment, which narrow pages have no room for. */
const placeEnd = (text: string): number => text.indexOf(': ') + 2;

/** Says what is not live, with links to its review; nothing if everything is. `max`: lines that have room. */
export function WebsiteState({ website, max = Infinity }: { website: Website; max?: number }) {
  const lines = stateLines(website, environmentStates.value);
  if (lines.length === 0) return null;
  return (
    <ul class="website-state" aria-label="Not live">
      {lines.slice(0, max).map(({ text, href, isFailure }) => (
        <li key={href}>
          <a class="state-line" href={href} title={text} aria-label={text} data-failure={isFailure}>
            {isFailure && <Icon name="warning" />}
            <span>
              <span class="state-place">{text.slice(0, placeEnd(text))}</span>
              {text.slice(placeEnd(text))}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
