/** What this service adds to Fastify's request and to a route's options: the one place where Fastify's types are widened. */
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Actor, Role, Scope } from '../vocabulary/actor.ts';
import type { PlanFeature } from '../vocabulary/plan.ts';
import { unauthorized } from './errors.ts';

/** Who sent the request and by what: `session` is null where it was an API key. */
export interface Caller {
  actor: Actor;
  session: { id: string; expiresAt: Date } | null;
}

/** By media type: the schema of one body, or of one line of it. */
export type Media = Readonly<Record<string, z.ZodType>>;

declare module 'fastify' {
  interface FastifyRequest {
    /** null where the request carries no valid credential */
    caller: Caller | null;
    /** the caller's actor; 401 where there is none, so that a handler cannot forget to ask */
    readonly actor: Actor;
    /** the caller's session; 401 where there is none */
    readonly session: { id: string; expiresAt: Date };
  }

  /** What a route's `config` can say. Left out: any signed-in caller of any plan; viewers read, editors write. */
  interface FastifyContextConfig {
    /** answers without credentials too */
    public?: boolean;
    /** a page for people or a file of one: no part of the API, and in none of its lists */
    isPage?: boolean;
    /** the least role of a user; the scope of a key follows from it (viewer: read, else write) unless `scope` says it */
    role?: Role;
    scope?: Scope;
    /** the feature that the account's plan must have */
    feature?: PlanFeature;
    /** the body, where it is read as it comes and no schema of the route checks it: for the API reference */
    takes?: Media;
    /** the answer (200), where it is made as text or a stream and no schema of the route encodes it: for the API reference */
    gives?: Media;
  }
}

/** Gives every request its `caller` (none yet), `actor` and `session`. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('actor', {
    getter() {
      if (!this.caller) throw unauthorized();
      return this.caller.actor;
    },
  });
  app.decorateRequest('session', {
    getter() {
      if (!this.caller?.session) throw unauthorized();
      return this.caller.session;
    },
  });
}
