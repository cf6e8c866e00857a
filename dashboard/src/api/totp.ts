import { call } from './client.ts';
import type { NewTotp } from './wire.ts';

/** A new secret. It takes effect when confirmed. */
export const startTotp = () => call<{ totp: NewTotp }>('POST', '/api/auth/totp');

/** The only response that contains the recovery codes. */
export const confirmTotp = (code: string) =>
  call<{ recovery_codes: string[] }>('POST', '/api/auth/totp/confirm', { body: { code } });

/** Also deletes the recovery codes. */
export const turnOffTotp = (password: string) =>
  call<{ message: string }>('DELETE', '/api/auth/totp', { body: { password } });
