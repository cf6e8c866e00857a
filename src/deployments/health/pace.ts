import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long rules are looked at before other work gets its turn. Time, as a rule may cost a microsecond or many patterns. */
const SLICE_MS = 3;

/** For loops over very many rules: `if (pace.isDue()) await pace.rest()` costs nothing where nothing is due. */
export interface Pace {
  isDue(): boolean;
  rest(): Promise<void>;
}

export function createPace(): Pace {
  let began = performance.now();
  return {
    isDue: () => performance.now() - began > SLICE_MS,
    async rest() {
      await nextTurn();
      began = performance.now();
    },
  };
}
