import { type Signal, useSignal } from '@preact/signals';
import { ApiError } from '../../api/client/api-error.ts';

export interface SecondFactor {
  /** the service has asked for a code */
  isAsked: Signal<boolean>;
  code: Signal<string>;
  /** Sends the request, with the code once it was asked for. Resolves with undefined if the service asks for it now. */
  send: <Body>(request: (code: string | undefined) => Promise<Body>) => Promise<Body | undefined>;
}

/** The code of users with two-factor sign-in, which the service asks for after the password. */
export function useSecondFactor(): SecondFactor {
  const isAsked = useSignal(false);
  const code = useSignal('');
  return {
    isAsked,
    code,
    async send(request) {
      try {
        return await request(isAsked.value ? code.value.trim() : undefined);
      } catch (thrown) {
        if (isAsked.value || !(thrown instanceof ApiError) || thrown.code !== 'TOTP_REQUIRED') throw thrown;
        isAsked.value = true;
        return undefined;
      }
    },
  };
}

/** True if the service rejected the code, not the password. */
export const isWrongCode = (error: ApiError | undefined): boolean =>
  error?.code === 'INVALID_CREDENTIALS' && error.details.startsWith('code:');
