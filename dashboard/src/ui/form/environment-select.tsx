import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { setQuery } from '../../router.ts';
import { ENVIRONMENT_OPTIONS } from '../text/environment.tsx';
import { Select } from './field.tsx';

/** Selects the `environment` in the URL; production is omitted. A change removes the query parameters in `resets`. */
export function EnvironmentSelect({ value, resets = [] }: { value: Environment; resets?: string[] }) {
  return (
    <Select
      aria-label="Environment"
      value={value}
      options={ENVIRONMENT_OPTIONS}
      onChoose={(name) =>
        setQuery({
          ...Object.fromEntries(resets.map((each) => [each, undefined])),
          environment: name === 'production' ? undefined : name,
        })
      }
    />
  );
}
