import { type Signal, useSignal } from '@preact/signals';
import type { ApiError } from '../../api/api-error.ts';
import type { RedirectCheck } from '../../api/wire.ts';
import { type Draft, type LocalErrors, localErrors as localErrorsOf } from './draft.ts';
import { type FieldErrors, fieldErrorsOf } from './field-errors.tsx';
import { useCheck } from './use-check.ts';

export interface DraftState {
  draft: Draft;
  /** changes fields, and clears the error of the last save */
  onChange: (fields: Partial<Draft>) => void;
  /** true after the first change */
  isTouched: boolean;
  /** errors that prevent sending */
  localErrors: LocalErrors;
  check: RedirectCheck | undefined;
  /** messages to show at the fields */
  fieldErrors: FieldErrors;
  /** the response to the last attempt to save */
  error: Signal<ApiError | undefined>;
}

/** State of the form for a redirect: values, validation and preview. */
export function useDraft(
  start: Draft,
  context: {
    websiteId: number;
    targetHosts: readonly string[];
    redirectId?: number | undefined;
    tryPath?: string;
  },
): DraftState {
  const draft = useSignal(start);
  const touched = useSignal<ReadonlySet<string>>(new Set());
  const error = useSignal<ApiError | undefined>(undefined);
  const check = useCheck(context.websiteId, draft.value, context);
  const localErrors = localErrorsOf(draft.value, context.targetHosts);
  return {
    draft: draft.value,
    onChange(fields) {
      draft.value = { ...draft.value, ...fields };
      touched.value = new Set([...touched.value, ...Object.keys(fields)]);
      error.value = undefined;
    },
    isTouched: touched.value.size > 0,
    localErrors,
    check,
    fieldErrors: fieldErrorsOf(draft.value, touched.value, { localErrors, error: error.value, check }),
    error,
  };
}
