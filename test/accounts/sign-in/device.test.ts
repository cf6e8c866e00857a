import { expect, test } from 'vitest';
import { deviceId, newDeviceToken } from '../../../src/accounts/sign-in/device.ts';
import { createSecretBox } from '../../../src/platform/secret-box.ts';

const box = createSecretBox({ secretKey: Buffer.alloc(32, 7), previousSecretKey: null });
const owner = { email: 'jo@example.com', passwordHash: 'hash' };

test('a device is known to its user until the password changes', () => {
  const token = newDeviceToken(box, owner);
  expect(deviceId(box, owner, token)).toMatch(/^dev_/);
  expect(deviceId(box, owner, newDeviceToken(box, owner))).not.toBe(deviceId(box, owner, token));
  expect(deviceId(box, { ...owner, email: 'al@example.com' }, token)).toBeUndefined();
  expect(deviceId(box, { ...owner, passwordHash: 'new' }, token)).toBeUndefined();
});

test.each([undefined, '', 'no token', 'x'.repeat(5_000)])('%j is no device', (token) => {
  expect(deviceId(box, owner, token)).toBeUndefined();
});
