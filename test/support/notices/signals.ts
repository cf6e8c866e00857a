/** A signal of each kind of notice, and the same with other texts of others. */
import { composeMessage } from '../../../src/notices/messages/compose.ts';
import type { Message } from '../../../src/notices/messages/message.ts';
import { NOTICE_KINDS, type NoticeKind } from '../../../src/vocabulary/notices.ts';
import type { Digest, SignalData, SignalPlace } from '../../../src/vocabulary/notices.ts';

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const WEBSITE = 'Shop';
const AT = '2026-12-01T08:00:00Z';

/** With as many rows as a digest can have. */
export const FULL_DIGEST: Digest = {
  from: '2026-11-23',
  to: '2026-11-29',
  hits: 12_345,
  hitsBefore: 10_000,
  websiteCount: 1_012,
  websites: times(10, (n) => ({ website: `Shop ${n}`, hits: 1_000 - n, before: n * 400 })),
  topRedirects: times(5, (n) => ({ website: WEBSITE, path: `/top-${n}`, hits: 5_000 - n })),
  newUnmatched: times(5, (n) => ({ website: WEBSITE, path: `/new-${n}`, hits: 90 - n })),
  endsSoon: times(5, (n) => ({ website: WEBSITE, path: `/ends-${n}`, at: AT })),
  endsSoonCount: 1_214,
  changes: times(5, (n) => ({ by: `jo-${n}`, changes: 5 - n, redirects: 2_000 - n })),
};

const SIGNALS: { [Kind in NoticeKind]: SignalData[Kind] } = {
  'deployment.failed': { website: WEBSITE, environment: 'production', deploymentId: 'dep_1', error: 'LOOP: /a' },
  'check.broken': { website: WEBSITE, environment: 'production', path: '/a', target: '/b', problem: '404 Not Found' },
  'urls.lost': {
    website: WEBSITE,
    environment: 'production',
    lost: 1_234,
    before: 1_200,
    examples: ['/a', '/b', '/c'],
  },
  'loops.live': { website: WEBSITE, environment: 'production', redirects: 2, isAtLeast: false, path: '/a' },
  'expectations.failing': { website: WEBSITE, environment: 'production', failing: 1_000, isAtLeast: true, url: '/a' },
  'not_found.burst': { website: WEBSITE, environment: 'production', path: '/a', hits: 1_234, median: 12 },
  'redirect.ends_soon': { website: WEBSITE, path: '/a', target: '/b', at: AT },
  'key.ends_soon': { keyName: 'ci', keyId: 'key_1', at: AT },
  'agent.lagging': { website: WEBSITE, environment: 'production', agent: 'web-1', behindSeconds: 425, lastSeenAt: AT },
  'webhook.disabled': { webhook: 'CI', webhookId: 'wh_1', reason: 'gone' },
  'quota.near': { quota: 'redirects', used: 9_120, limit: 10_000 },
  'digest.weekly': FULL_DIGEST,
};

/** Fields that the product writes: ids, times and closed lists. */
const OWN_FIELDS = ['deploymentId', 'webhookId', 'keyId', 'at', 'lastSeenAt', 'from', 'to', 'reason'];

/** The value with every text of others replaced. */
function withText(value: unknown, text: string, field = ''): unknown {
  if (typeof value === 'string') return OWN_FIELDS.includes(field) ? value : text;
  if (Array.isArray(value)) return value.map((item) => withText(item, text, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withText(item, text, name)]));
}

export const PUBLIC_URL = 'https://detour.example.com';

export interface Composing<Kind extends NoticeKind> {
  data?: Partial<SignalData[Kind]>;
  place?: Partial<SignalPlace>;
  more?: number;
}

/** The message of a kind with these fields. */
export const messageOf = <Kind extends NoticeKind>(
  kind: Kind,
  { data, place, more = 0 }: Composing<Kind> = {},
): Message =>
  composeMessage(
    kind,
    { ...SIGNALS[kind], ...data },
    { websiteId: 7, environment: 'production', path: '/a', ...place },
    { publicUrl: PUBLIC_URL, notice: 'Team', more },
  );

/** The message of each kind, with `text` in every field of others, the name of the notice and the place included. */
export const messagesWith = (text: string): { kind: NoticeKind; message: Message }[] =>
  NOTICE_KINDS.map((kind) => ({
    kind,
    message: composeMessage(
      kind,
      withText(SIGNALS[kind], text) as SignalData[typeof kind],
      { websiteId: 7, environment: 'production', path: text },
      { publicUrl: PUBLIC_URL, notice: text, more: 214 },
    ),
  }));
