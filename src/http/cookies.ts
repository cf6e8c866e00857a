import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignInClient } from '../accounts/sign-in/device.ts';
import { SESSION_SECONDS } from '../accounts/sign-in/session.ts';
import { clientNetwork } from './shares/rate-limit.ts';

/** The longest age that browsers accept. */
const DEVICE_SECONDS = 400 * 24 * 3600;

/** The cookies of this installation: the session, and the device from which a user has signed in. */
export interface SessionCookie {
  read(request: FastifyRequest): string | undefined;
  /** Treats the request as one of a page of this service in this session. The response never sets the cookie. */
  use(request: FastifyRequest, token: string): void;
  set(reply: FastifyReply, token: string): void;
  /** Sets both cookies after a sign-in. */
  signIn(reply: FastifyReply, tokens: { token: string; device: string }): void;
  /** Clears the session; the device stays known. */
  clear(reply: FastifyReply): void;
  /** The client of a sign-in. */
  clientOf(request: FastifyRequest): SignInClient;
}

/** `Secure` is set only if PUBLIC_URL is https, so that sign-in works over plain http in a private network. */
export function sessionCookie(prefix: string, publicUrl: string): SessionCookie {
  const name = `${prefix}.session-token`;
  const deviceName = `${prefix}.device`;
  const attributes: CookieSerializeOptions = {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: publicUrl.startsWith('https:'),
  };
  const lent = new WeakSet<FastifyRequest>();
  const set: SessionCookie['set'] = (reply, token) => {
    if (!lent.has(reply.request)) void reply.setCookie(name, token, { ...attributes, maxAge: SESSION_SECONDS });
  };
  return {
    read: (request) => request.cookies[name],
    use(request, token) {
      lent.add(request);
      request.cookies[name] = token;
      request.headers = { ...request.headers, 'sec-fetch-site': 'same-origin' };
    },
    set,
    signIn(reply, { token, device }) {
      set(reply, token);
      void reply.setCookie(deviceName, device, { ...attributes, maxAge: DEVICE_SECONDS });
    },
    clear: (reply) => void reply.clearCookie(name, attributes),
    clientOf: (request) => ({
      address: request.ip,
      network: signInNetwork(request.ip),
      device: request.cookies[deviceName],
      userAgent: request.headers['user-agent'],
    }),
  };
}

/** The /24 of an IPv4 address, the /64 of an IPv6 address. */
function signInNetwork(address: string): string {
  return clientNetwork(address).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
}
