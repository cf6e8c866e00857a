/** The hosts of a website in bodies and responses. */
import { z } from 'zod';
import { bodyObject, EnvironmentName, component, part } from '../../../http/wire/fields.ts';
import type { Camel } from '../../../http/wire/wire-names.ts';
import type { WebsiteHost } from '../../../websites/website.ts';

const host = {
  hostname: z
    .string()
    .describe(
      'Without scheme and port, in lower case; IDNA in ASCII form. `*.example.com` is every name below example.com, at any depth; an exact hostname takes precedence, then the longest wildcard. A verified hostname belongs to one website of the whole service.',
    ),
  environment: EnvironmentName.describe('The environment whose rules the host serves.'),
};

export const domainRedirect = {
  url: z
    .string()
    .describe(
      'Where all requests are redirected to: an http or https origin with an optional path, such as `https://www.example.com`. Unicode is stored in ASCII form.',
    ),
  status_code: z.int().describe('301, 302, 307 or 308. Default 301.'),
  keep_path: z.boolean().describe('Whether the path and the query of the request are appended to `url`. Default true.'),
};
const REDIRECT_TO =
  'If set, every request to the host is redirected as a whole, before any redirect and without a deployment. Default null.';

export const hostInput = bodyObject(
  {
    ...host,
    redirect_to: bodyObject({
      ...domainRedirect,
      status_code: domainRedirect.status_code.optional(),
      keep_path: domainRedirect.keep_path.optional(),
    })
      .nullable()
      .optional()
      .describe(REDIRECT_TO),
  },
  { readOnly: ['verified', 'verification'] },
);

export const storedHost = component('WebsiteHost', {
  ...host,
  redirect_to: z.object(domainRedirect).nullable().describe(REDIRECT_TO),
  verified: z.boolean().describe('If false, the website does not respond for the host yet.'),
  verification: part('The DNS record that proves the host (`POST /api/websites/{id}/hosts/verify`).', {
    type: z.literal('TXT').describe('The type of the DNS record.'),
    name: z.string().describe('The name of the record: `_detour.` and the host, for a wildcard the name after `*.`.'),
    value: z
      .string()
      .describe('The value that the record must have. It depends on the account and the host, and never changes.'),
  }),
});

export function hostFields({ redirectTo: to, ...host }: Camel<z.output<typeof hostInput>>): WebsiteHost {
  if (!to) return host;
  return { ...host, redirectTo: { url: to.url, statusCode: to.statusCode ?? 301, keepPath: to.keepPath ?? true } };
}
