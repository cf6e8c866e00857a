/** The API reference as one HTML page, complete without JavaScript. */
import { createTimeSlice } from '../../../platform/scheduling/time-slice.ts';
import type { OpenApi } from '../openapi.ts';
import { fieldList, typeOf } from './fields.ts';
import { html, type Html, inline, prose } from './markup.ts';
import { operationSection, type PlacedOperation } from './operation-section.ts';

interface Part {
  name: string;
  id: string;
  description: string;
  operations: PlacedOperation[];
}

export async function renderPage(document: OpenApi): Promise<string> {
  const parts = partsOf(document);
  const slice = createTimeSlice();
  const sections: Html[] = [];
  for (const { name, id, description, operations } of parts) {
    if (slice.isOver()) await slice.yield();
    sections.push(
      html`<section id="${id}" class="part">
        <h2>${name}</h2>
        <p class="lead">${inline(description)}</p>
        ${operations.map(operationSection)}
      </section> `,
    );
  }
  const content = html`${introduction(document)}${sections}${objects(document)}`;
  return `<!doctype html>\n${frame(document.info.title, navigation(parts), content).html}`;
}

/** The operations by tag. */
function partsOf({ tags, paths }: OpenApi): Part[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return tags.map(({ name, description }) => ({
    name,
    id: name
      .toLowerCase()
      .replace(/[^a-z]+/g, '-')
      .replace(/-$/, ''),
    description,
    operations: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

function frame(title: string, nav: Html, content: Html): Html {
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>API reference · ${title}</title>
      <link rel="icon" type="image/svg+xml" href="/docs/mark.svg" />
      <link rel="stylesheet" href="/docs/reference.css" />
      <script type="module" src="/docs/reference.js"></script>
    </head>
    <body>
      <a class="skip" href="#content">Skip to the content</a>
      <header>
        <a class="brand" href="/"><img src="/docs/mark.svg" alt="" width="22" height="22" />${title}</a>
        <span class="where">API reference</span>
        <span class="spread"></span>
        <a class="download" href="/openapi.json">openapi.json</a>
      </header>
      <div class="layout">
        ${nav}
        <main id="content">${content}</main>
      </div>
    </body>
  </html>`;
}

function navigation(parts: Part[]): Html {
  const groups = parts.map(
    ({ name, id, operations }) =>
      html`<li class="group">
        <a class="tag" href="#${id}">${name}</a>
        <ul>
          ${operations.map(
            ({ method, path, operation: { summary, operationId } }) =>
              html`<li data-find="${`${method} ${path} ${summary}`.toLowerCase()}">
                <a href="#${operationId}">${summary} <span class="method ${method}">${method}</span></a>
              </li>`,
          )}
        </ul>
      </li>`,
  );
  return html`<nav aria-label="Operations">
    <ul>
      <li><a class="tag" href="#introduction">Introduction</a></li>
      ${groups}
      <li><a class="tag" href="#objects">Objects</a></li>
    </ul>
  </nav>`;
}

function introduction({ info, servers }: OpenApi): Html {
  return html`<section id="introduction" class="part">
    <h1>API reference</h1>
    ${prose(info.description)}
    <p class="small">URL of this service: <code>${servers[0]?.url}</code> · version ${info.version}</p>
  </section>`;
}

function objects({ components }: OpenApi): Html {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<article class="object" id="object-${name}">
        <h3>${name}</h3>
        ${schema.description !== undefined && html`<p>${inline(schema.description)}</p>`}
        ${fieldList(schema) ?? html`<p>${typeOf(schema)}</p>`}
      </article>`,
  );
  return html`<section id="objects" class="part">
    <h2>Objects</h2>
    ${schemas}
  </section>`;
}
