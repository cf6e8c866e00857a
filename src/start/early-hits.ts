import type { HitRecorder } from '../hits/record/recorder.ts';
import type { Request } from '../hits/count/request-batch.ts';

/** About 30 MB. More are counted as lost. */
const MAX_REQUESTS = 100_000;

export type EarlyHits = ReturnType<typeof createEarlyHits>;

/** Retains requests until the recorder exists, which takes longer than the first responses. */
export function createEarlyHits() {
  let retained: Request[] = [];
  let lost = 0;
  let recorder: Pick<HitRecorder, 'record'> | undefined;
  return {
    retained: () => retained.length,
    record(request: Request) {
      if (recorder) recorder.record(request);
      else if (retained.length < MAX_REQUESTS) retained.push(request);
      else lost++;
    },
    /** Passes the retained requests, and all later ones, to `hits`. Returns how many could not be retained. */
    passTo(hits: Pick<HitRecorder, 'record'>) {
      for (const request of retained) hits.record(request);
      retained = [];
      recorder = hits;
      return lost;
    },
  };
}
