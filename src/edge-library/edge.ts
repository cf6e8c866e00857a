/**
 * The edge library, `detour/edge`: answers requests as the service does, inside an application. Runs in any JavaScript
 * runtime. Everything that it loads is free of Node.js (test/house/node-free.test.ts).
 */
import { answerVisit } from '../resolver/answer.ts';
import { absoluteForm, hostOfHeader, requestTarget } from '../resolver/spelling/canonical-path.ts';
import { checkOptions } from './check-options.ts';
import { followRules, type RulesSource, staticRules } from './rules-source.ts';
import type { Edge, EdgeAnswer, EdgeOptions } from './types.ts';

export { fastifyPlugin } from './fastify.ts';
export { expressMiddleware, fetchMiddleware, nextMiddleware } from './middleware.ts';

/**
 * Creates an edge from rules, or from the live version of a website. Throws a TypeError that names every wrong option,
 * and skips a wrong rule with a warning. Starts no request and builds no rules before `ready` or the first request: some runtimes forbid both at load.
 */
export function createEdge(options: EdgeOptions): Edge {
  const { site, isOwnHost, onlyOn404, trustScheme, now, rules, feed } = checkOptions(options);
  const source: RulesSource = feed ? followRules(feed, site) : staticRules(rules, site);

  const edge: Edge = {
    onlyOn404,
    get version() {
      return source.version();
    },
    answer({ target, method = 'GET', host: hostHeader = '', scheme }) {
      const live = source.live();
      if (!live) return null;
      const absolute = target.startsWith('/') ? undefined : absoluteForm(target);
      const host = hostOfHeader(absolute?.host ?? hostHeader);
      if (!isOwnHost(host)) return null;
      const visit = {
        target: requestTarget(absolute?.target ?? target),
        method,
        host,
        scheme: trustScheme ? scheme : undefined,
        redirectTo: live.redirectAt(host),
      };
      const { status, headers, body, match } = answerVisit(visit, live.ruleset, live.options, now, []);
      // The service has no redirect either: the application decides.
      if (status === 404 || status === 414) return null;
      return { status, headers: pairsOf(headers), body, redirectId: match ? String(match.id) : null };
    },
    handle(request) {
      const { method, url } = request;
      // The URL of a request may have a fragment, which is no part of its target.
      const target = url.split('#', 1)[0] ?? '';
      const answer = edge.answer({ target, method, scheme: /^[a-z]+/.exec(url)?.[0] });
      return answer && toResponse(answer);
    },
    ready: source.ready,
    close: source.close,
  };
  return edge;
}

function toResponse({ status, headers, body }: EdgeAnswer): Response {
  return new Response(body === '' ? null : body, { status, headers });
}

/** Pairs of a list that alternates names and values. */
function pairsOf(headers: string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i] ?? '', headers[i + 1] ?? '']);
  return pairs;
}
