/** How surfaces A and C write the same resources: ids, lists of environments, and the names of component schemas. */
import { z } from 'zod';
import { bodyId, MAX_ID, pathId, queryId } from '../../http/fields.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { websiteNotFound } from '../../websites/website.ts';

/** The types in which surfaces differ: those of ids and of lists of environments. */
export interface Wire {
  id: number | string;
  environments: string | Environment[];
}

/** Surface C: `1` and `"production,staging"`. */
export interface SessionWire extends Wire {
  id: number;
  environments: string;
}

/** Surface A: `"1"` and `["production", "staging"]`. */
export interface KeyWire extends Wire {
  id: string;
  environments: Environment[];
}

/** The ids of one resource in requests: a schema for each part of a request, and the integer that they stand for. */
export interface IdCodec<Id extends Wire['id']> {
  readonly path: z.ZodType<Id>;
  readonly query: z.ZodType<Id>;
  readonly body: z.ZodType<Id>;
  /** Throws the resource's 404 if no resource can have this id. */
  read(id: Id): number;
}

export interface Dialect<W extends Wire = Wire> {
  /** Ends the names of component schemas: `Website` and `WebsiteV1`. */
  readonly suffix: '' | 'V1';
  /** An id in a response. */
  readonly id: z.ZodType<W['id'], W['id']>;
  writeId(id: number): W['id'];
  readonly websiteId: IdCodec<W['id']>;
}

/** Surface C: ids are integers. The schemas reject an id that cannot exist. */
export const sessionDialect: Dialect<SessionWire> = {
  suffix: '',
  id: z.int(),
  writeId: (id) => id,
  websiteId: {
    path: pathId('WEBSITE_NOT_FOUND', 'Website'),
    query: queryId,
    body: bodyId,
    read: (id) => id,
  },
};

/** Surface A: ids are strings. A string that is not an id is answered like an id that does not exist. */
export const keyDialect: Dialect<KeyWire> = {
  suffix: 'V1',
  id: z.string(),
  writeId: String,
  websiteId: { path: z.string(), query: z.string(), body: z.string(), read: readWebsiteId },
};

function readWebsiteId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > MAX_ID) throw websiteNotFound(text);
  return Number(text);
}
