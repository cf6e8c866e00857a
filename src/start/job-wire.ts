/** The bodies of the jobs, in the wire formats of the surfaces. */
import type { Surface } from '../http/jobs.ts';
import type { JobWire } from '../jobs/operations.ts';
import { readHitReport } from '../surfaces/key-api/hits-wire.ts';
import { readAddedHosts, readRemovedHosts } from '../surfaces/key-api/hosts-wire.ts';
import { syncPlanJson } from '../surfaces/key-api/sync-wire.ts';
import { readMove } from '../surfaces/key-api/moves/move-body.ts';
import { urlCheckText } from '../surfaces/key-api/urls/check-text.ts';
import { diffJson } from '../surfaces/resources/deployments/deployment-diff.ts';
import { keyDialect, sessionDialect } from '../surfaces/resources/dialect.ts';
import { healthJson } from '../surfaces/resources/health-report.ts';
import { testedJson } from '../surfaces/resources/redirects/resolved-urls.ts';

const dialectOf = (surface: Surface) => (surface === 'key' ? keyDialect : sessionDialect);

export const JOB_WIRE: JobWire = {
  readHitReport,
  readAddedHosts,
  readRemovedHosts,
  syncPlanJson,
  urlCheckText,
  readMove,
  diffJson: (diff, surface) => diffJson(diff, dialectOf(surface)),
  healthJson: (report, surface) => healthJson(report, dialectOf(surface)),
  testedJson: (db, tested, input, surface) => testedJson(db, tested, input, dialectOf(surface)),
};
