import { useSignal } from '@preact/signals';
import { ApiError } from '../../api/client/api-error.ts';

/** The code of users with two-factor sign-in. `isAsked`: the service has asked for it, after the password. */
export function useSecondFactor() {
  const isAsked = useSignal(false);
  const code = useSignal('');
  return {
    isAsked,
    code,
    /** Sends the request, with the code once it was asked for. Resolves with undefined if the service asks for it now. */
    async send<Body>(request: (code: string | undefined) => Promise<Body>): Promise<Body | undefined> {
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
