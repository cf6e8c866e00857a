/** Runs work one at a time for each key, in the order asked; different keys do not wait for each other. */
export function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    const done = (): void => {
      if (last.get(key) === turn) last.delete(key);
    };
    turn.then(done, done);
    return turn;
  };
}
