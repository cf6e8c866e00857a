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
