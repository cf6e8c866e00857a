/** Preparations of a process that come before its other code. */
import { createHook } from 'node:async_hooks';

/**
 * Adds the functions of the language that Node.js 20 lacks. The packed commands import it first: they run on a machine
 * whose Node.js may be older than the service's.
 */
const { withResolvers, try: attempt } = Promise as Partial<Pick<typeof Promise, 'withResolvers' | 'try'>>;

function createWithResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: PromiseWithResolvers<T>['resolve'] = () => {};
  let reject: PromiseWithResolvers<T>['reject'] = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

async function run<Args extends unknown[], T>(callback: (...args: Args) => T, ...args: Args): Promise<Awaited<T>> {
  return await callback(...args);
}

if (!withResolvers) Object.assign(Promise, { withResolvers: createWithResolvers });
if (!attempt) Object.assign(Promise, { try: run });

let kept: object | undefined;

/**
 * Keeps `process.nextTick` fast in a process with a large heap. V8 drops an object layout that no object has during a
 * garbage collection. Code that it optimizes afterwards creates the objects of `nextTick` through a slow path, which
 * costs 3 of the 20 µs of a redirect. One object that stays alive retains the layout. Call it before any other code.
 * Returns the object; undefined if this version of Node.js has no such objects.
 */
export function keepTickLayout(): object | undefined {
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') kept ??= resource;
    },
  });
  hook.enable();
  process.nextTick(() => {});
  hook.disable();
  return kept;
}
