/**
 * The edge in a separate process, with or without recording: `node bench/hit-edge.ts <database> <on|off>`. Sends its
 * port to the parent, and the CPU time of the main thread on request.
 */
import { createServer } from 'node:http';
import { openDatabase } from '../src/db/client.ts';
import { createWorkerAggregator } from '../src/hits/record/worker-client.ts';
import { createMonthlyPartitionsAhead } from '../src/hits/store/monthly-partitions.ts';
import { createHitRecorder } from '../src/hits/record/recorder.ts';
import { systemClock } from '../src/platform/clock.ts';
import { createClientReader } from '../src/surfaces/edge/client.ts';
import { createOutcomeCounter } from '../src/surfaces/edge/count-outcomes.ts';
import { withEdge } from '../src/surfaces/edge/edge.ts';
import { createRulesets } from '../src/deployments/live/rulesets.ts';
import { prepareRulesFrom } from '../src/deployments/publish/prepare-rules.ts';

const [databaseUrl = '', recording] = process.argv.slice(2);
const db = openDatabase(databaseUrl);
const rulesets = createRulesets(db, prepareRulesFrom(db));
await rulesets.load();
await createMonthlyPartitionsAhead(db, systemClock.now());
const aggregator = await createWorkerAggregator({
  databaseUrl,
  geoipDb: null,
  onError: console.error,
});
const hits = createHitRecorder({ aggregator, clock: systemClock, onError: console.error });
const clientOf = createClientReader({ trustProxy: 1, countryHeader: null });
let ids = 0;
const edge = {
  rulesets,
  requestId: () => `bench-${(ids++).toString(36)}`,
  ...(recording === 'on' && { onOutcome: createOutcomeCounter(hits, clientOf) }),
};
hits.start();
const server = createServer(withEdge(edge, (_request, response) => void response.writeHead(404).end()));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.(address.port);
});
process.on('message', () => {
  const { user, system } = process.threadCpuUsage();
  process.send?.(user + system);
});
process.once('SIGTERM', () => {
  process.disconnect?.();
  server.closeAllConnections();
  server.close();
  void hits.stop(60_000).then(() => db.$client.end());
});
