/** What the API reference says of an operation that no schema can say. Everything else comes from the route itself. */
import type { ErrorCode } from '../../vocabulary/error.ts';

import type { ExampleRequest, Tag } from '../../http/route-docs.ts';
export type { Tag };
export interface OperationText {
  /** unique, and the name of the operation in generated clients */
  id: string;
  tag: Tag;
  /** a few words, without a full stop */
  summary: string;
  /** what there is to know beyond the fields */
  text?: string;
  /** what the answer is when it went well */
  answer: string;
  /** the body may not be left out, although each of its fields may */
  needsBody?: true;
  /** codes beyond those that follow from the route itself (credentials, role, plan, how the request is written) */
  errors?: readonly ErrorCode[];
  example?: ExampleRequest;
}

/** By method and path, such as `GET /api/websites/:id`. */
export type OperationTexts = Readonly<Record<string, OperationText>>;
