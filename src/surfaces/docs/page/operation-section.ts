/** The section of one operation: request and response, and beside them the curl command and the recorded response. */
import type { Content, Operation, Response } from '../openapi.ts';
import { fieldList, parameterList, typeOf } from './fields.ts';
import { html, type Html } from './html.ts';
import { shownJson } from './json.ts';
import { inline, prose } from './prose.ts';

export interface PlacedOperation {
  method: string;
  path: string;
  operation: Operation;
}

export function operationSection({ method, path, operation }: PlacedOperation): Html {
  const { operationId, summary, description } = operation;
  return html`<article class="operation" id="${operationId}">
    <div class="text-column">
      <h3>${summary}</h3>
      <p class="address"><span class="method ${method}">${method}</span> <code>${breakable(path)}</code></p>
      ${description !== undefined && prose(description)}
      <p class="access">${operation['x-access']}</p>
      ${request(operation)} ${responseList(operation)}
    </div>
    <div class="code-column">${calls(operation)}</div>
  </article> `;
}

/** Allows line breaks after each slash. */
function breakable(path: string): Html {
  return html`${path.split(/(?<=\/)/).map((part) => html`${part}<wbr />`)}`;
}

function request({ parameters = [], requestBody }: Operation): Html {
  const places = ['path', 'query'] as const;
  const lists = places.map((place) => {
    const placed = parameters.filter((parameter) => parameter.in === place);
    return (
      placed.length > 0 &&
      html`<h4>${place === 'path' ? 'Path' : 'Query'}</h4>
        ${parameterList(placed)}`
    );
  });
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) =>
      html`<h4>Body <span class="type">${type}${requestBody?.required === false && ', optional'}</span></h4>
        ${fieldList(schema, true) ?? bodyText(schema)}`,
  );
  return html`${lists}${bodies}`;
}

function bodyText(schema: Content[string]['schema']): Html {
  return html`<p>${schema.description === undefined ? typeOf(schema) : inline(schema.description)}</p>`;
}

function responseList({ responses }: Operation): Html {
  const all = Object.entries(responses);
  const good = all.filter(([status]) => status.startsWith('2'));
  const others = all.filter(([status]) => !status.startsWith('2'));
  return html`${good.map(([status, answer]) => successResponse(status, answer))}
    <details>
      <summary>Errors <span class="type">${others.map(([status]) => status).join(', ')}</span></summary>
      <dl class="errors">
        ${others.map(
          ([status, answer]) =>
            html`<dt>${status}</dt>
              <dd>${prose(answer.description)}</dd>`,
        )}
      </dl>
    </details>`;
}

function successResponse(status: string, { description, content = {} }: Response): Html {
  const bodies = Object.entries(content).map(([type, { schema }]) => {
    const fields = fieldList(schema);
    return html`${type !== 'application/json' && html`<p class="type">${type}</p>`}
    ${fields ?? (type === 'application/json' || schema.description !== undefined ? bodyText(schema) : undefined)}`;
  });
  return html`<h4>Response <span class="status">${status}</span></h4>
    <p>${inline(description)}</p>
    ${bodies}`;
}

function calls(operation: Operation): Html {
  const [sample] = operation['x-codeSamples'];
  const example = Object.values(operation.responses)
    .flatMap(({ content = {} }) => Object.entries(content))
    .find(([, media]) => media.example !== undefined);
  return html`<pre class="code" tabindex="0" aria-label="curl"><code>${sample?.source}</code></pre>
    ${example && shownExample(...example)}`;
}

function shownExample(type: string, { example }: Content[string]): Html {
  const shown = type === 'application/json' ? shownJson(example) : html`${String(example)}`;
  return html`<pre class="code answer" tabindex="0" aria-label="Response"><code>${shown}</code></pre>`;
}
