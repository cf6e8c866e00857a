/** The ruleset thread with one more job: it ends the thread, as running out of memory does. */
import { workerData } from 'node:worker_threads';
import { openDatabase } from '../../src/db/connection/client.ts';
import { checkGateFrom } from '../../src/deployments/gate/gate.ts';
import { prepareRulesFrom } from '../../src/jobs/ruleset-jobs.ts';
import { rulesetJobs } from '../../src/jobs/ruleset-jobs.ts';
import type { RulesetWorkerData } from '../../src/jobs/ruleset-thread.ts';
import { serveJobs } from '../../src/platform/jobs/serve.ts';

const db = openDatabase((workerData as RulesetWorkerData).databaseUrl, { max: 4 });
serveJobs(
  { ...rulesetJobs(prepareRulesFrom(db), checkGateFrom(db)), exit: async () => process.exit(1) },
  async () => {},
);
