/** The weekly digest. */
import type { Digest, SignalPlace } from '../../vocabulary/notices.ts';
import type { Content } from './content.ts';
import type { Message } from './message.ts';
import { changeText, counted, figure, text, utcMinute } from './words.ts';

type Section = NonNullable<Message['sections']>[number];

export function digestContent(digest: Digest, { websiteId }: SignalPlace): Content {
  const { from, to, hits, hitsBefore, websiteCount } = digest;
  const change =
    hits === hitsBefore
      ? 'as many as'
      : `${figure(Math.abs(hits - hitsBefore))} ${hits > hitsBefore ? 'more' : 'fewer'} than`;
  return {
    title: [`Your week in redirects, ${from} to ${to}`],
    lines: [
      text`${[counted(hits, 'hit')]} by people on ${[counted(websiteCount, 'website')]}, ${[change]} in the week before.`,
    ],
    sections: sectionsOf(digest).filter(({ rows }) => rows.length > 0),
    link: websiteId === null ? { label: 'Open Detour', page: '/websites' } : ANALYTICS,
  };
}

const ANALYTICS = { label: 'Open the analytics', screen: 'analytics', query: { period: '7d' } };

function sectionsOf(digest: Digest): Section[] {
  const pathRow = (row: { website: string; path: string }, value: string) => ({
    label: text`${row.path} (${row.website})`,
    value,
  });
  const endsSoon = digest.endsSoon.map((row) => pathRow(row, utcMinute(row.at)));
  return [
    {
      heading: 'Hits by website',
      rows: [
        ...digest.websites.map(({ website, hits, before }) => ({
          label: text`${website}`,
          value: `${figure(hits)} (${changeText(hits, before)})`,
        })),
        ...others(digest.websiteCount - digest.websites.length),
      ],
    },
    {
      heading: 'Redirects with the most hits',
      rows: digest.topRedirects.map((row) => pathRow(row, figure(row.hits))),
    },
    {
      heading: 'New unmatched paths with the most hits',
      rows: digest.newUnmatched.map((row) => pathRow(row, figure(row.hits))),
    },
    {
      heading: 'Redirects that end within 7 days',
      rows: [...endsSoon, ...others(digest.endsSoonCount - endsSoon.length)],
    },
    {
      heading: 'Who changed the most redirects',
      rows: digest.changes.map(({ by, changes, redirects }) => ({
        label: text`${by} (${[counted(changes, 'change')]})`,
        value: counted(redirects, 'redirect'),
      })),
    },
  ];
}

/** The row for what the section does not list, if there is any. */
const others = (count: number): Section['rows'] =>
  count > 0 ? [{ label: [`and ${figure(count)} more`], value: '' }] : [];
