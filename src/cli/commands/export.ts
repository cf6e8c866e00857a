import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { choice, type Command, type Context, environmentOption, isOn, text, VERSION } from '../command.ts';
import { writeResponse } from '../download.ts';
import { UsageError } from '../errors.ts';
import type { Response } from '../http.ts';
import { pickColumns } from '../sync/pick-columns.ts';
import { formatOf } from '../sync/redirects-file.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';

const COLUMNS = { pattern: /^[a-z_]+(,[a-z_]+)*$/, must: 'be a list of fields such as old_path,new_path' };

const FORMATS = ['csv', 'ndjson', 'json', 'nginx', 'apache', 'netlify', 'vercel', 'cloudflare', 'caddy'] as const;

type Format = (typeof FORMATS)[number];

export const exportRedirects: Command = {
  summary: 'Writes the redirects of a website to a file or standard output.',
  options: {
    ...WEBSITE_OPTION,
    output: { short: 'o', value: 'FILE', help: 'The file. It is replaced only once the export is complete.' },
    format: { value: FORMATS.join('|'), choices: FORMATS, help: 'Default: by the name of FILE, else csv.' },
    columns: { value: 'LIST', form: COLUMNS, help: 'Only these fields, such as old_path,new_path,status_code.' },
    group: { value: 'GROUP', help: 'Only redirects of this group.' },
    version: { value: 'draft|live|N', form: VERSION, help: 'Default: draft; live for the formats of servers.' },
    environment: environmentOption('The environment of a version. Default: production.'),
    lossy: { help: 'Writes rules that the server cannot express as comments.' },
    etag: { value: 'FILE', help: 'Keeps the ETag in this file and downloads only what has changed.' },
  },
  notes: 'For a file in a repository use --columns: ids and times would change with every deployment.',
  async run(context) {
    const output = text(context, 'output');
    const etagFile = text(context, 'etag');
    if (etagFile !== undefined && output === undefined) throw new UsageError('--etag needs --output');
    const format = choice(context, 'format', FORMATS) ?? (output === undefined ? 'csv' : formatOf(output));
    const columns = text(context, 'columns')?.split(',');
    if (columns && format !== 'csv' && format !== 'ndjson') throw new UsageError('--columns needs csv or ndjson');
    const website = await websiteOf(context);
    const etag = output !== undefined && etagFile !== undefined ? await knownEtag(output, etagFile) : undefined;
    const response = await request(context, website.id, { format: columns ? 'ndjson' : format, etag });
    if (output !== undefined && response.status === 304) {
      response.stream.resume();
      return { text: `${output} is current`, json: { file: output, changed: false } };
    }
    const body = columns ? pickColumns(response.stream, columns, format === 'csv' ? 'csv' : 'ndjson') : response.stream;
    const outcome = await writeResponse(context, body, output);
    if (etagFile !== undefined && response.headers.etag) await writeFile(etagFile, `${response.headers.etag}\n`);
    return outcome;
  },
};

function request(
  context: Context,
  websiteId: string,
  { format, etag }: { format: Format; etag: string | undefined },
): Promise<Response> {
  return context.client.stream({
    method: 'GET',
    path: '/redirects/bulk/export',
    query: {
      website_id: websiteId,
      format,
      group_id: text(context, 'group'),
      version: text(context, 'version'),
      environment: choice(context, 'environment', ENVIRONMENTS),
      ...(isOn(context, 'lossy') && { lossy: true }),
    },
    ...(etag !== undefined && { headers: { 'if-none-match': etag } }),
  });
}

/** The ETag of the last download; undefined if its file is gone. */
async function knownEtag(output: string, etagFile: string): Promise<string | undefined> {
  if (!existsSync(output) || !existsSync(etagFile)) return undefined;
  return (await readFile(etagFile, 'utf8')).trim() || undefined;
}
