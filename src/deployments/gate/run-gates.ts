import type { PoolClient } from 'pg';
import { queryableOf } from '../../db/connection/client.ts';
import type { DeploymentWarning } from '../../db/schema/deployments.ts';
import { firstHost } from '../../resolver/own-hosts.ts';
import type { Ruleset } from '../../resolver/ruleset.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import type { Site } from '../live/site-registry.ts';
import { failureJson, failuresInWords } from './describe.ts';
import { runExpectations, visitedSite } from './run.ts';
import { readAccepted } from './urls/accepted.ts';
import type { UrlSite } from './urls/answer-of.ts';
import { compareUrls } from './urls/compare-urls.ts';
import { shadowWarnings, urlFailureJson, urlFailuresInWords } from './urls/describe-urls.ts';
import { readUrls } from './urls/read-urls.ts';

/** The mechanisms that a deployment must pass. */
export interface Gates {
  expectations: boolean;
  urls: boolean;
}

/** The sums of the mechanisms. Each URL of the list counts as one check, as an expectation does. */
export interface GateReport {
  passed: number;
  failed: number;
  /** the first 1,000 of each kind, as JSON texts on the wire */
  failures: string[];
  /** why the rules may not be published, in words; empty if they may */
  errors: string[];
  warnings: DeploymentWarning[];
  /** a mechanism reached its time limit */
  isCutShort: boolean;
}

interface GatedRules {
  site: Site;
  environment: Environment;
  /** the rules about to be published */
  ruleset: Ruleset;
  /** the rules that they replace */
  live: Ruleset;
  at: Date;
}

/** Runs the mechanisms that are switched on, each to its end. */
export async function runGates(client: PoolClient, rules: GatedRules, gates: Gates): Promise<GateReport> {
  const reports = [
    ...(gates.expectations ? [await expectationReport(client, rules)] : []),
    ...(gates.urls ? [await urlReport(client, rules)] : []),
  ];
  const sum = (name: 'passed' | 'failed'): number => reports.reduce((total, report) => total + report[name], 0);
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    failures: reports.flatMap(({ failures }) => failures),
    errors: reports.flatMap(({ errors }) => errors),
    warnings: reports.flatMap(({ warnings }) => warnings),
    isCutShort: reports.some(({ isCutShort }) => isCutShort),
  };
}

async function expectationReport(client: PoolClient, rules: GatedRules): Promise<GateReport> {
  const { site, environment, ruleset, at } = rules;
  const visited = visitedSite(ruleset, site, environment, at);
  const result = await runExpectations(client, visited, { websiteId: site.id, environment });
  const { passed, failed, failures, isCutShort } = result;
  const error =
    failed > 0
      ? `EXPECTATIONS_FAILED: ${failuresInWords(failed, failed + passed, failures)}`
      : 'EXPECTATIONS_CUT_SHORT: the check of the expectations reached its limit of 60 s; simplify patterns or remove expectations';
  const errors = failed > 0 || isCutShort ? [error] : [];
  return { passed, failed, failures: failures.map(gateFailureJson), errors, warnings: [], isCutShort };
}

/** An expectation that does not hold, among failures of other kinds. */
const gateFailureJson = (failure: Parameters<typeof failureJson>[0]): string =>
  `{"kind":"expectation",${failureJson(failure).slice(1)}`;

async function urlReport(client: PoolClient, rules: GatedRules): Promise<GateReport> {
  const { site, environment, ruleset, live, at } = rules;
  const urls = await readUrls(client, { websiteId: site.id, environment });
  const { pageParameters } = urls;
  const siteWith = (each: Ruleset): UrlSite => ({
    ...visitedSite(each, site, environment, at),
    host: firstHost(site.hosts, environment),
    pageParameters,
  });
  const isAccepted = await readAccepted(queryableOf(client), site.id, at);
  const result = await compareUrls(urls, { live: siteWith(live), candidate: siteWith(ruleset) }, isAccepted);
  const failed = result.lost + result.shadowed;
  const error =
    failed > 0
      ? `URLS_LOST: ${urlFailuresInWords(result)}`
      : 'URLS_CUT_SHORT: the check of the URLs reached its limit of 60 s; simplify patterns or delete URLs';
  return {
    passed: result.passed,
    failed,
    failures: result.failures.map(urlFailureJson),
    errors: failed > 0 || result.isCutShort ? [error] : [],
    warnings: shadowWarnings(result),
    isCutShort: result.isCutShort,
  };
}
