import { expect, test } from 'vitest';
import { type Channel, createPeer, type IpcHandlers, type Peer } from '../../../src/platform/process/ipc.ts';

/** Two peers over a channel that copies messages, as the channel of a child process does. */
function connected(
  left: IpcHandlers,
  right: IpcHandlers,
): { left: Peer; right: Peer; deliver: (message: unknown) => void } {
  const receivers: ((message: unknown) => void)[] = [];
  const channel = (own: number): Channel => ({
    send: (message) => void queueMicrotask(() => receivers[1 - own]?.(structuredClone(message))),
    onMessage: (receive) => void (receivers[own] = receive),
  });
  const peers = { left: createPeer(channel(0), left), right: createPeer(channel(1), right) };
  return { ...peers, deliver: (message) => receivers[0]?.(message) };
}

test('a call returns what the handler of the other side returns, in any order', async () => {
  const gates = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const { left } = connected({}, { wait: (index: number) => gates[index]?.promise });
  const calls = [left.call<number>('wait', 0), left.call<number>('wait', 1)];
  gates[1]?.resolve(11);
  gates[0]?.resolve(10);
  expect(await Promise.all(calls)).toEqual([10, 11]);
});

test('both sides can call', async () => {
  const { left, right } = connected({ double: (n: number) => 2 * n }, { negate: (n: number) => -n });
  expect([await left.call('negate', 3), await right.call('double', 4)]).toEqual([-3, 8]);
});

test('an error of a handler, an unknown name and a late reply reject the call', async () => {
  const { left } = connected(
    {},
    {
      fail: () => {
        throw new Error('no space');
      },
      never: () => new Promise(() => {}),
    },
  );
  await expect(left.call('fail')).rejects.toThrow('no space');
  await expect(left.call('other')).rejects.toThrow('other');
  await expect(left.call('never', undefined, 10)).rejects.toThrow('no reply to never within 10 ms');
});

test('close rejects the calls in progress and later ones', async () => {
  const { left } = connected({}, { never: () => new Promise(() => {}) });
  const call = left.call('never');
  left.close(new Error('the process ended'));
  await expect(call).rejects.toThrow('the process ended');
  await expect(left.call('never')).rejects.toThrow('the process ended');
});

test('messages of others on the channel are ignored', async () => {
  const { left, deliver } = connected({}, { echo: (text: string) => text });
  for (const message of [undefined, null, 'text', { cmd: 'NODE_HANDLE' }, { detour: 'reply', id: 99 }])
    deliver(message);
  expect(await left.call('echo', 'still here')).toBe('still here');
});
