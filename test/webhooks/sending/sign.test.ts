import { verify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import {
  deliveryHeaders,
  newSecret,
  signatureHeaders,
  type SigningSecrets,
} from '../../../src/webhooks/sending/sign.ts';

const EVENT_ID = '01936f5e-0000-7000-8000-000000000001';

const bodies = {
  plain: '{"event":"redirect.created","timestamp":"2026-11-21T10:00:00Z","data":{}}',
  'UTF-8': '{"old_path":"/größe/日本語/🙂","note":"naïve"}',
  'U+2028 and U+2029': '{"notes":"line\u2028paragraph\u2029end"}',
  'escapes as they stand': String.raw`{"a":"\u0061\/","b":"\ud83d\ude42"}`,
};

function sign(body: string, secrets: SigningSecrets, signWith: 'current' | 'previous' = 'current') {
  return signatureHeaders({ eventId: EVENT_ID, body, now: systemClock.now(), secrets, signWith });
}

const single = (headers: Record<string, string>): string => headers['x-service-signature'] ?? '';

/** Whether the library of the Standard Webhooks project accepts it. */
function standardAccepts(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

describe.each(Object.entries(bodies))('a body: %s', (_name, body) => {
  test('is verified by the library of Standard Webhooks, whatever the random secret', () => {
    for (let i = 0; i < 50; i++) {
      const current = newSecret();
      expect(standardAccepts(current, body, sign(body, { current, previous: null }))).toBe(true);
    }
  });

  test('is verified by the library for the X-Hub-Signature-256 form', async () => {
    for (let i = 0; i < 50; i++) {
      const current = newSecret();
      const headers = sign(body, { current, previous: null });
      expect(await verify(current, body, single(headers))).toBe(true);
    }
  });

  test('is rejected by both with one more character, and with another secret', async () => {
    const current = newSecret();
    const headers = sign(body, { current, previous: null });
    expect(standardAccepts(current, `${body} `, headers)).toBe(false);
    expect(standardAccepts(newSecret(), body, headers)).toBe(false);
    expect(await verify(current, `${body} `, single(headers))).toBe(false);
    expect(await verify(newSecret(), body, single(headers))).toBe(false);
  });
});

describe('published vectors', () => {
  test('X-Service-Signature matches the vector for X-Hub-Signature-256', () => {
    const headers = sign('Hello, World!', { current: "It's a Secret to Everybody", previous: null });
    expect(headers['x-service-signature']).toBe(
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    );
  });

  test('webhook-signature matches the Standard Webhooks vector', () => {
    const headers = signatureHeaders({
      eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      now: new Date(1_614_265_330_999),
      secrets: { current: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', previous: null },
      signWith: 'current',
    });
    expect(headers['webhook-timestamp']).toBe('1614265330');
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

describe('while two secrets are valid', () => {
  const body = bodies['UTF-8'];
  const secrets = { current: newSecret(), previous: newSecret() };

  test('a receiver with either secret verifies webhook-signature, the new one first', () => {
    const headers = sign(body, secrets);
    expect(standardAccepts(secrets.current, body, headers)).toBe(true);
    expect(standardAccepts(secrets.previous, body, headers)).toBe(true);
    const alone = sign(body, { current: secrets.current, previous: null });
    expect(headers['webhook-signature']?.split(' ')[0]).toBe(alone['webhook-signature']);
  });

  test.each(['current', 'previous'] as const)(
    'X-Service-Signature is made with the %s one when told so, and with no other',
    async (which) => {
      const other = which === 'current' ? 'previous' : 'current';
      const signature = single(sign(body, secrets, which));
      expect(await verify(secrets[which], body, signature)).toBe(true);
      expect(await verify(secrets[other], body, signature)).toBe(false);
    },
  );

  test('after the overlap the current secret signs, even if the previous one was accepted last', async () => {
    const headers = sign(body, { current: secrets.current, previous: null }, 'previous');
    expect(await verify(secrets.current, body, single(headers))).toBe(true);
    expect(headers['webhook-signature']).not.toContain(' ');
  });
});

test('a secret is whsec_ and standard base64 of 32 bytes, never twice the same', () => {
  const secrets = Array.from({ length: 500 }, newSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  }
  expect(new Set(secrets).size).toBe(500);
});

test('the headers of an attempt name its event, delivery and number, and sign the body', () => {
  const current = newSecret();
  const attempt = {
    eventId: EVENT_ID,
    event: 'deployment.completed',
    deliveryId: 42,
    attemptNo: 3,
    body: '{}',
    now: new Date('2026-11-21T10:00:00.900Z'),
    secrets: { current, previous: null },
    signWith: 'current',
  } as const;
  expect(deliveryHeaders(attempt)).toEqual({
    'content-type': 'application/json',
    'user-agent': 'Detour-Webhooks/1',
    'accept-encoding': 'identity',
    'x-service-event': 'deployment.completed',
    'x-service-delivery': 'whd_42',
    'x-service-attempt': '3',
    ...signatureHeaders(attempt),
  });
});
