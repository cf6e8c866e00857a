/** Entry of the ruleset thread. */
import { workerData } from 'node:worker_threads';
import { openDatabase } from '../db/connection/client.ts';
import { checkGateFrom } from '../deployments/gate/gate.ts';
import { serveJobs } from '../platform/jobs/serve.ts';
import { prepareRulesFrom, rulesetJobs } from './ruleset-jobs.ts';
import type { RulesetWorkerData } from './ruleset-thread.ts';

// One connection for each deployment at a time, and one to follow other processes.
const { databaseUrl, connections } = workerData as RulesetWorkerData;
const db = openDatabase(databaseUrl, { max: connections });

serveJobs(rulesetJobs(prepareRulesFrom(db), checkGateFrom(db)), () => db.$client.end());
