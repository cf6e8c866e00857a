import { type Signal, useSignal } from '@preact/signals';
import type { ApiError } from '../../api/api-error.ts';
import type { RedirectCheck } from '../../api/wire.ts';
import { type Draft, type LocalErrors, localErrors } from './draft.ts';
import { type FieldErrors, fieldErrorsOf } from './field-errors.tsx';
import { useCheck } from './use-check.ts';

export interface DraftState {
  draft: Draft;
  /** takes what was typed; what the service refused before is history then */
  onChange: (fields: Partial<Draft>) => void;
  /** whether anything was typed */
  isTouched: boolean;
  /** what keeps it from being sent at all */
  plain: LocalErrors;
  check: RedirectCheck | undefined;
  /** what the person sees at each field */
  problems: FieldErrors;
  /** what the service refused when it was to be saved */
  error: Signal<ApiError | undefined>;
}

/** A redirect while it is written, with all that is known of it. */
export function useDraft(
  start: Draft,
  about: {
    websiteId: number;
    targetHosts: readonly string[];
    redirectId?: number | undefined;
    tryPath?: string;
  },
): DraftState {
  const draft = useSignal(start);
  const touched = useSignal<ReadonlySet<string>>(new Set());
  const error = useSignal<ApiError | undefined>(undefined);
  const check = useCheck(about.websiteId, draft.value, about);
  const plain = localErrors(draft.value, about.targetHosts);
  return {
    draft: draft.value,
    onChange(fields) {
      draft.value = { ...draft.value, ...fields };
      touched.value = new Set([...touched.value, ...Object.keys(fields)]);
      error.value = undefined;
    },
    isTouched: touched.value.size > 0,
    plain,
    check,
    problems: fieldErrorsOf(draft.value, touched.value, { plain, error: error.value, check }),
    error,
  };
}
