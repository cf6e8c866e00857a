/** A plain model of the responses that clients received. The test compares the state after the kills with it. */
import type { Answer } from '../detour.ts';

/** The target of a redirect; undefined: it does not exist. */
type State = string | undefined;

export interface SentImport {
  prefix: string;
  rows: number;
  isAcknowledged: boolean;
}

/** done: acknowledged; rejected: nothing was changed; unknown: the response was lost. */
type Fate = 'done' | 'rejected' | 'unknown';

export interface Model {
  /** possible states of each path that a single write has touched: one, or two if a response was lost */
  paths: Map<string, State[]>;
  /** paths of acknowledged creations, and targets of acknowledged updates; each has its own */
  created: string[];
  updated: string[];
  imports: SentImport[];
  /** paths that an acknowledged deployment has published, by host */
  published: Map<string, string[]>;
  /** ids of acknowledged deployments */
  deployments: string[];
  /** responses that no kill explains */
  surprises: string[];
  /** calls with a success */
  acknowledged(): number;
  /** calls that may have been applied */
  unknown(): number;
  /** what became of a call; undefined: its connection broke */
  fateOf(call: string, answer: Answer<{ code?: string }> | undefined): Fate;
}

export function createModel(): Model {
  const surprises: string[] = [];
  let [acknowledged, unknown] = [0, 0];
  return {
    paths: new Map(),
    created: [],
    updated: [],
    imports: [],
    published: new Map(),
    deployments: [],
    surprises,
    acknowledged: () => acknowledged,
    unknown: () => unknown,
    fateOf(call, answer) {
      if (!answer || answer.status === 502 || (answer.status === 503 && answer.body.code !== 'BUSY')) {
        unknown++;
        return 'unknown';
      }
      const { status, text } = answer;
      if (status >= 200 && status < 300) {
        acknowledged++;
        return 'done';
      }
      if (status === 503) return 'rejected';
      surprises.push(`${call}: ${status} ${text.slice(0, 300)}`);
      return 'unknown';
    },
  };
}
