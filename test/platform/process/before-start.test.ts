import { expect, test } from 'vitest';
import { keepTickLayout } from '../../../src/platform/process/before-start.ts';

test('an object of process.nextTick stays alive, so that its layout does', () => {
  expect(keepTickLayout()).toMatchObject({ callback: expect.any(Function) });
});
