import { z } from 'zod';
import { Timestamp } from '../../http/fields.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { Website } from '../../websites/website.ts';

export const EnvironmentName = z.enum(ENVIRONMENTS);

const Host = z.strictObject({ hostname: z.string(), environment: EnvironmentName });

/** The fields of a website that a caller may set. */
export const websiteFields = {
  hosts: z.array(Host),
  case_sensitive: z.boolean(),
  trailing_slash: z.enum(['ignore', 'exact']),
  query: z.enum(['pass', 'drop', 'exact']),
  fallback_url: z.string().nullable(),
  allowed_target_hosts: z.array(z.string()),
  auto_deploy: z.boolean(),
  on_loop: z.enum(['warn', 'fail']),
};

/** Fields of the resource that a body may carry back unchanged; they are ignored. */
export const READ_ONLY = ['id', 'held_environments', 'created_at', 'updated_at'] as const;

export const WebsiteBody = z
  .object({
    id: z.int(),
    name: z.string(),
    ...websiteFields,
    held_environments: z.array(EnvironmentName),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Website' });

type Input = Partial<z.output<z.ZodObject<typeof websiteFields>>> & { name?: string | undefined };

/** What a body says, in the words of the feature. */
export function websiteInput(body: { [K in keyof Input]?: Input[K] | undefined }) {
  return {
    name: body.name,
    hosts: body.hosts,
    caseSensitive: body.case_sensitive,
    trailingSlash: body.trailing_slash,
    query: body.query,
    fallbackUrl: body.fallback_url,
    allowedTargetHosts: body.allowed_target_hosts,
    autoDeploy: body.auto_deploy,
    onLoop: body.on_loop,
  };
}

/** A website as surface C answers it: integer id. */
export function websiteBody(website: Website): z.output<typeof WebsiteBody> {
  return {
    id: website.id,
    name: website.name,
    hosts: website.hosts,
    case_sensitive: website.caseSensitive,
    trailing_slash: website.trailingSlash,
    query: website.query,
    fallback_url: website.fallbackUrl,
    allowed_target_hosts: website.allowedTargetHosts,
    auto_deploy: website.autoDeploy,
    held_environments: website.heldEnvironments,
    on_loop: website.onLoop,
    created_at: website.createdAt,
    updated_at: website.updatedAt,
  };
}
