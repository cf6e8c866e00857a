/** Loaded into the service (`--import`) for comparison: no hit is recorded. */
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('/surfaces/edge/count-outcomes.ts')) return next(url, context);
    const source = 'export function createOutcomeCounter() { return () => {}; }';
    return { format: 'module', source, shortCircuit: true };
  },
});
