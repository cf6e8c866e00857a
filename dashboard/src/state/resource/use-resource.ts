import { type Signal, useSignal } from '@preact/signals';
import type { ApiError } from '../../api/client/api-error.ts';
import { type ReadOptions, useReads } from './use-reads.ts';

export interface Resource<Data> {
  /** undefined until the first read of this key succeeds; kept while it is read again */
  data: Signal<Data | undefined>;
  error: Signal<ApiError | undefined>;
  isLoading: Signal<boolean>;
  reload: () => void;
}

/** Reads one resource of the service. `key` names everything that the result depends on. */
export function useResource<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  options: ReadOptions = {},
): Resource<Data> {
  const data = useSignal<Data | undefined>(undefined);
  const { error, isLoading, read } = useReads<Data>(key, {
    ...options,
    load: (_cursor, signal) => load(signal),
    onResult: (result) => (data.value = result),
    onKeyChange: () => (data.value = undefined),
  });
  return { data, error, isLoading, reload: () => read() };
}
