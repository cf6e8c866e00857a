import type { FastifyInstance } from 'fastify';
import { takeStreams, withDecodedBody } from '../../http/body/decoded-body.ts';
import type { SurfaceDeps } from '../../http/deps.ts';
import { withZod } from '../../http/wire/zod.ts';
import { createKeyedSemaphore } from '../../platform/scheduling/semaphore.ts';
import { busy, type DomainError } from '../../vocabulary/error.ts';
import { requireEditableRow } from '../../websites/website.ts';
import { keyDialect } from '../resources/dialect.ts';
import { FeedParams, readEnvironment } from './feed-wire.ts';
import { CountedReportBody, HitReportBody } from './hits-wire.ts';

/** Reports of an account at a time in a process, each with up to 1 MiB in memory. */
const MAX_PER_ACCOUNT = 2;
const MAX_WAITING = 100;
const WAIT_MS = 10_000;

/** POST /api/v1/feeds/{website_id}/{environment}/hits. Needs a separate scope, because it parses the body as a stream. */
export async function reportHitsRoute(app: FastifyInstance, { db, jobs }: SurfaceDeps): Promise<void> {
  const withShare = createKeyedSemaphore<number>(MAX_PER_ACCOUNT);
  takeStreams(app, ['application/json']);
  withZod(app).post('/feeds/:website_id/:environment/hits', {
    // A key that agents have on many machines must not be able to change redirects.
    config: { role: 'editor', scope: 'read', takes: { 'application/json': HitReportBody } },
    operationId: 'reportHitsV1',
    tag: 'Feeds',
    summary: 'Report hits',
    description:
      'Counts the requests that an agent answered, as if the service had. A batch counts exactly once, so an agent sends it again until it gets a response. Read scope is enough; a user must be an editor. If one hit is invalid, none is counted, and `issues` names each. The body may be gzipped.',
    returns: 'What was counted.',
    errors: ['WEBSITE_NOT_FOUND', 'VALIDATION_ERROR', 'TOO_MANY_ITEMS', 'BODY_TOO_LARGE', 'BUSY'],
    example: {
      path: { website_id: '1', environment: 'production' },
      body: {
        agent: 'edge-1',
        series: '5f0c9a1e7b2d4836',
        batch: 1,
        hits: [],
      },
    },
    params: FeedParams,
    response: { 200: CountedReportBody },
    async handler(request) {
      const { actor, params } = request;
      const websiteId = keyDialect.websiteId.read(params.websiteId);
      await requireEditableRow(db, actor, websiteId);
      const environment = readEnvironment(params.environment);
      const report = () => withDecodedBody(request, (body) => jobs.reportHits({ websiteId, environment }, body));
      const timeout = { timeoutMs: WAIT_MS, error: tooManyReports, maxWaiting: MAX_WAITING };
      return withShare(actor.accountId, report, timeout);
    },
  });
}

const tooManyReports = (): DomainError =>
  busy(
    `The account has ${MAX_PER_ACCOUNT} reports of hits in progress and others waiting; retry in a few seconds, with more hits in a batch`,
  );
