import { expect, test } from 'vitest';
import { ApiError } from '../../dashboard/src/api/client/api-error.ts';
import { createWrites, onConfirmRequired, readResponse, sendAndAsk } from '../../dashboard/src/api/client/client.ts';

function errorOf(status: number, body: object): ApiError {
  try {
    readResponse(status, JSON.stringify(body));
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown;
  }
  throw new Error('no ApiError');
}

test("an error of a plan's limit has a title and sentences for people", () => {
  const { code, message, details } = errorOf(403, {
    error: "The file exceeds the plan's limit",
    code: 'PLAN_LIMIT_EXCEEDED',
    details: 'file: the free plan takes files of at most 8 MiB; nothing was applied, split it or change the plan',
  });
  expect([code, message, details]).toEqual([
    'PLAN_LIMIT_EXCEEDED',
    "Your plan's limit is reached",
    'The free plan takes files of at most 8 MiB. Nothing was applied, split it or change the plan.',
  ]);
});

test('other errors keep the words of the service', () => {
  const { message, details } = errorOf(409, { error: 'In use', code: 'CONFLICT', details: 'name: a; b' });
  expect([message, details]).toEqual(['In use', 'name: a; b']);
});

test('reads wait for the writes before them, whose results are not kept', async () => {
  const writes = createWrites();
  const ended: string[] = [];
  const after = async (name: string): Promise<string> => (await Promise.resolve(), ended.push(name), name);
  void writes.track(after('first'));
  void writes.track(after('second'));
  expect(await writes.ended()).toBeUndefined();
  expect(ended).toEqual(['first', 'second']);
});

test('a password that is not confirmed is an error without the words for programs; a confirmed one repeats the request', async () => {
  const details = 'The last sign-in is too long ago: send the password to POST /api/auth/confirm, then retry';
  let sent = 0;
  const request = () => {
    if (++sent % 2 === 0) return Promise.resolve('done');
    return Promise.reject(new ApiError(403, 'CONFIRM_PASSWORD', 'Confirm your password', { details }));
  };
  onConfirmRequired(() => Promise.resolve(true));
  expect(await sendAndAsk(request)).toBe('done');
  onConfirmRequired(() => Promise.resolve(false));
  const error = await sendAndAsk(request).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: 'you did not confirm your password', details: '' });
});
